// libketama, libmemcached, twemproxy and the clients, held against what the programs answered.
#include "place/vectors_testing.hpp"

namespace arcwise {
namespace {

using namespace testing;

const std::vector<std::string>& systems() {
  static const std::vector<std::string> names{"libketama",       "libmemcached", "php-memcached", "twemproxy",
                                              "spymemcached",    "xmemcached",   "uhashring",     "hashring",
                                              "node-memcached",  "go-ketama",    "gomemcache",    "dalli",
                                              "python-memcached"};
  return names;
}

const Configuration* configuration_of(const std::string& file) {
  static const std::vector<Configuration> table = read_table("ketama.table");
  for (const Configuration& c : table)
    if (fits(c.pattern, file)) return &c;
  return nullptr;
}

class vectors_ketama : public ::testing::TestWithParam<std::string> {};

TEST_P(vectors_ketama, every_key_has_the_owner_that_the_program_gave_it) {
  const Configuration* c = configuration_of(GetParam());
  ASSERT_NE(c, nullptr) << "no line of ketama.table says what this file is";
  const Json file = Json::parse(file_text(vectors_dir() + GetParam() + ".json"));
  const std::vector<Server> servers = servers_of(file);
  const Placement placement = compile(map_of(*c, servers));
  ASSERT_GT(expect_owners(placement, servers, file.at("keys")), 0u);
  if (file.contains("points")) expect_points(placement, servers, file["points"]);
  const Json key_hashes = file.value("key_hashes", Json::object());
  for (const auto& [key, hash] : key_hashes.items()) {
    EXPECT_TRUE(placement.hash(key).value == hash.get<std::uint64_t>()) << key;
  }
}

INSTANTIATE_TEST_SUITE_P(every, vectors_ketama, ::testing::ValuesIn(vector_files(systems())),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
                           return name;
                         });

// 127.3.0.42:24801 and 127.3.0.139:24801 share a point, so that files ending in -A and -B tell the tie rules.
TEST(vectors, every_line_of_the_table_has_a_file) {
  for (const Configuration& c : read_table("ketama.table")) {
    const auto files = vector_files(systems());
    EXPECT_TRUE(std::any_of(files.begin(), files.end(), [&](const std::string& f) {
      return configuration_of(f)->pattern == c.pattern;
    })) << c.pattern;
  }
}

}  // namespace
}  // namespace arcwise
