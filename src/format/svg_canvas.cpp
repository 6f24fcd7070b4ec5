#include "format/svg_canvas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "format/json_text.hpp"

namespace arcwise {
namespace {

// The dark rules come last and change only what the light ones set, so a viewer without media queries shows
// light.
constexpr std::string_view style = R"(<style>
text { font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1c2430; }
.paper { fill: #ffffff; }
.title { font-size: 22px; font-weight: 600; }
.big { font-size: 26px; font-weight: 600; }
.text { font-size: 13px; }
.row { font-size: 12px; }
.faint { font-size: 12px; fill: #66707d; }
.small { font-size: 11px; fill: #66707d; }
.number { font-size: 12px; font-variant-numeric: tabular-nums; }
.rule { stroke: #c6ccd4; stroke-width: 1; }
.mark { stroke: #1c2430; stroke-width: 2; }
.track { fill: #eef1f4; }
.nobody { fill: none; stroke: #d1242f; stroke-width: 1.2; stroke-dasharray: 3 2; }
@media (prefers-color-scheme: dark) {
text { fill: #e6e9ee; }
.paper { fill: #14181f; }
.faint, .small { fill: #97a1af; }
.rule { stroke: #3a424e; }
.mark { stroke: #e6e9ee; }
.track { fill: #222833; }
}
</style>
)";

// OKLCH to sRGB (Björn Ottosson's OKLab): equal steps of hue look equally far apart.
std::string from_oklch(double lightness, double chroma, double hue_turns) {
  const double h = 2 * std::numbers::pi * hue_turns;
  const double a = chroma * std::cos(h), b = chroma * std::sin(h);
  const auto cubed = [](double v) { return v * v * v; };
  const double l = cubed(lightness + 0.3963377774 * a + 0.2158037573 * b);
  const double m = cubed(lightness - 0.1055613458 * a - 0.0638541728 * b);
  const double s = cubed(lightness - 0.0894841775 * a - 1.2914855480 * b);
  const auto byte = [](double linear) {
    const double v = std::clamp(linear, 0.0, 1.0);
    const double encoded = v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055;
    return static_cast<int>(std::lround(255 * encoded));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
                     byte(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
                     byte(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s));
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string out;
  const bool utf8 = valid_utf8(text);
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (byte < 0x20 || byte == 0x7f || (byte >= 0x80 && !utf8)) {
      out += "\xEF\xBF\xBD";
    } else {
      out += c;
    }
  }
  return out;
}

std::vector<std::string> node_colours(std::size_t count) {
  static constexpr std::array<std::string_view, 10> few{"#4e79a7", "#f28e2b", "#59a14f", "#e15759",
                                                        "#b07aa1", "#76b7b2", "#edc948", "#9c755f",
                                                        "#ff9da7", "#8c96a3"};
  std::vector<std::string> colours;
  for (std::size_t i = 0; i < count; ++i) {
    if (count <= few.size()) {
      colours.emplace_back(few[i]);
      continue;
    }
    // Steps of the golden ratio never come back near a hue already used; lightness sets apart those that come
    // nearest.
    static constexpr double lightness[] = {0.66, 0.55, 0.76};
    const double hue = std::fmod(0.08 + 0.6180339887498949 * static_cast<double>(i), 1.0);
    colours.push_back(from_oklch(lightness[i % 3], 0.13, hue));
  }
  return colours;
}

std::string coordinate(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

Point on_circle(Point centre, double radius, double turn) {
  const double angle = 2 * std::numbers::pi * turn;
  return {centre.x + radius * std::sin(angle), centre.y - radius * std::cos(angle)};
}

std::string band_piece(Point centre, double outer, double inner, double from, double to) {
  // SVG draws no arc between equal ends, so a whole turn goes in two halves.
  if (to - from > 0.5) {
    const double middle = (from + to) / 2;
    return band_piece(centre, outer, inner, from, middle) + band_piece(centre, outer, inner, middle, to);
  }
  const auto pair = [](Point p) { return coordinate(p.x) + ' ' + coordinate(p.y); };
  const std::string o = coordinate(outer), i = coordinate(inner);
  return "M" + pair(on_circle(centre, outer, from)) + "A" + o + ' ' + o + " 0 0 1 " +
         pair(on_circle(centre, outer, to)) + "L" + pair(on_circle(centre, inner, to)) + "A" + i + ' ' + i +
         " 0 0 0 " + pair(on_circle(centre, inner, from)) + "Z";
}

void SvgCanvas::text(Point at, std::string_view text, std::string_view style_class, Anchor anchor) {
  static constexpr std::string_view anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
  body_ +=
      fmt::format("<text x=\"{}\" y=\"{}\" class=\"{}\"{}>{}</text>\n", coordinate(at.x), coordinate(at.y),
                  style_class, anchors[static_cast<std::size_t>(anchor)], xml_text(text));
}

void SvgCanvas::rect(Point at, double width, double height, std::string_view attributes) {
  body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {}/>\n", coordinate(at.x),
                       coordinate(at.y), coordinate(width), coordinate(height), attributes);
}

void SvgCanvas::line(Point from, Point to, std::string_view style_class) {
  body_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" class=\"{}\"/>\n", coordinate(from.x),
                       coordinate(from.y), coordinate(to.x), coordinate(to.y), style_class);
}

std::string SvgCanvas::finish(double width, double height, std::string_view title,
                              std::string_view description) const {
  const std::string w = coordinate(width), h = coordinate(height);
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
             "role=\"img\" "
             "aria-labelledby=\"title description\">\n<title id=\"title\">{2}</title>\n<desc "
             "id=\"description\">{3}</desc>\n",
             w, h, xml_text(title), xml_text(description)) +
         std::string(style) +
         fmt::format("<rect class=\"paper\" width=\"{}\" height=\"{}\" rx=\"8\"/>\n", w, h) + body_ +
         "</svg>\n";
}

}  // namespace arcwise
