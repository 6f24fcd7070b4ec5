// Remainders by multiplication against the operator.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>

#include "hash/remainder.hpp"

namespace arcwise {
namespace {

constexpr std::uint64_t top = ~std::uint64_t{0};

TEST(remainder, at_the_ends_of_every_power_of_two) {
  for (int d = 0; d < 64; ++d)
    for (int near = -1; near <= 1; ++near) {
      const std::uint64_t divisor =
          std::max<std::uint64_t>((std::uint64_t{1} << d) + static_cast<std::uint64_t>(near), 1);
      const Remainder remainder(divisor);
      EXPECT_EQ(remainder.divisor(), divisor);
      for (std::uint64_t n : {std::uint64_t{0}, divisor - 1, divisor, top / divisor * divisor,
                              top / divisor * divisor - 1, top})
        EXPECT_EQ(remainder(n), n % divisor) << n << " % " << divisor;
    }
}

RC_GTEST_PROP(remainder, is_the_operator, (std::uint64_t n, std::uint64_t divisor, std::uint8_t shift)) {
  divisor = std::max<std::uint64_t>(divisor >> shift % 64, 1);
  RC_ASSERT(Remainder(divisor)(n) == n % divisor);
  RC_ASSERT(Remainder(divisor)(~n) == ~n % divisor);
}

}  // namespace
}  // namespace arcwise
