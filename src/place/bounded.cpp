#include "arcwise/bounded.hpp"

#include <algorithm>

#include "place/envoy_shuffle.hpp"
#include "place/methods.hpp"
#include "place/weighted_rendezvous.hpp"

namespace arcwise {
namespace {

// What a cap is computed from: the nodes that may take something.
struct Pool {
  const std::vector<Node>& nodes;
  const NodeMask& mask;
  std::uint64_t next = 1;  ///< requests in progress once this one is taken

  Pool(const Placement& placement, std::span<const std::uint64_t> loads, const NodeMask& m)
      : nodes(placement.map().nodes()), mask(m) {
    for (std::size_t n = 0; n < nodes.size(); ++n)
      if (takes(static_cast<NodeIndex>(n))) next += loads[n];
    next = std::min(next, std::uint64_t{1} << 50);
  }
  bool takes(NodeIndex n) const noexcept { return !mask.skips(n) && nodes[n].state != NodeState::joining; }

  // Weights in units of 2^-20, so that a product with 50 bits of requests and a percentage fits 128.
  u128 weight(NodeIndex n) const noexcept {
    return std::max<std::uint64_t>(1, fixed_weight(nodes[n].weight) >> 10);
  }
  u128 weights() const noexcept {
    u128 sum = 0;
    for (std::size_t n = 0; n < nodes.size(); ++n)
      if (takes(static_cast<NodeIndex>(n))) sum += weight(static_cast<NodeIndex>(n));
    return sum;
  }
};

std::uint64_t arcwise_cap(const Pool& pool, NodeIndex node, std::uint32_t percent) noexcept {
  const u128 part = u128{pool.next} * percent * pool.weight(node), whole = u128{100} * pool.weights();
  return static_cast<std::uint64_t>((part + whole - 1) / whole);
}

std::uint64_t total_slots(const Pool& pool, std::uint32_t percent) noexcept {
  return (pool.next * percent + 99) / 100;
}

// Whole slots are dealt out along the list: what rounding leaves over goes to whoever crosses the next whole
// number. Worked example, weights 3 and 1 (48 and 16 of 64) and 5 slots: 48·5/64 = 3 and 64·5/64 − 3 = 2.
std::uint64_t haproxy_cap(const Pool& pool, NodeIndex node, std::uint32_t percent) noexcept {
  constexpr std::uint64_t points = 16;
  std::uint64_t all = 0, before = 0;
  for (std::size_t n = 0; n < pool.nodes.size(); ++n) {
    if (!pool.takes(static_cast<NodeIndex>(n))) continue;
    const std::uint64_t mine = points * static_cast<std::uint64_t>(pool.nodes[n].weight);
    if (n < node) before += mine;
    all += mine;
  }
  if (all == 0) return 1;
  const std::uint64_t mine = points * static_cast<std::uint64_t>(pool.nodes[node].weight);
  const std::uint64_t each = total_slots(pool, percent) / all, rest = total_slots(pool, percent) % all;
  const std::uint64_t slots = mine * each + (before + mine) * rest / all - before * rest / all;
  return std::max<std::uint64_t>(1, slots);
}

std::uint64_t envoy_cap(const Pool& pool, NodeIndex node, std::uint32_t percent) noexcept {
  const u128 part = u128{total_slots(pool, percent)} * pool.weight(node), whole = pool.weights();
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>((part + whole - 1) / whole));
}

// The candidates of a key with their room.
class Picker {
 public:
  Picker(const Bounded& bounded, const Query& query, std::span<const std::uint64_t> loads)
      : bounded_(bounded), query_(query), loads_(loads) {}

  bool has_room(NodeIndex node) const noexcept {
    return loads_[node] < bounded_.cap(node, loads_, query_.mask);
  }

  // The stream repeats nodes, and a table's ends with its owners; whoever has room then takes it in list
  // order.
  NodeIndex along_candidates() noexcept {
    bounded_.placement().walk(
        query_, [](void* self, NodeIndex node) noexcept { return static_cast<Picker*>(self)->offer(node); },
        this);
    return found_ != no_node ? found_ : any();
  }

  NodeIndex shuffled() noexcept {
    std::array<NodeIndex, 1> primary{no_node};
    const auto& nodes = bounded_.placement().map().nodes();
    if (bounded_.placement().owners(query_, primary) == 1 && has_room(primary[0])) return primary[0];
    EnvoyShuffle order(static_cast<std::uint32_t>(query_.hash.value),
                       static_cast<std::uint32_t>(nodes.size()));
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (const NodeIndex node = order.next(); node != primary[0] && has_room(node)) return node;
    return any();
  }

 private:
  bool offer(NodeIndex node) noexcept {
    if (node == no_node || node == full_ || !has_room(node)) {
      full_ = node;  // vnodes of one node often follow each other
      return true;
    }
    found_ = node;
    return false;
  }
  NodeIndex any() const noexcept {
    for (std::size_t n = 0; n < loads_.size(); ++n)
      if (has_room(static_cast<NodeIndex>(n))) return static_cast<NodeIndex>(n);
    return no_node;
  }

  const Bounded& bounded_;
  const Query& query_;
  std::span<const std::uint64_t> loads_;
  NodeIndex found_ = no_node, full_ = no_node;
};

}  // namespace

std::uint64_t Bounded::cap(NodeIndex node, std::span<const std::uint64_t> loads,
                           const NodeMask& mask) const noexcept {
  const Pool pool(placement_, loads, mask);
  if (!pool.takes(node)) return 0;
  const std::uint64_t most = bound_.most.empty() ? ~std::uint64_t{0} : bound_.most[node];
  switch (bound_.rule) {
    case BoundRule::arcwise:
      return std::min(most, arcwise_cap(pool, node, bound_.percent));
    case BoundRule::haproxy:
      return std::min(most, haproxy_cap(pool, node, bound_.percent));
    case BoundRule::envoy:
      return std::min(most, envoy_cap(pool, node, bound_.percent));
  }
  return 0;
}

NodeIndex Bounded::pick(const Query& query, std::span<const std::uint64_t> loads) const noexcept {
  Picker picker(*this, query, loads);
  return bound_.rule == BoundRule::envoy ? picker.shuffled() : picker.along_candidates();
}

}  // namespace arcwise
