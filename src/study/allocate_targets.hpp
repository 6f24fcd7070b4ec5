// What every unit should hold once the joiner has its tokens.
//
// Layer: study.
#pragma once

#include <span>
#include <vector>

#include "study/allocate_ring.hpp"

namespace arcwise {

/// What each unit's weight entitles it to, no group to more than one copy of everything.
std::vector<double> fair_shares(const AllocationRing& ring);

struct Targets {
  std::vector<double> fair;    ///< by unit, the joiner last: what its weight entitles it to
  std::vector<double> wanted;  ///< what this join should leave it with
};

/// With several copies a token relieves many units and what is fair is wanted. With one copy it relieves one:
/// then units take turns, and those just served get less than is fair, so that they can wait.
/// `held`: by unit, the joiner last.
Targets targets_of(const AllocationRing& ring, const Joiner& joiner, std::span<const double> held);

}  // namespace arcwise
