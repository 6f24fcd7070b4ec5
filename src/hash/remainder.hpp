// n % divisor without a division, which costs several times a whole key hash on older processors.
//
// Layer: hash. Pure, noexcept, no allocation; thread-safe.
#pragma once

#include <bit>
#include <cstdint>

#include "arcwise/token.hpp"

namespace arcwise {

/// Granlund and Montgomery, "Division by Invariant Integers using Multiplication", figure 4.1: the quotient is
/// (t + (n - t) / 2) / 2^(bits - 1) with t the upper half of n times a factor. Exact for every n.
class Remainder {
 public:
  /// No divisor: 0, and only that may be asked.
  constexpr Remainder() noexcept = default;
  /// divisor >= 1
  explicit constexpr Remainder(std::uint64_t divisor) noexcept : divisor_(divisor) {
    if (std::has_single_bit(divisor)) return;
    const int bits = 64 - std::countl_zero(divisor);  // 2^bits is the least power above the divisor
    factor_ = static_cast<std::uint64_t>((((u128{1} << bits) - divisor) << 64) / divisor) + 1;
    shift_ = static_cast<std::uint8_t>(bits - 1);
  }
  constexpr std::uint64_t divisor() const noexcept { return divisor_; }
  constexpr std::uint64_t operator()(std::uint64_t n) const noexcept {
    if (factor_ == 0) return n & (divisor_ - 1);
    const auto t = static_cast<std::uint64_t>(u128{factor_} * n >> 64);
    return n - ((t + ((n - t) >> 1)) >> shift_) * divisor_;
  }
  friend constexpr bool operator==(const Remainder&, const Remainder&) = default;

 private:
  std::uint64_t divisor_ = 0;
  std::uint64_t factor_ = 0;  ///< 0: the divisor is a power of two
  std::uint8_t shift_ = 0;
};

}  // namespace arcwise
