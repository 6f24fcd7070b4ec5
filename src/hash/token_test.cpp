#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "arcwise/token.hpp"

namespace arcwise {
namespace {

constexpr u128 power(int exponent) {
  return u128{1} << exponent;
}
constexpr TokenSpace signed_64 = TokenSpace::signed_64();
constexpr TokenSpace signed_32 = {power(32) - 1, 32, TokenSpace::Notation::signed_decimal};
constexpr TokenSpace signed_128 = {~u128{0}, 128, TokenSpace::Notation::signed_decimal};
constexpr TokenSpace random_partitioner = {power(127), 128, TokenSpace::Notation::decimal};

std::vector<TokenSpace> spaces() {
  std::vector<TokenSpace> all = {signed_64, signed_32, signed_128, random_partitioner};
  for (const int bits : {4, 16, 32, 60, 64, 124, 128})
    all.push_back(TokenSpace::unsigned_bits(static_cast<std::uint8_t>(bits)));
  for (const std::uint64_t count :
       {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{16384}, ~std::uint64_t{0}})
    all.push_back(TokenSpace::slots(count));
  return all;
}

void expect_round_trip(const TokenSpace& space, Token token) {
  const std::string hex = to_hex(space, token);
  const std::string text = to_text(space, token);
  EXPECT_EQ(hex.size(), space.bits / 4U);
  EXPECT_TRUE(from_hex(space, hex) == token) << hex;
  EXPECT_TRUE(from_text(space, text) == token) << text;
}

u128 any_position(const TokenSpace& space) {
  const u128 wide = u128{*rc::gen::arbitrary<std::uint64_t>()} << 64 | *rc::gen::arbitrary<std::uint64_t>();
  const u128 positions = space.last + 1;
  return positions == 0 ? wide : wide % positions;
}

TEST(TokenText, ends_and_middle_of_every_space_come_back) {
  for (const TokenSpace& space : spaces())
    for (const u128 position :
         {u128{0}, space.last, space.last / 2, space.last / 2 + space.last % 2,
          space.last > 0 ? space.last - 1 : u128{0}, space.last > 0 ? u128{1} : u128{0}})
      expect_round_trip(space, {position});
}

RC_GTEST_PROP(TokenText, any_position_of_any_space_comes_back, ()) {
  for (const TokenSpace& space : spaces()) {
    const Token token{any_position(space)};
    RC_ASSERT((from_hex(space, to_hex(space, token)) == token));
    RC_ASSERT((from_text(space, to_text(space, token)) == token));
  }
}

TEST(TokenText, signed_extremes_print_as_the_system_prints_them) {
  const auto text = [](std::uint64_t position) { return to_text(signed_64, {position}); };
  const auto hex = [](std::uint64_t position) { return to_hex(signed_64, {position}); };
  EXPECT_EQ(text(0), "-9223372036854775808");
  EXPECT_EQ(text(0x7fffffffffffffff), "-1");
  EXPECT_EQ(text(0x8000000000000000), "0");
  EXPECT_EQ(text(0x800000000000002a), "42");
  EXPECT_EQ(text(0xffffffffffffffff), "9223372036854775807");
  EXPECT_EQ(hex(0), "8000000000000000");
  EXPECT_EQ(hex(0x7fffffffffffffff), "ffffffffffffffff");
  EXPECT_EQ(hex(0x8000000000000000), "0000000000000000");
  EXPECT_EQ(hex(0xffffffffffffffff), "7fffffffffffffff");
  EXPECT_EQ(to_text(signed_128, {0}), "-170141183460469231731687303715884105728");
  EXPECT_EQ(to_text(signed_32, {0}), "-2147483648");
}

RC_GTEST_PROP(TokenText, signed_text_is_the_number_that_cpp_prints, (std::int64_t number)) {
  const Token token{static_cast<std::uint64_t>(number) ^ (std::uint64_t{1} << 63)};
  RC_ASSERT(to_text(signed_64, token) == std::to_string(number));
  RC_ASSERT((from_text(signed_64, std::to_string(number)) == token));
}

RC_GTEST_PROP(TokenText, ring_order_is_signed_order, (std::int64_t a, std::int64_t b)) {
  const auto token_a = from_text(signed_64, std::to_string(a));
  const auto token_b = from_text(signed_64, std::to_string(b));
  RC_ASSERT(token_a.has_value() && token_b.has_value());
  RC_ASSERT((*token_a < *token_b) == (a < b));
}

TEST(TokenText, decimal_reaches_the_top_of_random_partitioner) {
  EXPECT_EQ(to_text(random_partitioner, {power(127)}), "170141183460469231731687303715884105728");
  EXPECT_EQ(to_hex(random_partitioner, {power(127)}), "80000000000000000000000000000000");
  EXPECT_FALSE(from_text(random_partitioner, "170141183460469231731687303715884105729"));
  EXPECT_FALSE(from_hex(random_partitioner, "80000000000000000000000000000001"));
  EXPECT_EQ(to_text(TokenSpace::slots(16384), {5970}), "5970");
}

TEST(TokenText, fewer_hex_digits_are_taken_as_leading_zeros) {
  EXPECT_TRUE(from_hex(TokenSpace::unsigned_bits(64), "f3a") == Token{0xf3a});
  EXPECT_TRUE(from_hex(TokenSpace::unsigned_bits(64), "0F3A") == Token{0xf3a});
  EXPECT_TRUE(from_hex(signed_64, "1") == Token{0x8000000000000001});
}

TEST(TokenText, what_is_no_number_is_refused) {
  for (const TokenSpace& space : spaces())
    for (const char* text :
         {"", "+1", " 1", "1 ", "1\n", "1.0", "0x1", "-", "--1", "-+1", "-0", "g", "1_0", "1-"}) {
      EXPECT_FALSE(from_text(space, text)) << '"' << text << '"';
      EXPECT_FALSE(from_hex(space, text)) << '"' << text << '"';
    }
  EXPECT_FALSE(from_text(signed_64, "a"));
  EXPECT_FALSE(from_text(TokenSpace::slots(16384), "a"));
  EXPECT_FALSE(from_text(TokenSpace::slots(16384), "-1"));
  EXPECT_FALSE(from_hex(signed_64, "-1"));
  EXPECT_FALSE(from_text(TokenSpace::slots(16384), std::string_view("1\0", 2)));
}

TEST(TokenText, one_past_either_end_is_refused) {
  EXPECT_FALSE(from_text(signed_64, "9223372036854775808"));
  EXPECT_FALSE(from_text(signed_64, "-9223372036854775809"));
  EXPECT_FALSE(from_hex(signed_64, "10000000000000000"));
  EXPECT_FALSE(from_hex(TokenSpace::unsigned_bits(64), "10000000000000000"));
  EXPECT_FALSE(from_hex(TokenSpace::unsigned_bits(128), "100000000000000000000000000000000"));
  EXPECT_FALSE(from_text(signed_128, "170141183460469231731687303715884105728"));
  EXPECT_FALSE(from_text(TokenSpace::slots(16384), "16384"));
  EXPECT_FALSE(from_hex(TokenSpace::slots(16384), "4000"));
  EXPECT_FALSE(from_text(TokenSpace::slots(1), "1"));
  EXPECT_FALSE(from_text(TokenSpace::slots(3), std::string(60, '9')));
}

RC_GTEST_PROP(TokenText, whatever_is_accepted_is_a_position_and_prints_to_itself, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("-+ 0019afF")));
  for (const TokenSpace& space : spaces()) {
    if (const auto token = from_text(space, text)) {
      RC_ASSERT((token->value <= space.last));
      RC_ASSERT((from_text(space, to_text(space, *token)) == token));
    }
    if (const auto token = from_hex(space, text)) {
      RC_ASSERT((token->value <= space.last));
      RC_ASSERT((from_hex(space, to_hex(space, *token)) == token));
    }
  }
}

}  // namespace
}  // namespace arcwise
