#include "router/memcached_key.hpp"

#include <gtest/gtest.h>

#include <string>

namespace arcwise::router {
namespace {

std::string meant(std::string_view key, std::string_view flags) {
  return std::string(McKey(key, flags).view());
}

TEST(memcached_key, in_base64_the_decoded_key_is_meant) {
  EXPECT_EQ(meant("Zm9v", " v b"), "foo");
  EXPECT_EQ(meant("Zm8=", " b"), "fo");
  EXPECT_EQ(meant("Zg==", " b t"), "f");
  EXPECT_EQ(meant("/+8A", " b"), std::string("\xff\xef\0", 3));
}

TEST(memcached_key, else_the_key_as_it_is_written) {
  EXPECT_EQ(meant("Zm9v", " v Ob"), "Zm9v");
  EXPECT_EQ(meant("Zm9", " b"), "Zm9");
  EXPECT_EQ(meant("Zm!v", " b"), "Zm!v");
  EXPECT_EQ(meant("Z===", " b"), "Z===");
  EXPECT_EQ(meant(std::string(252, 'A'), " b"), std::string(252, 'A'));
}

TEST(memcached_key, a_key_that_stands_in_no_line_is_deleted_by_base64) {
  EXPECT_EQ(mc_deletion("foo").command, "delete foo\r\n");
  EXPECT_EQ(mc_deletion("a\r\nb").command, "md YQ0KYg== b\r\n");
  EXPECT_EQ(meant("YQ0KYg==", " b"), "a\r\nb");
}

}  // namespace
}  // namespace arcwise::router
