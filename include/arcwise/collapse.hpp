// Collapse: ranges that count as unreplicated, because their copies are too few or stand together.
//
// Layer: study. To contain the damage comes first: such a range is one failure from being gone, whatever the
// map says of copies, and is placed anew before anything else moves.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arcwise/change.hpp"
#include "arcwise/placement.hpp"

namespace arcwise {

struct CollapsedRange {
  enum class Why : std::uint8_t {
    few,      ///< fewer owners are up than the policy asks for
    together  ///< as many as asked, all on one machine, or in one rack (zone) where the policy asks for
              ///< several
  };
  Region region;
  Share share;
  Why why = Why::few;
  std::vector<NodeIndex> up;  ///< owners that are up, in preference order
};
struct Collapsed {
  std::uint32_t wanted = 1;  ///< copies
  std::vector<CollapsedRange>
      ranges;  ///< neighbours of one cause and one list of owners as one, ascending by `upto`
  Share share;
};
/// Nothing where regions cannot be listed. One copy cannot collapse, but be down.
Collapsed collapsed_ranges(const Placement& placement, const NodeSet& down);

/// The order in which changes contain most: by what each alone would replace, those that replace as much in
/// the order given. An element is the map after one change alone, or nothing where it cannot be made alone.
std::vector<std::size_t> contain_first(const Placement& before, const NodeSet& down,
                                       const std::vector<std::optional<ClusterMap>>& alone);

/// How much of what was collapsed before is no longer. Zero where the two cannot be compared.
Share replaced_share(const Placement& before, const Placement& after, const NodeSet& down);

}  // namespace arcwise
