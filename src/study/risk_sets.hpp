// The distinct replica sets of a placement, each with the hash space it holds.
//
// Cost: one pass over the regions and a sort of them; 8 bytes and the owners for each region.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "arcwise/risk.hpp"

namespace arcwise {

struct ReplicaSets {
  struct Set {
    std::uint32_t begin = 0, size = 0;  ///< in members
    Share share;
  };
  std::vector<NodeIndex> members;
  std::vector<Set> sets;         ///< distinct; the empty set is among them where a range has no owner
  std::vector<NodeIndex> nodes;  ///< that can fail: not joining, or owning something all the same; ascending

  std::optional<Sampled> sampled;

  std::span<const NodeIndex> owners(const Set& set) const { return {members.data() + set.begin, set.size}; }
};

/// Owners ascending within a set, sets ascending by their owners. Where regions cannot be listed: from 2^18
/// keys, always the same ones.
ReplicaSets replica_sets(const Placement& placement);

/// By number of owners: how many of them must fail before the range has too few; 0: it has too few as it is.
/// Worked example, majority: 3 owners need 2, so 2 failures break them; 2 owners need 2, so 1 does.
using Breaks = std::array<std::uint32_t, max_replicas + 1>;
Breaks breaks_quorum(const Level& level);
Breaks breaks_data();  ///< all of them

}  // namespace arcwise
