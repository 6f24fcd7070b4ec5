// Every file of testdata/malformed/import is refused with the place, the text and the reason that
// expected.json states.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "format/import_testing.hpp"
#include "format/text_lines.hpp"

namespace arcwise {
namespace {

using namespace arcwise::testing;
using ::testing::HasSubstr;

nlohmann::json expected() {
  return nlohmann::json::parse(file_bytes("malformed/import/expected.json"));
}

TEST(malformed_import, every_file_is_refused_at_its_place) {
  for (const auto& item : expected()) {
    const std::string name = item["file"];
    const auto cluster = parse(std::vector{Source{name, file_bytes("malformed/import/" + name)}},
                               from(item.value("from", "")));
    if (cluster) {
      ADD_FAILURE() << name << " is accepted";
      continue;
    }
    const Error& error = cluster.error();
    EXPECT_EQ(error.kind, ErrorKind::input) << name;
    EXPECT_EQ(error.where.file, name);
    EXPECT_EQ(error.where.line, item["line"].get<std::uint32_t>()) << name;
    EXPECT_EQ(error.where.column, item["column"].get<std::uint32_t>()) << name;
    EXPECT_EQ(error.what, item["what"].get<std::string>()) << name;
    EXPECT_EQ(error.why, item["why"].get<std::string>()) << name;
    EXPECT_FALSE(error.advice.empty()) << name;
  }
}

TEST(malformed_import, every_file_of_the_folder_is_expected) {
  std::set<std::string> listed{"expected.json"}, there;
  for (const auto& item : expected()) listed.insert(item["file"]);
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(ARCWISE_TESTDATA) + "/malformed/import"))
    there.insert(entry.path().filename());
  EXPECT_EQ(listed, there);
  EXPECT_GE(there.size(), 60U);
}

TEST(malformed_import, a_line_of_a_hundred_megabytes_is_refused_without_copying_it) {
  for (const char* format : {"nodetool-ring", "nodetool-status", "nodetool-describering", "cluster-nodes"}) {
    const Error error = refused({{"long.txt", "\n" + std::string(100'000'000, 'a') + "\n"}}, from(format));
    EXPECT_EQ(error.where.line, 2U);
    EXPECT_THAT(error.why, HasSubstr("100000000 bytes"));
    EXPECT_LT(error.what.size(), 200U);
  }
  EXPECT_FALSE(
      parse(std::vector{Source{"long.yml", "cache:\n  servers:\n    - " + std::string(100'000'000, 'a')}},
            from("nutcracker")));
}

TEST(malformed_import, the_longest_line_that_is_taken_is_a_mebibyte) {
  EXPECT_TRUE(text_lines({"x", std::string(max_line_bytes, 'a') + "\r\n"}));
  EXPECT_FALSE(text_lines({"x", std::string(max_line_bytes + 1, 'a')}));
}

TEST(malformed_import, cutting_a_file_anywhere_never_crashes_and_blames_the_end) {
  for (const char* path : {"cassandra/nodetool-ring-vnodes.txt", "cassandra/nodetool-status-single-token.txt",
                           "cassandra/nodetool-describering.txt", "redis/cluster-nodes.txt"}) {
    const Source whole = sample(path);
    for (std::size_t length = 1; length < whole.bytes.size(); length += 13) {
      const std::string text = whole.bytes.substr(0, length);
      const auto cluster = parse(std::vector{Source{path, text}}, {});
      const auto lines = static_cast<std::uint32_t>(1 + std::count(text.begin(), text.end(), '\n'));
      if (!cluster) {
        EXPECT_LE(cluster.error().where.line, lines) << path << " " << length;
      }
    }
  }
}

}  // namespace
}  // namespace arcwise
