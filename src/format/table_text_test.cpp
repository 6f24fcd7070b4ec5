#include "format/table_text.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "format/table_numbers.hpp"

namespace arcwise {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string without_colour(std::string text) {
  for (std::size_t at; (at = text.find('\x1b')) != std::string::npos;)
    text.erase(at, text.find('m', at) - at + 1);
  return text;
}

TEST(TableText, aligns_columns_and_leaves_out_empty_ones) {
  Table table({{"node"}, {"rack"}, {"share", true}});
  table.row({"a", "", "5 %"}).row({"größer", "", "100 %"}).note("… 2 more");
  EXPECT_EQ(table.text(false),
            "node    share\n"
            "a         5 %\n"
            "größer  100 %\n"
            "… 2 more\n");
}

TEST(TableText, colour_changes_no_text) {
  Table table({{"node"}, {"share", true}});
  table.row({{"a", Tone::bad}, {"5 %", Tone::good}}).row({"bb", "7 %"});
  EXPECT_NE(table.text(true), table.text(false));
  EXPECT_EQ(without_colour(table.text(true)), table.text(false));
}

TEST(TableText, wraps_between_words_and_keeps_per_cent_with_its_number) {
  EXPECT_EQ(wrapped("one two three", 9, 2), "one two\n  three");
  EXPECT_EQ(wrapped("abcdef 88.7 % x", 13, 0), "abcdef 88.7 %\nx");
  EXPECT_EQ(wrapped("abcdefg 88.7 % x", 13, 0), "abcdefg 88.7 %\nx");
  EXPECT_EQ(wrapped("", 10, 2), "");
}

RC_GTEST_PROP(TableText, wrapping_loses_no_word, ()) {
  const auto words = *rc::gen::container<std::vector<std::string>>(
      rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange('a', 'z'))));
  std::string text;
  for (const std::string& w : words) text += (text.empty() ? "" : " ") + w;
  std::string joined = wrapped(text, 20, 3);
  for (const std::string& line : lines_of(joined))
    RC_ASSERT(line.size() <= 20 || line.find(' ', 3) == std::string::npos);
  for (std::size_t at; (at = joined.find("\n   ")) != std::string::npos;) joined.replace(at, 4, " ");
  RC_ASSERT(joined == text);
}

RC_GTEST_PROP(TableText, a_shortened_text_has_the_width_asked_for_and_both_ends, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::inRange('a', 'z'));
  const auto columns = *rc::gen::inRange<std::size_t>(5, 30);
  const std::string out = shortened(text, columns);
  RC_ASSERT(text_width(out) == std::min(text.size(), columns));
  if (text.empty()) return;
  RC_ASSERT(out.starts_with(text.front()));
  RC_ASSERT(out.ends_with(text.back()));
}

TEST(TableText, shortening_cuts_between_code_points) {
  EXPECT_EQ(shortened("ääööüü", 5), "ää…üü");
  EXPECT_EQ(shortened("ääöüü", 5), "ääöüü");
}

TEST(TableText, what_would_act_on_a_terminal_is_written_out) {
  EXPECT_EQ(printable("a\x1b[31m\n\x7f\xc3\xa4"), "a\\x1b[31m\\x0a\\x7f\xc3\xa4");
}

TEST(TableNumbers, per_cent_keeps_two_digits_of_what_is_small_or_nearly_whole) {
  EXPECT_EQ(per_cent(0), "0 %");
  EXPECT_EQ(per_cent(1), "100 %");
  EXPECT_EQ(per_cent(3), "300.0 %");
  EXPECT_EQ(per_cent(1.0 / 3), "33.3 %");
  EXPECT_EQ(per_cent(0.0756), "7.6 %");
  EXPECT_EQ(per_cent(0.000024), "0.0024 %");
  EXPECT_EQ(per_cent(0.999976), "99.9976 %");
}

RC_GTEST_PROP(TableNumbers, only_nothing_reads_as_0_and_only_all_as_100_per_cent, ()) {
  const double value = std::ldexp(1.0, -*rc::gen::inRange(1, 54));
  RC_ASSERT(per_cent(value) != "0 %" && per_cent(value).find_first_of("123456789") != std::string::npos);
  // Nearer than 1e-11 to 1 is what adding up shares may be off by.
  if (value > 1e-11) RC_ASSERT(per_cent(1 - value).find("100") == std::string::npos);
}

TEST(TableNumbers, counts_have_commas_and_units) {
  EXPECT_EQ(counted(0), "0");
  EXPECT_EQ(counted(999), "999");
  EXPECT_EQ(counted(1000), "1,000");
  EXPECT_EQ(counted(25600000), "25,600,000");
  EXPECT_EQ(counted(1, "node", "nodes"), "1 node");
  EXPECT_EQ(counted(1200, "node", "nodes"), "1,200 nodes");
  EXPECT_EQ(times(1.0832), "1.08×");
  EXPECT_EQ(times(0.0123), "0.012×");
}

TEST(TableNumbers, a_column_gets_the_digits_of_its_smallest_value) {
  EXPECT_EQ(percent_digits(0.25), 1);
  EXPECT_EQ(percent_digits(0.011), 1);
  EXPECT_EQ(percent_digits(0.0036), 2);
  EXPECT_EQ(percent_digits(0.00005), 4);
  EXPECT_EQ(percent_digits(0), 1);
}

}  // namespace
}  // namespace arcwise
