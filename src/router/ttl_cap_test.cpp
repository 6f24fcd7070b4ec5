#include "router/ttl_cap.hpp"

#include <gtest/gtest.h>

namespace arcwise::router {
namespace {

constexpr std::int64_t now = 1'800'000'000;
constexpr TtlCap cap{std::chrono::seconds(10), now};

std::string capped(std::string_view exptime, const TtlCap& by = cap) {
  std::string out;
  append_capped(out, exptime, by);
  return out;
}

TEST(ttl_cap, no_time_is_longer_than_the_cap_and_none_is_made_longer) {
  EXPECT_EQ(capped("0"), "10") << "0 is for ever";
  EXPECT_EQ(capped("9"), "9");
  EXPECT_EQ(capped("11"), "10");
  EXPECT_EQ(capped("2592000"), "10");
  EXPECT_EQ(capped("-1"), "-1");
  EXPECT_EQ(capped(std::to_string(now + 4)), "4") << "a date";
  EXPECT_EQ(capped(std::to_string(now + 400)), "10");
  EXPECT_EQ(capped(std::to_string(now - 4)), std::to_string(now - 4)) << "a date that is over";
  EXPECT_EQ(capped(std::to_string(now + 4), {std::chrono::seconds(10), 0}), "10") << "the date is not known";
}

TEST(ttl_cap, every_command_that_says_a_time_is_capped) {
  const auto rest = [](const std::string& line) {
    McRequest request;
    const std::string bytes = line + "\r\nxx\r\n";
    parse_memcached(bytes, {}, request);
    std::string out;
    append_capped_rest(out, request, cap);
    return out;
  };
  EXPECT_EQ(rest("set a 7 0 2"), " 7 10 2");
  EXPECT_EQ(rest("add a 7 3 2"), " 7 3 2");
  EXPECT_EQ(rest("replace a 7 100 2"), " 7 10 2");
  EXPECT_EQ(rest("cas a 7 100 2 55"), " 7 10 2 55");
  EXPECT_EQ(rest("touch a 100"), " 10");
  EXPECT_EQ(rest("append a 7 100 2"), " 7 100 2") << "it changes no time";
  EXPECT_EQ(rest("incr a 100"), " 100");
  const auto flags = [](McVerb verb, std::string_view text) {
    std::string out;
    append_capped_flags(out, verb, text, cap);
    return out;
  };
  EXPECT_EQ(flags(McVerb::meta_set, " 2 F1 T100"), " 2 F1 T10");
  EXPECT_EQ(flags(McVerb::meta_set, " 2 F1"), " 2 F1 T10");
  EXPECT_EQ(flags(McVerb::meta_get, " v T0 N50"), " v T10 N10");
  EXPECT_EQ(flags(McVerb::meta_arithmetic, " N0 J5"), " N10 J5");
  EXPECT_EQ(flags(McVerb::meta_get, " v"), " v");
}

}  // namespace
}  // namespace arcwise::router
