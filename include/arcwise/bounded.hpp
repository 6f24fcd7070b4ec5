// Bounded loads: no node takes more than its part of what is in progress, and the rest spills over in order.
//
// Layer: place. Mirrokni, Thorup and Zadimoghaddam, 2016: with a factor c, a node of weight w out of W holds
// at most ⌈c · (total + 1) · w / W⌉ of the total in progress, so that somebody always has room. HAProxy's
// `hash-balance-factor` and Envoy's `hash_balance_factor` round and spill in ways of their own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "arcwise/placement.hpp"

namespace arcwise {

enum class BoundRule : std::uint8_t {
  arcwise,  ///< the formula above over nodes that are not masked and below their `most`; spills along the
            ///< placement's candidates
  haproxy,  ///< whole slots shared out along the list; spills along the ring
  envoy     ///< slots of each host rounded up; spills over hosts shuffled by the key's hash
};

struct Bound {
  BoundRule rule = BoundRule::arcwise;
  std::uint32_t percent = 125;      ///< 100 · c; below 100 counts as 100, above 65,535 as 65,535
  std::vector<std::uint64_t> most;  ///< a node never takes more, whatever the formula says; nodes beyond its
                                    ///< end have no such cap
};

/// A placement under a bound. Immutable and safe to share between threads; cheap to copy but for `most`.
class Bounded {
 public:
  Bounded(Placement placement, Bound bound);

  /// How many requests the node may have in progress, the next one counted. `loads`: in progress now, one
  /// entry a node of the map; nodes beyond its end have 0, and above 2^50 the formula counts 2^50. Weights
  /// count in parts of at most 2^-35 of the largest. 0 for a masked node, one whose weight of 0 takes it out,
  /// one in a zone that holds nothing, and a number that is no node's. Cost: O(nodes), no allocation.
  std::uint64_t cap(NodeIndex node, std::span<const std::uint64_t> loads,
                    const NodeMask& mask) const noexcept;

  /// The node that takes the key now: the first of its candidates with room; where a table lists no further
  /// one, any node in an order drawn for the key. With nothing in progress, the placement's owner(). no_node:
  /// every node that may hold something is masked or at its `most`. Same query and loads, same answer. Cost:
  /// O(nodes) once, and for each full candidate what the placement takes to find the next one: a step on
  /// rings and tables, one hash with buckets, a step for each probe with multi-probe; rendezvous scores all
  /// nodes for the first candidate, again for the next 4, 16 and 64, and then for each 256. Under a mask or
  /// `most` the rule haproxy sums weights anew for each candidate. No allocation.
  NodeIndex pick(const Query& query, std::span<const std::uint64_t> loads) const noexcept;

  const Placement& placement() const noexcept { return placement_; }
  const Bound& bound() const noexcept { return bound_; }

 private:
  class Caps;
  class Picker;

  Placement placement_;
  Bound bound_;
  std::vector<std::uint64_t> units_;         ///< weights as the rule counts them; 0: takes nothing
  std::vector<std::uint64_t> units_before_;  ///< sum of those earlier in the list
  std::vector<std::uint64_t> names_;         ///< hashes of the nodes' names
};

/// What is left of a placement's promises under a bound: nothing of where keys move, because a request that
/// is taken elsewhere fills that node for the next. Whether list order matters, and whether a mask answers as
/// a removal, stays as it was; HAProxy's slots go by list order, Envoy's shuffle by places in the list.
Traits traits_under(const Bound& bound, const Traits& placement) noexcept;

}  // namespace arcwise
