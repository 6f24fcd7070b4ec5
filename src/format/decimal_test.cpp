#include "format/decimal.hpp"

#include <gtest/gtest.h>

namespace arcwise {
namespace {

TEST(Decimal, a_number_is_taken_from_the_front_with_the_space_before_a_unit) {
  for (const auto& [text, number, rest] : {std::tuple{"2.5", 2.5, ""},
                                           {"1e6", 1e6, ""},
                                           {"5 TB", 5.0, "TB"},
                                           {"10min", 10.0, "min"},
                                           {"0", 0.0, ""},
                                           {"0x10", 0.0, "x10"},
                                           {"1 ", 1.0, " "}}) {
    std::string_view left = text;
    EXPECT_EQ(take_decimal(left), number) << text;
    EXPECT_EQ(left, rest) << text;
  }
}

TEST(Decimal, what_is_no_finite_decimal_is_refused) {
  for (const char* text : {"", "-1", "+1", " 1", "inf", "nan", "1e999", "1e-999", "x", ".5"}) {
    std::string_view left = text;
    EXPECT_FALSE(take_decimal(left)) << text;
    EXPECT_EQ(left, text);
  }
  EXPECT_EQ(decimal_within("3", 1, 3), 3.0);
  for (const char* text : {"0x1p1", "3.1", "0.9", "2 ", "2x"})
    EXPECT_FALSE(decimal_within(text, 1, 3)) << text;
}

}  // namespace
}  // namespace arcwise
