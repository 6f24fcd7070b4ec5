// JumpBackHash (Ertl, 2024): what jump does, from the top down, in constant expected time and whole numbers.
#pragma once

#include <cstdint>

#include "hash/splitmix.hpp"

namespace arcwise {

/// A bucket in 0…count-1 for count up to 2^31. Of 0 buckets: 0.
///
/// Each bit of `candidates` stands for the buckets from that power of two up to twice it, and is set where
/// the key would have jumped into them as the count grew. From the highest one down, the last such jump below
/// `count` is the answer.
inline std::uint32_t jump_back(std::uint64_t key, std::uint32_t count) noexcept {
  if (count < 2) return 0;
  Splitmix64 random(key);
  const std::uint64_t first = random.next();
  std::uint32_t candidates =
      static_cast<std::uint32_t>(first ^ (first >> 32)) & (~std::uint32_t{0} >> __builtin_clz(count - 1));
  while (candidates) {
    const std::uint32_t base = std::uint32_t{1} << (31 - __builtin_clz(candidates));
    const int half = (__builtin_popcount(candidates) & 1) * 32;
    std::uint32_t bucket = base + (static_cast<std::uint32_t>(first >> half) & (base - 1));
    while (true) {
      if (bucket < count) return bucket;
      const std::uint64_t more = random.next();
      bucket = static_cast<std::uint32_t>(more) & (2 * base - 1);
      if (bucket < base) break;
      if (bucket < count) return bucket;
      bucket = static_cast<std::uint32_t>(more >> 32) & (2 * base - 1);
      if (bucket < base) break;
    }
    candidates ^= base;
  }
  return 0;
}

}  // namespace arcwise
