// Pieces of an SVG: escaped text, arcs, node colours, and a frame that reads in light and in dark.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace arcwise {

/// Text for XML: markup escaped, bytes that XML forbids replaced by U+FFFD.
std::string xml_text(std::string_view text);

/// A colour for each of `count` nodes, as "#rrggbb": far apart for neighbours in the list, told apart on
/// white and black.
std::vector<std::string> node_colours(std::size_t count);

/// A coordinate with at most two decimals: "12.5".
std::string coordinate(double value);

struct Point {
  double x = 0, y = 0;
};
/// The point at a fraction of a turn, clockwise from the top.
Point on_circle(Point centre, double radius, double turn);

/// Path data of a piece of a band, from one fraction of a turn to a later one (at most one turn later).
std::string band_piece(Point centre, double outer, double inner, double from, double to);

enum class Anchor : unsigned char { start, middle, end };

/// Builds the body; finish() puts the frame around it.
class SvgCanvas {
 public:
  void text(Point at, std::string_view text, std::string_view style_class, Anchor anchor = Anchor::start);
  void rect(Point at, double width, double height, std::string_view attributes);
  void line(Point from, Point to, std::string_view style_class);
  /// Ready markup.
  void raw(std::string_view markup) { body_ += markup; }
  /// `title` and `description` are what a screen reader says.
  std::string finish(double width, double height, std::string_view title, std::string_view description) const;

 private:
  std::string body_;
};

}  // namespace arcwise
