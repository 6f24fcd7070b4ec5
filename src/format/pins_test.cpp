#include "format/pins.hpp"

#include <gtest/gtest.h>

namespace arcwise {
namespace {

std::string fault(const std::string& text) {
  const auto read = parse_pins({"pins", text});
  return read ? "" : to_string(read.error());
}

TEST(Pins, lines_pin_and_exclude_single_partitions_and_ranges) {
  const auto read = parse_pins({"pins", "# by tenant\npin 5 n2\n\n  exclude 100-199\ta b \r\npin 0 n1"});
  ASSERT_TRUE(read.ok()) << to_string(read.error());
  ASSERT_EQ(read->pins.size(), 2U);
  EXPECT_EQ(read->pins[0].first, 5U);
  EXPECT_EQ(read->pins[0].last, 5U);
  EXPECT_EQ(read->pins[0].node, "n2");
  ASSERT_EQ(read->exclusions.size(), 1U);
  EXPECT_EQ(read->exclusions[0].first, 100U);
  EXPECT_EQ(read->exclusions[0].last, 199U);
  EXPECT_EQ(read->exclusions[0].node, "a b");
}

TEST(Pins, what_is_no_rule_is_refused_with_its_line) {
  for (const char* line : {"pin", "pin 5", "pin n2 5", "keep 5 n2", "pin 5- n2", "pin 9-3 n2", "pin -1 n2",
                           "pin 4294967296 n2", "exclude 1,2 n2"})
    EXPECT_NE(fault("pin 5 n2\n" + std::string(line)).find("pins:2:1"), std::string::npos)
        << line << ": " << fault("pin 5 n2\n" + std::string(line));
  EXPECT_NE(fault("# nothing\n").find("no partition is pinned"), std::string::npos);
  EXPECT_NE(fault("").find("no partition is pinned"), std::string::npos);
}

}  // namespace
}  // namespace arcwise
