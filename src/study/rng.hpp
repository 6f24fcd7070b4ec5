// The one source of chance: xoshiro256**, seeded by splitmix64. The same seed gives the same numbers
// everywhere.
//
// Layer: study. Not for secrets. Cost: about a nanosecond a number.
#pragma once

#include <array>
#include <cstdint>

#include "arcwise/token.hpp"
#include "hash/splitmix.hpp"

namespace arcwise {

/// xoshiro256** 1.0.
class Rng {
 public:
  explicit constexpr Rng(std::uint64_t seed) {
    Splitmix64 mix(seed);
    for (std::uint64_t& word : s_) word = mix.next();
  }
  /// A state of one's own; not all zero.
  explicit constexpr Rng(const std::array<std::uint64_t, 4>& state) : s_(state) {}

  /// Uniform in 0…2^64 - 1.
  constexpr std::uint64_t next() {
    const std::uint64_t result = rotl(s_[1] * 5, 7) * 9;
    const std::uint64_t t = s_[1] << 17;
    s_[2] ^= s_[0];
    s_[3] ^= s_[1];
    s_[1] ^= s_[2];
    s_[0] ^= s_[3];
    s_[2] ^= t;
    s_[3] = rotl(s_[3], 45);
    return result;
  }
  /// Uniform in 0…bound - 1, without bias. bound >= 1. Multiplies instead of dividing: of the 2^64 words, the
  /// lowest 2^64 mod bound of each product's low half are drawn again, so that every result has equally many
  /// words.
  constexpr std::uint64_t below(std::uint64_t bound) {
    u128 product = u128{next()} * bound;
    if (static_cast<std::uint64_t>(product) < bound) {
      const std::uint64_t surplus = (0 - bound) % bound;
      while (static_cast<std::uint64_t>(product) < surplus) product = u128{next()} * bound;
    }
    return static_cast<std::uint64_t>(product >> 64);
  }
  /// Uniform in [0, 1), a multiple of 2^-53.
  constexpr double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  static constexpr std::uint64_t rotl(std::uint64_t x, unsigned k) { return (x << k) | (x >> (64 - k)); }

  std::array<std::uint64_t, 4> s_{};
};

}  // namespace arcwise
