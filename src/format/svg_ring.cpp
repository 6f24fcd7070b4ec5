#include "format/svg_ring.hpp"

#include <algorithm>
#include <array>

#include "format/table_numbers.hpp"

namespace arcwise {
namespace {

constexpr std::size_t most_bands = 5;
constexpr std::size_t most_arcs = 4000;
constexpr std::size_t steps = 1440;
constexpr std::size_t most_ticks = 160;

struct Arc {
  double from = 0, to = 0;  ///< fractions of a turn
  NodeIndex node = no_node;
};

std::size_t bands_of(const Placement& placement) {
  return std::min(most_bands, std::max<std::size_t>(1, placement.max_owners()));
}

void append(std::vector<Arc>& band, double from, double to, NodeIndex node) {
  if (!(to > from)) return;
  if (!band.empty() && band.back().node == node && band.back().to == from) {
    band.back().to = to;
  } else {
    band.push_back({from, to, node});
  }
}

using Bands = std::vector<std::vector<Arc>>;

void append_owners(Bands& bands, double from, double to, std::span<const NodeIndex> owners) {
  for (std::size_t b = 0; b < bands.size(); ++b)
    append(bands[b], from, to, b < owners.size() ? owners[b] : no_node);
}

Bands exact_bands(const Placement& placement) {
  Bands bands(bands_of(placement));
  std::array<NodeIndex, max_replicas> owners;
  const HashDomain& domain = placement.map().domain();
  for (std::size_t i = 0; i < placement.region_count(); ++i) {
    const Region r = placement.region(i);
    const std::size_t n = placement.region_owners(i, {}, owners);
    const double from = share_upto(domain, r.after).value(), to = share_upto(domain, r.upto).value();
    // Only the first region wraps: its part before 0 belongs at the end of the list.
    append_owners(bands, i == 0 ? 0 : from, to, std::span<const NodeIndex>(owners.data(), n));
  }
  const std::size_t n = placement.region_owners(0, {}, owners);
  append_owners(bands, share_upto(domain, placement.region(0).after).value(), 1,
                std::span<const NodeIndex>(owners.data(), n));
  return bands;
}

Bands sampled_bands(const Placement& placement) {
  Bands bands(bands_of(placement));
  std::array<NodeIndex, max_replicas> owners;
  const u128 step = placement.map().domain().last / steps;
  for (std::size_t i = 0; i < steps; ++i) {
    const KeyHash middle{step * i + step / 2};
    const std::size_t n = placement.region_owners(placement.region_at(middle), {}, owners);
    append_owners(bands, static_cast<double>(i) / steps, static_cast<double>(i + 1) / steps,
                  std::span<const NodeIndex>(owners.data(), n));
  }
  return bands;
}

std::string band_title(std::size_t band, const std::string& name, double share) {
  static constexpr std::string_view ordinals[] = {"first", "second", "third", "fourth", "fifth"};
  return name + ": " + std::string(ordinals[band]) + " owner of " + per_cent(share);
}

// One path for each node: a large ring keeps thousands of arcs, but not thousands of elements.
void draw_band(SvgCanvas& canvas, const std::vector<Arc>& arcs, std::size_t band, const Placement& placement,
               const NodeSet& down, const std::vector<std::string>& colours, const RingShape& shape,
               double outer, double inner) {
  const auto& nodes = placement.map().nodes();
  std::vector<std::string> paths(nodes.size() + 1);
  std::vector<double> shares(nodes.size() + 1, 0);
  for (const Arc& arc : arcs) {
    const std::size_t at = arc.node == no_node ? nodes.size() : arc.node;
    paths[at] += band_piece(shape.centre, outer, inner, arc.from, arc.to);
    shares[at] += arc.to - arc.from;
  }
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (paths[i].empty()) continue;
    const bool nobody = i == nodes.size();
    const bool faded = !nobody && down.contains(static_cast<NodeIndex>(i));
    std::string look = nobody
                           ? "class=\"nobody\""
                           : "fill=\"" + colours[i] + "\" stroke=\"" + colours[i] + "\" stroke-width=\".3\"";
    if (faded) look += " opacity=\".3\"";
    const std::string title =
        band_title(band, nobody ? "nobody" : nodes[i].name, shares[i]) + (faded ? " (down)" : "");
    canvas.raw("<path " + look + " d=\"" + paths[i] + "\"><title>" + xml_text(title) + "</title></path>\n");
  }
}

void draw_ticks(SvgCanvas& canvas, const Placement& placement, const std::vector<std::string>& colours,
                const RingShape& shape) {
  if (placement.entry_count() > most_ticks || placement.map().placement().recipe->points == PointRule::table)
    return;
  for (std::size_t i = 0; i < placement.entry_count(); ++i) {
    const auto entry = placement.entry(i);
    if (entry.node == no_node) continue;
    const Point at =
        on_circle(shape.centre, shape.radius + 7, share_upto(placement.map().domain(), entry.token).value());
    canvas.raw("<circle cx=\"" + coordinate(at.x) + "\" cy=\"" + coordinate(at.y) + "\" r=\"2.2\" fill=\"" +
               colours[entry.node] + "\"/>\n");
  }
}

void draw_dial(SvgCanvas& canvas, const RingShape& shape) {
  static constexpr std::string_view labels[] = {"0", "¼", "½", "¾"};
  for (int quarter = 0; quarter < 4; ++quarter) {
    const double turn = quarter / 4.0;
    canvas.line(on_circle(shape.centre, shape.radius + 13, turn),
                on_circle(shape.centre, shape.radius + 19, turn), "rule");
    const Point at = on_circle(shape.centre, shape.radius + 29, turn);
    canvas.text({at.x, at.y + 4}, labels[quarter], "small", Anchor::middle);
  }
}

}  // namespace

bool ring_is_sampled(const Placement& placement) {
  return placement.region_count() * bands_of(placement) > most_arcs;
}

double draw_ring(SvgCanvas& canvas, const Placement& placement, const NodeSet& down,
                 const std::vector<std::string>& colours, const RingShape& shape) {
  const Bands bands = ring_is_sampled(placement) ? sampled_bands(placement) : exact_bands(placement);
  const double first = bands.size() == 1 ? 0.28 : 0.2, others = 0.085, gap = 0.018;
  double outer = shape.radius;
  for (std::size_t b = 0; b < bands.size(); ++b) {
    const double inner = outer - shape.radius * (b == 0 ? first : others);
    draw_band(canvas, bands[b], b, placement, down, colours, shape, outer, inner);
    outer = inner - shape.radius * gap;
  }
  draw_ticks(canvas, placement, colours, shape);
  draw_dial(canvas, shape);
  return outer;
}

}  // namespace arcwise
