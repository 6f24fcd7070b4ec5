#include "router/memcached_key.hpp"

#include <gtest/gtest.h>

#include <string>

namespace arcwise::router {
namespace {

std::string meant(std::string_view key, bool encoded = true) {
  return std::string(McKey(key, encoded).view());
}

TEST(memcached_key, in_base64_the_decoded_key_is_meant) {
  EXPECT_EQ(meant("Zm9v"), "foo");
  EXPECT_EQ(meant("Zm8="), "fo");
  EXPECT_EQ(meant("Zg=="), "f");
  EXPECT_EQ(meant("/+8A"), std::string("\xff\xef\0", 3));
  EXPECT_EQ(meant("Z!m9v-"), "foo") << "what is no digit is passed over, as by memcached";
  EXPECT_EQ(meant("Zm8=Zm8="), "fo") << "padding ends it";
}

TEST(memcached_key, else_the_key_as_it_is_written) {
  EXPECT_EQ(meant("Zm9v", false), "Zm9v");
  EXPECT_EQ(meant("Zm9"), "Zm9");
  EXPECT_EQ(meant("Zm!v"), "Zm!v");
  EXPECT_EQ(meant("Z==="), "Z===");
  EXPECT_EQ(meant(std::string(252, 'A')), std::string(252, 'A'));
}

TEST(memcached_key, a_key_that_stands_in_no_line_is_deleted_by_base64) {
  EXPECT_EQ(mc_deletion("foo").command, "delete foo\r\n");
  EXPECT_EQ(mc_deletion("a\r\nb").command, "md YQ0KYg== b\r\n");
  EXPECT_EQ(meant("YQ0KYg=="), "a\r\nb");
}

}  // namespace
}  // namespace arcwise::router
