// A logarithm in whole numbers, the same on every machine.
#pragma once

#include <cstdint>

#include "hash/log2_table.inc"

namespace arcwise {

/// 64 - log2(hash + 1) in units of 2^-48: 0 for the largest hash, 2^54 for hash 0; of a uniform hash it is
/// exponentially distributed. Off by at most 2^-22 of a unit of log2. Never rises with the hash.
inline std::uint64_t minus_log2(std::uint64_t hash) noexcept {
  const std::uint64_t x = hash + 1;
  if (x == 0) return 0;
  const auto exponent = static_cast<std::uint64_t>(63 - __builtin_clzll(x));
  // The mantissa's 63 bits behind the leading one: ten choose the entry, the next 24 go between two.
  const std::uint64_t fraction = exponent == 0 ? 0 : x << (64 - exponent);
  const std::uint64_t entry = fraction >> 54, rest = (fraction >> 30) & 0xffffff;
  const std::uint64_t low = log2_table[entry];
  const std::uint64_t between = ((log2_table[entry + 1] - low) * rest) >> 24;
  return ((64 - exponent) << 48) - low - between;
}

}  // namespace arcwise
