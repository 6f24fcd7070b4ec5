#include "study/rng.hpp"

#include <gtest/gtest.h>

#include <array>

namespace arcwise {
namespace {

// The first numbers of the authors' C programs.
TEST(Rng, splitmix64_gives_the_published_sequence) {
  Splitmix64 mix(1234567);
  for (std::uint64_t expected : {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                 4593380528125082431u, 16408922859458223821u})
    EXPECT_EQ(mix.next(), expected);
}

TEST(Rng, xoshiro256starstar_gives_the_published_sequence) {
  Rng rng(std::array<std::uint64_t, 4>{1, 2, 3, 4});
  for (std::uint64_t expected : {11520u, 0u, 1509978240u}) EXPECT_EQ(rng.next(), expected);
  for (std::uint64_t expected : {1215971899390074240u, 1216172134540287360u, 607988272756665600u,
                                 16172922978634559625u, 8476171486693032832u})
    EXPECT_EQ(rng.next(), expected);
}

TEST(Rng, below_reaches_every_value_equally_often) {
  Rng rng(7);
  std::array<int, 6> seen{};
  for (int i = 0; i < 60000; ++i) ++seen[rng.below(6)];
  double chi = 0;
  for (int count : seen) chi += (count - 10000.0) * (count - 10000.0) / 10000.0;
  EXPECT_LT(chi, 20.5);  // 5 degrees of freedom: 0.1 %
  EXPECT_EQ(rng.below(1), 0u);
  // Of a bound just above 2^63 almost half of all words are drawn again.
  for (int i = 0; i < 1000; ++i) EXPECT_LE(rng.below((std::uint64_t{1} << 63) + 1), std::uint64_t{1} << 63);
}

TEST(Rng, unit_stays_below_one_and_averages_a_half) {
  Rng rng(9);
  double sum = 0;
  for (int i = 0; i < 100000; ++i) {
    const double u = rng.unit();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u;
  }
  EXPECT_NEAR(sum / 100000, 0.5, 0.005);
}

}  // namespace
}  // namespace arcwise
