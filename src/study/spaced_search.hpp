// A good ring whose partitions keep their distance, where there are too many to compare them all.
//
// Layer: study.
#pragma once

#include "arcwise/assign.hpp"

namespace arcwise {

/// Simulated annealing from the ring as it is, with seeds of its own, until a ring moves no more than the
/// bound, or for a fixed number of steps. Deterministic.
SpacedAssignment search_spaced(const std::vector<NodeIndex>& previous, std::uint32_t nodes,
                               std::uint32_t spacing);

}  // namespace arcwise
