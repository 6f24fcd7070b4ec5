#include "format/svg_cluster.hpp"

#include <algorithm>
#include <numeric>

#include "format/svg_canvas.hpp"
#include "format/svg_ring.hpp"
#include "format/table_numbers.hpp"
#include "format/table_text.hpp"

namespace arcwise {
namespace {

constexpr double margin = 28, header = 78, footer = 40;
constexpr double ring_radius = 212, ring_space = 2 * (ring_radius + 40);
constexpr std::size_t most_rows = 48, name_columns = 18;
constexpr double name_width = 132, value_width = 118, bar_width = 220;

struct Rows {
  std::vector<std::size_t> order;  ///< nodes to show
  std::size_t hidden = 0;
  double height = 22;
};

// All nodes in list order; of a large cluster the fullest and the emptiest.
Rows choose_rows(const Ownership& ownership) {
  Rows rows;
  rows.order.resize(ownership.nodes.size());
  std::iota(rows.order.begin(), rows.order.end(), std::size_t{0});
  if (rows.order.size() > most_rows) {
    std::stable_sort(rows.order.begin(), rows.order.end(), [&](std::size_t a, std::size_t b) {
      return ownership.nodes[a].ratio() > ownership.nodes[b].ratio();
    });
    rows.hidden = rows.order.size() - most_rows;
    rows.order.erase(rows.order.begin() + most_rows / 2, rows.order.end() - most_rows / 2);
  }
  if (rows.order.size() > 20) rows.height = std::max(14.0, 440.0 / static_cast<double>(rows.order.size()));
  return rows;
}

double scale_of(const Ownership& ownership) {
  double most = 0;
  for (const NodeOwnership& own : ownership.nodes) most = std::max({most, own.effective.value(), own.target});
  return most > 0 ? bar_width / most : 0;
}

// Rows of swatch and name, with a bar and the target's mark where `bars`, else with the share as first owner.
double draw_rows(SvgCanvas& canvas, const Placement& placement, const Ownership& ownership,
                 const NodeSet& down, const std::vector<std::string>& colours, Point at, bool bars) {
  const Rows rows = choose_rows(ownership);
  const double scale = scale_of(ownership), bar_x = at.x + name_width + 18,
               end_x = bar_x + bar_width + value_width;
  canvas.text({at.x, at.y}, bars ? "held, any copy" : "first owner of", "faint");
  if (bars) {
    canvas.line({bar_x + 4, at.y - 9}, {bar_x + 4, at.y + 1}, "mark");
    canvas.text({bar_x + 11, at.y}, "target by weight", "faint");
    canvas.text({end_x, at.y}, "of target", "faint", Anchor::end);
  }
  double y = at.y + 12;
  const double thick = std::min(14.0, rows.height - 4);
  for (std::size_t i : rows.order) {
    const Node& node = placement.map().nodes()[i];
    const NodeOwnership& own = ownership.nodes[i];
    const bool is_down = down.contains(static_cast<NodeIndex>(i));
    const double base = y + thick / 2 + 4.5;
    const std::string look = "rx=\"2\" fill=\"" + colours[i] + "\"" + (is_down ? " opacity=\".3\"" : "");
    canvas.rect({at.x, y + thick / 2 - 5}, 10, 10, look);
    canvas.text({at.x + 17, base}, shortened(node.name, name_columns), "row");
    if (bars) {
      canvas.rect({bar_x, y}, bar_width, thick, "class=\"track\" rx=\"2\"");
      canvas.rect({bar_x, y}, std::max(0.5, scale * own.effective.value()), thick, look);
      if (own.target > 0)
        canvas.line({bar_x + scale * own.target, y - 2}, {bar_x + scale * own.target, y + thick + 2}, "mark");
      canvas.text({bar_x + bar_width + 62, base}, per_cent(own.effective.value()), "number", Anchor::end);
      canvas.text({end_x, base},
                  is_down          ? "down"
                  : own.target > 0 ? times(own.ratio())
                                   : "joining",
                  "number", Anchor::end);
    } else {
      canvas.text({at.x + 230, base}, per_cent(own.share.value()) + (is_down ? ", down" : ""), "number",
                  Anchor::end);
    }
    y += rows.height;
  }
  if (rows.hidden) {
    canvas.text({at.x, y + 10}, "… and " + counted(rows.hidden) + " nodes between these", "faint");
    y += 20;
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
  const auto colours = node_colours(placement.map().nodes().size());
  SvgCanvas canvas;
  canvas.text({margin, 42}, picture.title, "title");
  canvas.text({margin, 64}, picture.subtitle, "faint");
  double bottom = header;
  if (ring) {
    const RingShape shape{{margin + ring_space / 2, header + ring_space / 2}, ring_radius};
    draw_ring(canvas, placement, down, colours, shape);
    draw_middle(canvas, placement, ownership, shape.centre);
    bottom += ring_space;
  }
  const double left = ring ? margin + ring_space + 30 : margin;
  const double rows_height =
      choose_rows(ownership).height * static_cast<double>(choose_rows(ownership).order.size()) + 24;
  const double top = ring ? std::max(header + 20, header + (ring_space - rows_height) / 2) : header + 20;
  bottom = std::max(bottom, draw_rows(canvas, placement, ownership, down, colours, {left, top}, bars) + 8);
  const double width = left + (bars ? name_width + 18 + bar_width + value_width : 240) + margin;
  canvas.text({margin, bottom + 18}, caption(placement, ring, bars), "small");
  return canvas.finish(width, bottom + footer, picture.title, picture.subtitle);
}

}  // namespace arcwise
