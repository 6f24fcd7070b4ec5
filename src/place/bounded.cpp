#include "arcwise/bounded.hpp"

#include <algorithm>
#include <array>

#include "hash/splitmix.hpp"
#include "place/envoy_shuffle.hpp"
#include "place/weighted_rendezvous.hpp"

namespace arcwise {
namespace {

// Weights as whole numbers. HAProxy counts 16 points for each unit; elsewhere units of 2^-20, so that a
// product with 50 bits of requests and a percentage fits 128.
std::uint64_t units_of(const Node& node, const Recipe& recipe, BoundRule rule) {
  if (node.state == NodeState::joining || (node.weight == 0 && !recipe.places_unweighted)) return 0;
  const std::uint64_t units = rule == BoundRule::haproxy ? static_cast<std::uint64_t>(16 * node.weight)
                                                         : fixed_weight(node.weight) >> 10;
  return std::max<std::uint64_t>(1, units);
}

std::uint64_t rounded_up(u128 part, u128 whole) noexcept {
  return static_cast<std::uint64_t>((part + whole - 1) / whole);
}

}  // namespace

// What the caps of all nodes have in common at one moment.
class Bounded::Caps {
 public:
  Caps(const Bounded& bounded, std::span<const std::uint64_t> loads, const NodeMask& mask) noexcept
      : bounded_(bounded), loads_(loads), mask_(mask) {
    for (std::size_t n = 0; n < bounded.units_.size(); ++n) {
      if (!takes_more(n)) continue;
      next_ += loads[n];
      all_ += bounded.units_[n];
    }
    next_ = std::min(next_, std::uint64_t{1} << 50);
  }

  std::uint64_t of(NodeIndex node) const noexcept {
    if (!takes(node)) return 0;
    return takes_more(node) ? std::min(most(node), by_rule(node)) : most(node);
  }

 private:
  std::uint64_t most(std::size_t n) const noexcept {
    return bounded_.bound_.most.empty() ? ~std::uint64_t{0} : bounded_.bound_.most[n];
  }
  bool takes(std::size_t n) const noexcept {
    return bounded_.units_[n] != 0 && !mask_.skips(static_cast<NodeIndex>(n));
  }
  // A node at its most is left out like a masked one: what it cannot carry the others do. Worked example,
  // equal nodes, c = 1: one at its most of 2, the other holds 9; of 12 half would be 6, of 10 all is 10.
  bool takes_more(std::size_t n) const noexcept { return takes(n) && loads_[n] < most(n); }

  std::uint64_t by_rule(NodeIndex node) const noexcept {
    const std::uint64_t percent = bounded_.bound_.percent, units = bounded_.units_[node];
    const std::uint64_t slots = (next_ * percent + 99) / 100;
    switch (bounded_.bound_.rule) {
      case BoundRule::arcwise:
        return rounded_up(u128{next_} * percent * units, u128{100} * all_);
      case BoundRule::haproxy:
        return std::max<std::uint64_t>(1, dealt_out(slots, node));
      case BoundRule::envoy:
        return std::max<std::uint64_t>(1, rounded_up(u128{slots} * units, all_));
    }
    return 0;
  }

  // Whole slots are dealt out along the list: what rounding leaves over goes to whoever crosses the next
  // whole number. Worked example, weights 3 and 1 (48 and 16 of 64) and 5 slots: 48·5/64 = 3 and
  // 64·5/64 − 3 = 2.
  std::uint64_t dealt_out(std::uint64_t slots, NodeIndex node) const noexcept {
    const auto all = static_cast<std::uint64_t>(all_);
    const std::uint64_t each = slots / all, rest = slots % all;
    const std::uint64_t mine = bounded_.units_[node], before = units_before(node);
    return mine * each + (before + mine) * rest / all - before * rest / all;
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
  std::uint64_t next_ = 1;  ///< requests in progress once this one is taken
  u128 all_ = 0;            ///< units of all nodes that may take something
};

// The candidates of a key with their room.
class Bounded::Picker {
 public:
  Picker(const Bounded& bounded, const Query& query, std::span<const std::uint64_t> loads) noexcept
      : bounded_(bounded), query_(query), loads_(loads), caps_(bounded, loads, query.mask) {}

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
  bool has_room(NodeIndex node) const noexcept { return loads_[node] < caps_.of(node); }

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
    for (std::size_t n = 0; n < loads_.size(); ++n) {
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
  std::span<const std::uint64_t> loads_;
  Caps caps_;
  NodeIndex found_ = no_node, full_ = no_node;
};

Bounded::Bounded(Placement placement, Bound bound)
    : placement_(std::move(placement)), bound_(std::move(bound)) {
  std::uint64_t before = 0;
  for (const Node& node : placement_.map().nodes()) {
    units_.push_back(units_of(node, *placement_.map().placement().recipe, bound_.rule));
    units_before_.push_back(before);
    before += units_.back();
    names_.push_back(key_hash(KeyHashId::xxh3, node.name));
  }
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
