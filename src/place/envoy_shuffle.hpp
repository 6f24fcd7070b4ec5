// The order in which Envoy passes over overloaded hosts: a shuffle seeded by the request's hash.
#pragma once

#include <array>
#include <cstdint>

#include "arcwise/map.hpp"

namespace arcwise {

/// std::mt19937: Matsumoto and Nishimura's Mersenne Twister of 32 bits, so that it is the same everywhere.
class MersenneTwister {
 public:
  explicit MersenneTwister(std::uint32_t seed) noexcept {
    state_[0] = seed;
    for (std::uint32_t i = 1; i < size; ++i)
      state_[i] = 1812433253u * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
  }
  std::uint32_t next() noexcept {
    if (at_ == size) twist();
    std::uint32_t y = state_[at_++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
  }

 private:
  static constexpr std::uint32_t size = 624, middle = 397;

  void twist() noexcept {
    for (std::uint32_t i = 0; i < size; ++i) {
      const std::uint32_t y = (state_[i] & 0x80000000u) | (state_[(i + 1) % size] & 0x7fffffffu);
      state_[i] = state_[(i + middle) % size] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0);
    }
    at_ = 0;
  }

  std::array<std::uint32_t, size> state_;
  std::uint32_t at_ = size;
};

/// Fisher and Yates, one host at a time, without a list of them: only places that were swapped are kept, and
/// no more than a stack holds. Beyond that many probes the rest come in list order.
class EnvoyShuffle {
 public:
  EnvoyShuffle(std::uint32_t seed, std::uint32_t hosts) noexcept : random_(seed), hosts_(hosts) {}

  /// Host number `taken` of the order; call at most `hosts` times.
  NodeIndex next() noexcept {
    const std::uint32_t left = hosts_ - taken_;
    std::uint32_t step = 0;
    if (taken_ < kept) {
      const auto piece = static_cast<std::uint32_t>((std::uint64_t{1} << 32) / left);
      do step = piece == 0 ? 0 : random_.next() / piece;
      while (step >= left);
    }
    const std::uint32_t from = taken_ + step;
    const NodeIndex out = at(from);
    put(from, at(taken_));
    ++taken_;
    return out;
  }

 private:
  static constexpr std::uint32_t kept = 256;
  struct Swapped {
    std::uint32_t place;
    NodeIndex host;
  };

  NodeIndex at(std::uint32_t place) const noexcept {
    for (std::uint32_t i = count_; i-- > 0;)
      if (swapped_[i].place == place) return swapped_[i].host;
    return place;
  }
  void put(std::uint32_t place, NodeIndex host) noexcept {
    for (std::uint32_t i = 0; i < count_; ++i)
      if (swapped_[i].place == place) {
        swapped_[i].host = host;
        return;
      }
    if (place != host && count_ < kept) swapped_[count_++] = {place, host};
  }

  MersenneTwister random_;
  std::uint32_t hosts_, taken_ = 0, count_ = 0;
  std::array<Swapped, kept> swapped_;
};

}  // namespace arcwise
