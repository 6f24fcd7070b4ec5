#include "arcwise/bounded.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "hash/splitmix.hpp"
#include "place/envoy_shuffle.hpp"

namespace arcwise {
namespace {

// What keeps products within 128 bits: 2^50 in progress on each of 2^24 nodes, times 2^16 per cent, times
// 2^36 units of weight.
constexpr std::uint64_t most_load = std::uint64_t{1} << 50;
constexpr std::uint32_t least_percent = 100, most_percent = 65535;
constexpr int unit_bits = 36;

bool may_hold(const Node& node, const ClusterMap& map) {
  if (node.state == NodeState::joining) return false;
  if (node.weight == 0 && !map.placement().recipe->places_unweighted) return false;
  const std::vector<ZoneCount>& zones = map.replicas().per_zone;
  if (zones.empty() || map.placement().recipe->points == PointRule::table) return true;
  return std::any_of(zones.begin(), zones.end(),
                     [&](const ZoneCount& zone) { return zone.zone == node.zone; });
}

// Weights as whole numbers. HAProxy counts 16 points for each unit; elsewhere the largest weight gets 36
// bits, by a power of two, so that whole weights stay exact.
std::vector<std::uint64_t> units_of(const ClusterMap& map, BoundRule rule) {
  double largest = 0;
  for (const Node& node : map.nodes())
    if (may_hold(node, map)) largest = std::max(largest, node.weight);
  int exponent = 0;
  std::frexp(largest, &exponent);
  std::vector<std::uint64_t> units;
  for (const Node& node : map.nodes()) {
    const double weight =
        rule == BoundRule::haproxy ? 16 * node.weight : std::ldexp(node.weight, unit_bits - exponent) + 0.5;
    units.push_back(may_hold(node, map) ? std::max<std::uint64_t>(1, static_cast<std::uint64_t>(weight)) : 0);
  }
  return units;
}

u128 rounded_up(u128 part, u128 whole) noexcept {
  return (part + whole - 1) / whole;
}

std::uint64_t saturated(u128 number) noexcept {
  return static_cast<std::uint64_t>(std::min<u128>(number, ~std::uint64_t{0}));
}

}  // namespace

// What the caps of all nodes have in common at one moment.
class Bounded::Caps {
 public:
  Caps(const Bounded& bounded, std::span<const std::uint64_t> loads, const NodeMask& mask) noexcept
      : bounded_(bounded), loads_(loads), mask_(mask) {
    for (std::size_t n = 0; n < bounded.units_.size(); ++n) {
      if (!takes_more(n)) continue;
      next_ += counted(n);
      all_ += bounded.units_[n];
      ++takers_;
    }
  }

  std::uint64_t of(NodeIndex node) const noexcept {
    if (!takes(node)) return 0;
    return takes_more(node) ? std::min(most(node), saturated(by_rule(node))) : most(node);
  }

  bool has_room(NodeIndex node) const noexcept { return takes_more(node) && counted(node) < by_rule(node); }

 private:
  std::uint64_t most(std::size_t n) const noexcept {
    return n < bounded_.bound_.most.size() ? bounded_.bound_.most[n] : ~std::uint64_t{0};
  }
  std::uint64_t load(std::size_t n) const noexcept { return n < loads_.size() ? loads_[n] : 0; }
  std::uint64_t counted(std::size_t n) const noexcept { return std::min(load(n), most_load); }
  bool takes(std::size_t n) const noexcept {
    return n < bounded_.units_.size() && bounded_.units_[n] != 0 && !mask_.skips(static_cast<NodeIndex>(n));
  }
  // A node at its most is left out like a masked one: what it cannot carry the others do. Worked example,
  // equal nodes, c = 1: one at its most of 2, the other holds 9; of 12 half would be 6, of 10 all is 10.
  bool takes_more(std::size_t n) const noexcept { return takes(n) && load(n) < most(n); }

  u128 by_rule(NodeIndex node) const noexcept {
    const std::uint64_t percent = bounded_.bound_.percent, units = bounded_.units_[node];
    const u128 slots = (next_ * percent + 99) / 100;
    switch (bounded_.bound_.rule) {
      case BoundRule::arcwise:
        return std::max<u128>(1, rounded_up(next_ * percent * (units - rounding()), 100 * all_));
      case BoundRule::haproxy:
        return std::max<u128>(1, dealt_out(slots, node));
      case BoundRule::envoy:
        return std::max<u128>(1, rounded_up(slots * units, all_));
    }
    return 0;
  }

  // A part that is within one unit of a whole number is that number: weights 1e-6 and 1e-7, which are no
  // whole numbers of units, share 110 as 100 and 10, not 101. Rounded up, the parts still add up to all, as
  // long as these units together are less than one request.
  std::uint64_t rounding() const noexcept {
    return next_ * bounded_.bound_.percent * takers_ < 100 * all_ ? 1 : 0;
  }

