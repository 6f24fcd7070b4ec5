// The slot, or row, that a position is.
#pragma once

#include <cstddef>

#include "arcwise/token.hpp"

namespace arcwise {

/// Of so many, at least one. A position that no key has, beyond the last slot, is answered as that: lookups
/// never read beyond their tables.
inline std::size_t slot_of(KeyHash hash, std::size_t count) noexcept {
  return hash.value < count ? static_cast<std::size_t>(hash.value) : count - 1;
}

}  // namespace arcwise
