#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <compare>
#include <vector>

#include "arcwise/token.hpp"

namespace arcwise {
namespace {

constexpr u128 power(int exponent) {
  return u128{1} << exponent;
}

const std::vector<u128> lasts = {
    0,
    1,
    2,
    99,
    16383,
    16384,
    power(32) - 1,
    power(53),
    power(63),
    power(64) - 2,
    power(64) - 1,
    power(64),
    power(75) - 2,
    power(75) - 1,
    power(75),
    power(76),
    power(100) + 7,
    power(127) - 1,
    power(127),
    ~u128{0} - 1,
    ~u128{0},
};

u128 any_u128() {
  return u128{*rc::gen::arbitrary<std::uint64_t>()} << 64 | *rc::gen::arbitrary<std::uint64_t>();
}

/// One of the telling sizes or any at all, of any order of magnitude.
HashDomain any_domain() {
  const auto choice = *rc::gen::inRange<std::size_t>(0, 2 * lasts.size());
  return {choice < lasts.size() ? lasts[choice] : any_u128() >> *rc::gen::inRange(0, 128)};
}

/// 192 bits, most significant word first: room for 2^128 * 2^53.
using Wide = std::array<std::uint64_t, 3>;

Wide plus_one_times(u128 number, std::uint64_t factor) {
  const u128 low = u128{static_cast<std::uint64_t>(number)} * factor + factor;
  const u128 high = (number >> 64) * factor + (low >> 64);
  return {static_cast<std::uint64_t>(high >> 64), static_cast<std::uint64_t>(high),
          static_cast<std::uint64_t>(low)};
}

/// By definition: units is the largest whole number with units * (last + 1) <= (t + 1) * 2^53.
bool is_exact_floor(Share share, const HashDomain& domain, u128 t) {
  const auto units = static_cast<std::uint64_t>(share.units);
  const Wide target = plus_one_times(std::min(t, domain.last), std::uint64_t{1} << 53);
  return plus_one_times(domain.last, units) <= target && target < plus_one_times(domain.last, units + 1);
}

TEST(ShareUpto, the_worked_example_of_a_hundred_positions_holds) {
  const HashDomain domain{99};
  EXPECT_DOUBLE_EQ(share_upto(domain, {10}).value(), 0.11);
  EXPECT_DOUBLE_EQ(share_upto(domain, {85}).value(), 0.86);
  EXPECT_DOUBLE_EQ(share_of(domain, {{85}, {10}}).value(), 0.25);
}

TEST(ShareUpto, thirds_are_rounded_down) {
  const HashDomain domain{2};
  EXPECT_EQ(share_upto(domain, {0}).units, 3002399751580330);
  EXPECT_EQ(share_upto(domain, {1}).units, 6004799503160661);
  EXPECT_EQ(share_upto(domain, {2}), Share::whole());
}

TEST(ShareUpto, redis_slots_are_exact) {
  for (std::uint64_t slot = 0; slot < 16384; ++slot)
    ASSERT_EQ(share_upto({16383}, {slot}).value(), static_cast<double>(slot + 1) / 16384);
}

RC_GTEST_PROP(ShareUpto, sixty_four_bits_are_a_shift, (std::uint64_t t)) {
  const auto expected = static_cast<std::int64_t>((u128{t} + 1) >> 11);
  RC_ASSERT(share_upto({power(64) - 1}, {t}).units == expected);
}

TEST(ShareUpto, it_is_the_exact_floor_at_the_ends_of_every_size) {
  for (const u128 last : lasts)
    for (const u128 t :
         {u128{0}, u128{1}, last / 3, last / 2, last / 2 + 1, last > 0 ? last - 1 : last, last})
      EXPECT_TRUE(is_exact_floor(share_upto({last}, {t}), {last}, t))
          << to_hex(TokenSpace::unsigned_bits(128), {last}) << " "
          << to_hex(TokenSpace::unsigned_bits(128), {t});
}

RC_GTEST_PROP(ShareUpto, it_is_the_exact_floor_anywhere, ()) {
  const HashDomain domain = any_domain();
  const u128 t = any_u128() >> *rc::gen::inRange(0, 128);
  RC_ASSERT(is_exact_floor(share_upto(domain, {t}), domain, t));
}

RC_GTEST_PROP(ShareUpto, the_last_position_and_all_beyond_it_complete_the_whole, ()) {
  const HashDomain domain = any_domain();
  RC_ASSERT(share_upto(domain, {domain.last}) == Share::whole());
  RC_ASSERT(share_upto(domain, {std::max(domain.last, any_u128())}) == Share::whole());
}

RC_GTEST_PROP(ShareUpto, it_never_falls, ()) {
  const HashDomain domain = any_domain();
  const u128 t = any_u128() >> *rc::gen::inRange(0, 128);
  RC_ASSERT(share_upto(domain, {t}).units >= 0);
  RC_ASSERT((t == 0 || share_upto(domain, {t - 1}) <= share_upto(domain, {t})));
}

RC_GTEST_PROP(ShareOf, the_regions_of_any_ring_add_up_to_exactly_one, ()) {
  const HashDomain domain = any_domain();
  std::vector<Token> ring(*rc::gen::inRange<std::size_t>(1, 50));
  for (Token& token : ring) token.value = any_u128() >> *rc::gen::inRange(0, 128);
  std::sort(ring.begin(), ring.end());
  ring.erase(std::unique(ring.begin(), ring.end()), ring.end());
  Share sum;
  double sum_of_doubles = 0;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const Share share = share_of(domain, {ring[i == 0 ? ring.size() - 1 : i - 1], ring[i]});
    RC_ASSERT(share.units >= 0);
    sum += share;
    sum_of_doubles += share.value();
  }
  RC_ASSERT(sum == Share::whole());
  RC_ASSERT(sum_of_doubles == 1.0);
}

RC_GTEST_PROP(ShareOf, one_token_owns_the_whole_circle, ()) {
  const Token token{any_u128()};
  RC_ASSERT(share_of(any_domain(), {token, token}) == Share::whole());
}

TEST(ShareOf, a_region_between_reachable_positions_only_owns_nothing) {
  const HashDomain fifteen_bits{power(15) - 1};
  EXPECT_EQ(share_of(fifteen_bits, {{power(15)}, {power(32) - 1}}), Share{});
  EXPECT_EQ(share_of(fifteen_bits, {{power(32) - 1}, {power(14) - 1}}).value(), 0.5);
}

}  // namespace
}  // namespace arcwise