  // Whole slots are dealt out along the list: what rounding leaves over goes to whoever crosses the next
  // whole number. Worked example, weights 3 and 1 (48 and 16 of 64) and 5 slots: 48·5/64 = 3 and
  // 64·5/64 − 3 = 2.
  u128 dealt_out(u128 slots, NodeIndex node) const noexcept {
    const u128 each = slots / all_, rest = slots % all_;
    const u128 mine = bounded_.units_[node], before = units_before(node);
    return mine * each + (before + mine) * rest / all_ - before * rest / all_;
  }

  std::uint64_t units_before(NodeIndex node) const noexcept {
    if (bounded_.bound_.most.empty() && mask_.words.empty()) return bounded_.units_before_[node];
    std::uint64_t before = 0;
    for (NodeIndex n = 0; n < node; ++n)
      if (takes_more(n)) before += bounded_.units_[n];
    return before;
  }

  const Bounded& bounded_;
  std::span<const std::uint64_t> loads_;
  const NodeMask& mask_;
  u128 next_ = 1;  ///< requests in progress once this one is taken
  u128 all_ = 0;   ///< units of all nodes that may take something
  u128 takers_ = 0;
};

// The candidates of a key with their room.
class Bounded::Picker {
 public:
  Picker(const Bounded& bounded, const Query& query, std::span<const std::uint64_t> loads) noexcept
      : bounded_(bounded), query_(query), caps_(bounded, loads, query.mask) {}

  NodeIndex along_candidates() noexcept {
    bounded_.placement().walk(
        query_, [](void* self, NodeIndex node) noexcept { return static_cast<Picker*>(self)->offer(node); },
        this);
    return found_ != no_node ? found_ : drawn();
  }

  NodeIndex shuffled() noexcept {
    std::array<NodeIndex, 1> primary{no_node};
    const auto& nodes = bounded_.placement().map().nodes();
    if (bounded_.placement().owners(query_, primary) == 1 && has_room(primary[0])) return primary[0];
    EnvoyShuffle order(static_cast<std::uint32_t>(query_.hash.value),
                       static_cast<std::uint32_t>(nodes.size()));
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (const NodeIndex node = order.next(); node != primary[0] && has_room(node)) return node;
    return no_node;
  }

 private:
  bool has_room(NodeIndex node) const noexcept { return caps_.has_room(node); }

  bool offer(NodeIndex node) noexcept {
    if (node == no_node || node == full_ || !has_room(node)) {
      full_ = node;  // vnodes of one node often follow each other
      return true;
    }
    found_ = node;
    return false;
  }

  // A table's candidates end with the owners of its range. Others follow in an order that is drawn for the
  // key, so that not all full ranges spill over to one node.
  NodeIndex drawn() const noexcept {
    const auto& nodes = bounded_.placement().map().nodes();
    NodeIndex best = no_node;
    std::uint64_t least = 0;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      const auto node = static_cast<NodeIndex>(n);
      if (!has_room(node)) continue;
      const std::uint64_t score = mix64(static_cast<std::uint64_t>(query_.hash.value) ^ bounded_.names_[n]);
      if (best != no_node && (score > least || (score == least && nodes[best].name < nodes[n].name)))
        continue;
      best = node;
      least = score;
    }
    return best;
  }

  const Bounded& bounded_;
  const Query& query_;
  Caps caps_;
  NodeIndex found_ = no_node, full_ = no_node;
};

Bounded::Bounded(Placement placement, Bound bound)
    : placement_(std::move(placement)), bound_(std::move(bound)) {
  bound_.percent = std::clamp(bound_.percent, least_percent, most_percent);
  units_ = units_of(placement_.map(), bound_.rule);
  std::uint64_t before = 0;
  for (const std::uint64_t units : units_) {
    units_before_.push_back(before);
    before += units;
  }
  for (const Node& node : placement_.map().nodes()) names_.push_back(key_hash(KeyHashId::xxh3, node.name));
}

std::uint64_t Bounded::cap(NodeIndex node, std::span<const std::uint64_t> loads,
                           const NodeMask& mask) const noexcept {
  return Caps(*this, loads, mask).of(node);
}

NodeIndex Bounded::pick(const Query& query, std::span<const std::uint64_t> loads) const noexcept {
  Picker picker(*this, query, loads);
  return bound_.rule == BoundRule::envoy ? picker.shuffled() : picker.along_candidates();
}

Traits traits_under(const Bound& bound, const Traits& placement) noexcept {
  Traits kept;
  kept.weighted = placement.weighted;
  kept.order_free = placement.order_free && bound.rule == BoundRule::arcwise;
  kept.mask_is_removal = placement.mask_is_removal && bound.rule != BoundRule::envoy;
  return kept;
}

}  // namespace arcwise
