#include "format/svg_cluster.hpp"

#include <algorithm>

#include "format/svg_canvas.hpp"
#include "format/svg_ring.hpp"
#include "format/table_numbers.hpp"
#include "format/table_order.hpp"
#include "format/table_text.hpp"

namespace arcwise {
namespace {

constexpr double margin = 28, header = 78, footer = 40;
constexpr double ring_radius = 212, ring_space = 2 * (ring_radius + 40);
constexpr std::size_t most_rows = 32, name_columns = 18;
constexpr double name_width = 132, value_width = 118, bar_beside_ring = 220, bar_alone = 470;
constexpr double list_width = 230;

struct Rows {
  std::vector<std::size_t> order;  ///< nodes to show
  std::size_t hidden = 0;
  double height = 22;
};

// Every node; of a large cluster those that hold most and least.
Rows choose_rows(const Placement& placement, const Ownership& ownership, bool bars) {
  Rows rows;
  rows.order = reading_order(placement);
  if (rows.order.size() > most_rows) {
    const auto held = [&](std::size_t i) {
      return bars ? ownership.nodes[i].ratio() : ownership.nodes[i].share.value();
    };
    std::stable_sort(rows.order.begin(), rows.order.end(),
                     [&](std::size_t a, std::size_t b) { return held(a) > held(b); });
    rows.hidden = rows.order.size() - most_rows;
    rows.order.erase(rows.order.begin() + most_rows / 2, rows.order.end() - most_rows / 2);
  }
  if (rows.order.size() > 20) rows.height = std::max(14.0, 440.0 / static_cast<double>(rows.order.size()));
  return rows;
}

double height_of(const Rows& rows) {
  return rows.height * static_cast<double>(rows.order.size() + (rows.hidden ? 1 : 0));
}

double largest(const Ownership& ownership) {
  double most = 0;
  for (const NodeOwnership& own : ownership.nodes) most = std::max({most, own.effective.value(), own.target});
  return most;
}

struct RowStyle {
  double bar_x = 0, bar_width = 0, end_x = 0, thick = 0;
  double scale = 0;   ///< width of a whole share
  bool bars = false;  ///< else only the share as first owner
  int digits = 1;
};

// The digits that tell the smallest value apart, so that all stand below each other.
int digits_of(const Ownership& ownership, bool bars) {
  double smallest = 1;
  for (const NodeOwnership& own : ownership.nodes) {
    const double value = bars ? own.effective.value() : own.share.value();
    if (value > 0) smallest = std::min(smallest, value);
  }
  return std::min(3, percent_digits(smallest));
}

void draw_row(SvgCanvas& canvas, const Node& node, const NodeOwnership& own, bool down,
              const std::string& colour, Point at, const RowStyle& style) {
  const double base = at.y + style.thick / 2 + 4.5;
  const std::string look = "rx=\"2\" fill=\"" + colour + "\"" + (down ? " opacity=\".3\"" : "");
  canvas.rect({at.x, at.y + style.thick / 2 - 5}, 10, 10, look);
  canvas.text({at.x + 17, base}, shortened(node.name, name_columns), "row");
  if (!style.bars) {
    const std::string share = per_cent(own.share.value(), style.digits) + (down ? ", down" : "");
    return canvas.text({style.end_x, base}, share, "number", Anchor::end);
  }
  canvas.rect({style.bar_x, at.y}, style.bar_width, style.thick, "class=\"track\" rx=\"2\"");
  canvas.rect({style.bar_x, at.y}, std::max(0.5, style.scale * own.effective.value()), style.thick, look);
  const double mark = style.bar_x + style.scale * own.target;
  if (own.target > 0) canvas.line({mark, at.y - 2}, {mark, at.y + style.thick + 2}, "mark");
  canvas.text({style.bar_x + style.bar_width + 62, base}, per_cent(own.effective.value(), style.digits),
              "number", Anchor::end);
  const std::string ratio = own.target > 0 ? times(own.ratio()) : "joining";
  canvas.text({style.end_x, base}, down ? "down" : ratio, "number", Anchor::end);
}

// Rows of swatch and name, with a bar of `bar_width` and the target's mark; without bars for a width of 0.
double draw_rows(SvgCanvas& canvas, const Placement& placement, const Ownership& ownership,
                 const NodeSet& down, const std::vector<std::string>& colours, Point at, double bar_width) {
  const bool bars = bar_width > 0;
  const Rows rows = choose_rows(placement, ownership, bars);
  RowStyle style;
  style.bars = bars;
  style.bar_x = at.x + name_width + 18;
  style.bar_width = bar_width;
  style.end_x = bars ? style.bar_x + bar_width + value_width : at.x + list_width;
  style.thick = std::min(14.0, rows.height - 4);
  style.scale = bar_width / std::max(1e-9, largest(ownership));
  style.digits = digits_of(ownership, bars);
  canvas.text({at.x, at.y}, bars ? "held, any copy" : "first owner of", "faint");
  if (bars) {
    canvas.line({style.bar_x + 4, at.y - 9}, {style.bar_x + 4, at.y + 1}, "mark");
    canvas.text({style.bar_x + 11, at.y}, "target by weight", "faint");
    canvas.text({style.end_x, at.y}, "of target", "faint", Anchor::end);
  }
  double y = at.y + 12;
  for (std::size_t row = 0; row < rows.order.size(); ++row) {
    if (rows.hidden && row == most_rows / 2) {
      canvas.text({at.x + 17, y + style.thick / 2 + 4.5}, "… " + counted(rows.hidden) + " nodes between",
                  "faint");
      y += rows.height;
    }
    const std::size_t i = rows.order[row];
    draw_row(canvas, placement.map().nodes()[i], ownership.nodes[i], down.contains(static_cast<NodeIndex>(i)),
             colours[i], {at.x, y}, style);
    y += rows.height;
  }
  return y;
}

void draw_middle(SvgCanvas& canvas, const Placement& placement, const Ownership& ownership, Point centre) {
  const ClusterMap& map = placement.map();
  canvas.text({centre.x, centre.y - 8}, counted(map.nodes().size(), "node", "nodes"), "big", Anchor::middle);
  const std::string entries = map.placement().recipe->points == PointRule::table
                                  ? counted(ownership.regions, "range", "ranges")
                                  : counted(ownership.ring_entries, "token", "tokens");
  canvas.text({centre.x, centre.y + 15}, entries, "text", Anchor::middle);
  const std::uint32_t copies = map.replicas().count;
  const std::string level = map.replicas().across == Across::node || copies == 1
                                ? ""
                                : " across " + std::string(to_string(map.replicas().across)) + "s";
  canvas.text({centre.x, centre.y + 34}, counted(copies, "copy", "copies") + level, "text", Anchor::middle);
}

std::string caption(const Placement& placement, bool ring, bool bars) {
  std::string out;
  if (ring && placement.max_owners() > 1) out = "Outer band: first owner; inner bands: the further copies. ";
  if (ring && ring_is_sampled(placement))
    out += counted(placement.region_count()) + " ranges, drawn in steps of a quarter of a degree. ";
  if (bars) out += "Key space, not bytes and not traffic.";
  return out;
}

}  // namespace

std::string cluster_svg(const Placement& placement, const Ownership& ownership, const NodeSet& down,
                        const Picture& picture) {
  const bool ring = picture.kind != PictureKind::ownership && placement.traits().enumerable;
  const bool bars = picture.kind != PictureKind::ring || !ring;
  const double bar_width = !bars ? 0 : ring ? bar_beside_ring : bar_alone;
  const auto colours = node_colours(placement.map().nodes().size());
  SvgCanvas canvas;
  canvas.text({margin, 42}, shortened(picture.title, 56), "title");
  canvas.text({margin, 64}, picture.subtitle, "faint");
  double bottom = header;
  if (ring) {
    const RingShape shape{{margin + ring_space / 2, header + ring_space / 2}, ring_radius};
    draw_ring(canvas, placement, down, colours, shape);
    draw_middle(canvas, placement, ownership, shape.centre);
    bottom += ring_space;
  }
  const double left = ring ? margin + ring_space + 30 : margin;
  const double rows_height = height_of(choose_rows(placement, ownership, bars)) + 24;
  const double top = header + std::max(20.0, ring ? (ring_space - rows_height) / 2 : 0);
  bottom =
      std::max(bottom, draw_rows(canvas, placement, ownership, down, colours, {left, top}, bar_width) + 8);
  const double width = left + (bars ? name_width + 18 + bar_width + value_width : list_width) + margin;
  canvas.text({margin, bottom + 18}, caption(placement, ring, bars), "small");
  return canvas.finish(width, bottom + footer, picture.title, picture.subtitle);
}

}  // namespace arcwise
