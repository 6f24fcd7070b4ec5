#include "format/read_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "arcwise/format.hpp"
#include "format/folder_testing.hpp"

namespace arcwise {
namespace {

class ReadFile : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.file(name); }

  testing::Folder folder_;
};

TEST_F(ReadFile, gives_every_byte) {
  std::string bytes;
  for (int i = 0; i < 300'000; ++i) bytes += static_cast<char>(i * 7);
  std::ofstream(path("bytes"), std::ios::binary) << bytes;
  const auto read = read_file(path("bytes"), bytes.size());
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, bytes);
}

TEST_F(ReadFile, refuses_more_than_the_limit_as_bad_input) {
  std::ofstream(path("big")) << std::string(1001, 'x');
  const auto read = read_file(path("big"), 1000);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ErrorKind::input);
  EXPECT_EQ(to_string(read.error()), path("big") + ": the file is larger than 1.00 kB; give a smaller file");
}

TEST_F(ReadFile, names_a_file_that_cannot_be_read_as_an_io_error) {
  const auto missing = read_file(path("missing"), 1000);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::io);
  EXPECT_EQ(missing.error().where.file, path("missing"));
  EXPECT_NE(missing.error().why.find("No such file"), std::string::npos);
  const auto folder = read_file(folder_.path(), 1000);
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().kind, ErrorKind::io);
}

TEST_F(ReadFile, reads_what_has_no_size) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path("pipe")) << std::string(200'000, 'y'); });
  const auto read = read_file(path("pipe"), 1'000'000);
  writer.join();
  ASSERT_TRUE(read);
  EXPECT_EQ(read->size(), 200'000u);
}

TEST_F(ReadFile, a_pipe_is_refused_without_waiting_where_a_file_is_meant) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const auto read = read_regular_file(path("pipe"), 1000);  // nobody writes to it
  ASSERT_FALSE(read);
  EXPECT_EQ(to_string(read.error()), path("pipe") + ": this is a pipe or a device, and no file; give a file");
  EXPECT_FALSE(read_regular_file("/dev/zero", 1000));
  std::ofstream(path("bytes")) << "abc";
  ASSERT_TRUE(read_regular_file(path("bytes"), 3));
  EXPECT_EQ(*read_regular_file(path("bytes"), 3), "abc");
}

// It has a size of 8 TiB, and no bytes.
TEST_F(ReadFile, what_is_too_large_is_refused_by_its_size_unread) {
  std::ofstream(path("huge")) << "x";
  ASSERT_EQ(::truncate(path("huge").c_str(), off_t{1} << 43), 0);
  for (const auto read : {&read_file, &read_regular_file}) {
    const auto bytes = read(path("huge"), std::uint64_t{1} << 42);
    ASSERT_FALSE(bytes);
    EXPECT_NE(bytes.error().why.find("larger than"), std::string::npos);
  }
}

}  // namespace
}  // namespace arcwise
