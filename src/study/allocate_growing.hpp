// A cluster that grows one node at a time, and how even it stays.
//
// Layer: study.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "study/allocate_ring.hpp"

namespace arcwise {

/// Largest and smallest of what units hold against what is fair for them.
struct Evenness {
  double most = 0, least = 0;
};
Evenness evenness_of(const AllocationRing& ring);

using AllocationRule = std::function<std::vector<std::uint64_t>(const AllocationRing&, const Joiner&)>;

/// One rack, every node a group; or (racks equal to copies) one of the racks, which is a ring with one copy.
struct Growth {
  std::uint32_t replicas = 3;
  std::uint32_t tokens = 16;
  std::uint32_t units = 100;
  /// The unit after so many does not see the one before it. A position that both choose goes to the first.
  std::optional<std::uint32_t> stale_at = std::nullopt;
};
/// Element i: with i + 1 units.
std::vector<Evenness> grow(const Growth& growth, const AllocationRule& rule);

}  // namespace arcwise
