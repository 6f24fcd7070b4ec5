// An assignment carried out in part: some of its moves now, the rest later.
//
// Layer: study.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "arcwise/assign.hpp"

namespace arcwise {

struct Partly {
  std::uint64_t at_most = std::numeric_limits<std::uint64_t>::max();  ///< copies that move
  /// These nodes give up at most so many copies.
  std::vector<std::pair<NodeIndex, std::uint64_t>> gives;
  bool any() const { return at_most != std::numeric_limits<std::uint64_t>::max() || !gives.empty(); }
};

/// Puts rows of `owners` that have to wait back to what they were before, and returns how many copies move.
/// A partition moves with all its copies or waits, so that its copies are as far apart as before or after.
/// Missing copies, pins and exclusions come first; then moves are taken evenly from all pairs of nodes.
std::uint64_t carry_out_partly(const AssignRequest& request, const Partly& limits,
                               std::vector<std::vector<NodeIndex>>& owners);

/// For partitions of one copy that have a place: of those that move from one node to another, whole runs of
/// neighbours move as far as their number allows, those first that meet others of the new node. Numbers of
/// moves stay as they are. Each pair of nodes splits at most one run, so that a table of ranges grows by at
/// most that.
void move_whole_runs(const AssignRequest& request, std::vector<std::vector<NodeIndex>>& owners);

}  // namespace arcwise
