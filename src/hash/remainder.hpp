// n % divisor without a division, which costs several times a whole key hash on older processors.
//
// Layer: hash. Pure, noexcept, no allocation; thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>

#include "arcwise/token.hpp"

namespace arcwise {

/// The quotient is estimated from 1/divisor, rounded down to 64 bits: n * (1/divisor - factor/2^64) is
/// below 1, so the estimate is right or one too small, and then the rest has one divisor too many. Worked
/// example with 8 bits: 200 % 7, factor 255 / 7 = 36, 200 * 36 / 256 = 28, rest 4; 196 % 7: estimate 27,
/// rest 7.
class Remainder {
 public:
  /// No divisor: 0, and only that may be asked.
  constexpr Remainder() noexcept = default;
  /// divisor >= 1
  explicit constexpr Remainder(std::uint64_t divisor) noexcept
      : divisor_(divisor), factor_(~std::uint64_t{0} / divisor) {}
  constexpr std::uint64_t divisor() const noexcept { return divisor_; }
  constexpr std::uint64_t operator()(std::uint64_t n) const noexcept {
    const std::uint64_t rest = n - static_cast<std::uint64_t>(u128{factor_} * n >> 64) * divisor_;
    return std::min(rest, rest - divisor_);  // what is below the divisor becomes huge
  }
  friend constexpr bool operator==(const Remainder&, const Remainder&) = default;

 private:
  std::uint64_t divisor_ = 0;
  std::uint64_t factor_ = 0;
};

}  // namespace arcwise
