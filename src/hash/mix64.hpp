// Mixes of whole 64-bit words.
#pragma once

#include <cstdint>

namespace arcwise {

/// hash128to64 of CityHash and folly. mcrouter's Rendezvous: (hash of the server's tag, hash of the key).
constexpr std::uint64_t hash128to64(std::uint64_t upper, std::uint64_t lower) noexcept {
  constexpr std::uint64_t multiplier = 0x9ddfea08eb382d69;
  std::uint64_t a = (lower ^ upper) * multiplier;
  a ^= a >> 47;
  std::uint64_t b = (upper ^ a) * multiplier;
  b ^= b >> 47;
  return b * multiplier;
}

}  // namespace arcwise
