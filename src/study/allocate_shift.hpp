// Shifting tokens that are already there, a little, where evenness is worth more than data at rest.
//
// Layer: study.
#pragma once

#include <vector>

#include "study/allocate_ring.hpp"

namespace arcwise {

struct TokenShift {
  std::uint32_t unit;
  std::uint64_t from, to;
};

/// Relieves the fullest units through the tokens next to their ranges until `budget` (a fraction of the ring,
/// in copies) is moved or nothing gets better. Tokens keep their order. The ring is changed; each shifted
/// token is told once.
struct Shifted {
  std::vector<TokenShift> shifts;  ///< ascending by `from`
  double moved = 0;
};
Shifted shift_tokens(AllocationRing& ring, double budget);

}  // namespace arcwise
