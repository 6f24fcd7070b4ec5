// SpookyHash V2 (Bob Jenkins).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace arcwise {

std::array<std::uint64_t, 2> spooky_v2_128(std::string_view bytes, std::uint64_t seed1,
                                           std::uint64_t seed2) noexcept;

/// Hash32: both seeds are `seed`, the low half of the first word. mcrouter's WeightedCh3: seed 0xface2014.
inline std::uint32_t spooky_v2_32(std::string_view bytes, std::uint32_t seed) noexcept {
  return static_cast<std::uint32_t>(spooky_v2_128(bytes, seed, seed)[0]);
}

}  // namespace arcwise
