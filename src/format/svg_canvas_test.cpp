#include "format/svg_canvas.hpp"

#include <gtest/gtest.h>

#include <set>

namespace arcwise {
namespace {

TEST(SvgCanvas, text_is_escaped_and_what_xml_forbids_is_replaced) {
  EXPECT_EQ(xml_text("a<b>&\"c\""), "a&lt;b&gt;&amp;&quot;c&quot;");
  EXPECT_EQ(xml_text("x\x01y"), "x\xEF\xBF\xBDy");
  EXPECT_EQ(xml_text("ä"), "ä");
  EXPECT_EQ(xml_text("\xff"), "\xEF\xBF\xBD");
}

TEST(SvgCanvas, a_turn_starts_at_the_top_and_goes_clockwise) {
  const Point quarter = on_circle({100, 100}, 50, 0.25), top = on_circle({100, 100}, 50, 0);
  EXPECT_EQ(coordinate(top.x) + " " + coordinate(top.y), "100 50");
  EXPECT_EQ(coordinate(quarter.x) + " " + coordinate(quarter.y), "150 100");
}

// A quarter of a band, by hand: outer arc from the top to the right, line inwards, inner arc back.
TEST(SvgCanvas, a_piece_of_a_band_has_two_arcs) {
  EXPECT_EQ(band_piece({0, 0}, 10, 5, 0, 0.25), "M0 -10A10 10 0 0 1 10 0L5 0A5 5 0 0 0 0 -5Z");
}

TEST(SvgCanvas, a_whole_turn_is_drawn_in_halves) {
  EXPECT_EQ(band_piece({0, 0}, 10, 5, 0, 1),
            band_piece({0, 0}, 10, 5, 0, 0.5) + band_piece({0, 0}, 10, 5, 0.5, 1));
}

TEST(SvgCanvas, coordinates_are_short) {
  EXPECT_EQ(coordinate(1.5), "1.5");
  EXPECT_EQ(coordinate(-0.001), "0");
  EXPECT_EQ(coordinate(3), "3");
  EXPECT_EQ(coordinate(2.345), "2.35");
}

TEST(SvgCanvas, nodes_have_colours_of_their_own) {
  for (std::size_t count : {1, 10, 11, 60}) {
    const auto colours = node_colours(count);
    EXPECT_EQ(std::set<std::string>(colours.begin(), colours.end()).size(), count);
    for (const std::string& c : colours) EXPECT_TRUE(c.size() == 7 && c[0] == '#') << c;
  }
}

}  // namespace
}  // namespace arcwise
