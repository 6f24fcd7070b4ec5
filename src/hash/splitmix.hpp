// Blackman and Vigna's splitmix64: one good mix of 64 bits, and the sequence made of it.
#pragma once

#include <cstdint>

namespace arcwise {

/// A bijection in which every input bit changes about half of the output bits.
constexpr std::uint64_t mix64(std::uint64_t z) noexcept {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Turns any seed, 0 too, into well mixed words.
class Splitmix64 {
 public:
  explicit constexpr Splitmix64(std::uint64_t seed) noexcept : state_(seed) {}
  constexpr std::uint64_t next() noexcept { return mix64(state_ += 0x9e3779b97f4a7c15u); }

 private:
  std::uint64_t state_;
};

}  // namespace arcwise
