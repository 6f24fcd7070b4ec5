#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "arcwise/format.hpp"

namespace arcwise {
namespace {

TEST(Sizes, are_read_with_decimal_and_binary_units) {
  EXPECT_EQ(parse_size("24TB"), 24e12);
  EXPECT_EQ(parse_size("1.5 GiB"), 1.5 * 1024 * 1024 * 1024);
  EXPECT_EQ(parse_size("250MB/s"), 250e6);
  EXPECT_EQ(parse_size("1GB/s"), 1e9);
  EXPECT_EQ(parse_size("500G"), 500e9);
  EXPECT_EQ(parse_size("64Ki"), 65536);
  EXPECT_EQ(parse_size("1kB"), 1000);
  EXPECT_EQ(parse_size("1KB"), 1000);
  EXPECT_EQ(parse_size("3 PB"), 3e15);
  EXPECT_EQ(parse_size("2 EiB"), 2 * std::pow(1024.0, 6));
  EXPECT_EQ(parse_size("512 B"), 512);
  EXPECT_EQ(parse_size("512/s"), 512);
  EXPECT_EQ(parse_size("1000"), 1000);
  EXPECT_EQ(parse_size("1e12"), 1e12);
  EXPECT_EQ(parse_size("0"), 0);
}

TEST(Sizes, refuse_what_is_not_one) {
  for (const char* text : {"",      " ",     "TB",      "-1GB", "+1GB", "1 XB", "1  GB",  " 1GB",    "1GB ",
                           "1,000", "1GBB",  "1Gi B",   "1iB",  "1gb",  "1Gb",  "1MB/",   "1MB/min", "inf",
                           "nan",   "1e400", "1e300EB", "0x10", "1 ",   "1..5", "1GB/s/s"})
    EXPECT_FALSE(parse_size(text)) << text;
}

TEST(Sizes, are_written_with_three_or_four_digits) {
  EXPECT_EQ(human_bytes(153.8e9), "153.8 GB");
  EXPECT_EQ(human_bytes(1.846e12), "1.85 TB");
  EXPECT_EQ(human_bytes(24e12), "24.0 TB");
  EXPECT_EQ(human_bytes(2e12), "2.00 TB");
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(999), "999 B");
  EXPECT_EQ(human_bytes(1000), "1.00 kB");
  EXPECT_EQ(human_bytes(9995), "10.0 kB");
  EXPECT_EQ(human_bytes(-2e6), "-2.00 MB");
  EXPECT_EQ(human_bytes(5e21), "5000.0 EB");
  EXPECT_EQ(human_bytes(std::numeric_limits<double>::infinity()), "unknown");
  EXPECT_EQ(human_bytes(std::nan("")), "unknown");
}

TEST(Sizes, move_to_the_next_unit_where_rounding_reaches_it) {
  EXPECT_EQ(human_bytes(999.4), "999 B");
  EXPECT_EQ(human_bytes(999.6), "1.00 kB");
  EXPECT_EQ(human_bytes(999'949), "999.9 kB");
  EXPECT_EQ(human_bytes(999'951), "1.00 MB");
}

TEST(Durations, are_written_in_two_units_and_in_seconds) {
  EXPECT_EQ(human_seconds(1846), "30 min 46 s (1,846 s)");
  EXPECT_EQ(human_seconds(7385), "2 h 3 min (7,385 s)");
  EXPECT_EQ(human_seconds(273'600), "3 d 4 h (273,600 s)");
  EXPECT_EQ(human_seconds(60), "1 min 0 s (60 s)");
  EXPECT_EQ(human_seconds(3600), "1 h 0 min (3,600 s)");
  EXPECT_EQ(human_seconds(1e8), "1,157 d 9 h (100,000,000 s)");
}

TEST(Durations, below_a_minute_are_seconds) {
  EXPECT_EQ(human_seconds(0), "0.0 s");
  EXPECT_EQ(human_seconds(7.44), "7.4 s");
  EXPECT_EQ(human_seconds(9.96), "10 s");
  EXPECT_EQ(human_seconds(46.2), "46 s");
  EXPECT_EQ(human_seconds(59.4), "59 s");
  EXPECT_EQ(human_seconds(59.6), "1 min 0 s (60 s)");
  EXPECT_EQ(human_seconds(-5), "-5.0 s");
  EXPECT_EQ(human_seconds(std::nan("")), "unknown");
}

}  // namespace
}  // namespace arcwise
