#include "arcwise/token.hpp"

#include <array>
#include <bit>
#include <cstddef>

namespace arcwise {
namespace {

bool is_signed(const TokenSpace& space) {
  return space.notation == TokenSpace::Notation::signed_decimal;
}

/// 2^(bits-1): where zero stands in the ring order of a signed space, and the bit that two's complement
/// flips.
u128 zero_of_signed(const TokenSpace& space) {
  return u128{1} << (space.bits - 1);
}

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 16;
}

/// The number written in `text`, if it is one of 0…limit.
std::optional<u128> parse(std::string_view text, unsigned base, u128 limit) {
  if (text.empty()) return std::nullopt;
  u128 number = 0;
  for (const char c : text) {
    const auto digit = static_cast<unsigned>(digit_value(c));
    if (digit >= base || digit > limit || number > (limit - digit) / base) return std::nullopt;
    number = number * base + digit;
  }
  return number;
}

std::string decimal(u128 number, bool negative = false) {
  std::array<char, 40> digits;  // a sign and the 39 digits of 2^128 - 1
  std::size_t first = digits.size();
  do {
    digits[--first] = static_cast<char>('0' + static_cast<int>(number % 10));
    number /= 10;
  } while (number != 0);
  if (negative) digits[--first] = '-';
  return std::string(digits.data() + first, digits.size() - first);
}

std::optional<Token> within(const TokenSpace& space, std::optional<u128> position) {
  if (!position || *position > space.last) return std::nullopt;
  return Token{*position};
}

std::optional<Token> from_signed_decimal(const TokenSpace& space, std::string_view text) {
  const u128 zero = zero_of_signed(space);
  if (text.empty() || text.front() != '-') {
    const auto magnitude = parse(text, 10, zero - 1);
    return magnitude ? within(space, zero + *magnitude) : std::nullopt;
  }
  const auto magnitude = parse(text.substr(1), 10, zero);
  // "-0" is refused, so that a sign never stands for nothing.
  if (!magnitude || *magnitude == 0) return std::nullopt;
  return within(space, zero - *magnitude);
}

/// floor(part * 2^53 / total), for part < total.
std::int64_t units_of(u128 part, u128 total) {
  if (total >> 75 == 0) return static_cast<std::int64_t>((part << 53) / total);
  // The product no longer fits 128 bits: long division, a binary digit at a time.
  std::int64_t units = 0;
  for (int digit = 0; digit < 53; ++digit) {
    // part >= total - part says 2 * part >= total without forming 2 * part, which may not fit either.
    const bool one = part >= total - part;
    part = one ? part - (total - part) : part + part;
    units = units * 2 + (one ? 1 : 0);
  }
  return units;
}

int width(u128 number) {
  const auto high = static_cast<std::uint64_t>(number >> 64);
  const auto low = static_cast<std::uint64_t>(number);
  return static_cast<int>(high != 0 ? 64 + std::bit_width(high) : std::bit_width(low));
}

}  // namespace

std::string to_hex(const TokenSpace& space, Token token) {
  u128 number = is_signed(space) ? token.value ^ zero_of_signed(space) : token.value;
  std::string text(space.bits / 4U, '0');
  for (std::size_t i = text.size(); i != 0; --i, number >>= 4)
    text[i - 1] = "0123456789abcdef"[static_cast<unsigned>(number & 15)];
  return text;
}

std::string to_text(const TokenSpace& space, Token token) {
  switch (space.notation) {
    case TokenSpace::Notation::hex:
      return to_hex(space, token);
    case TokenSpace::Notation::decimal:
      return decimal(token.value);
    case TokenSpace::Notation::signed_decimal:
      break;
  }
  const u128 zero = zero_of_signed(space);
  const bool negative = token.value < zero;
  return decimal(negative ? zero - token.value : token.value - zero, negative);
}

std::optional<Token> from_hex(const TokenSpace& space, std::string_view text) {
  const auto number = parse(text, 16, TokenSpace::unsigned_bits(space.bits).last);
  if (!number) return std::nullopt;
  return within(space, is_signed(space) ? *number ^ zero_of_signed(space) : *number);
}

std::optional<Token> from_text(const TokenSpace& space, std::string_view text) {
  switch (space.notation) {
    case TokenSpace::Notation::hex:
      return from_hex(space, text);
    case TokenSpace::Notation::decimal:
      return within(space, parse(text, 10, space.last));
    case TokenSpace::Notation::signed_decimal:
      break;
  }
  return from_signed_decimal(space, text);
}

Share share_upto(const HashDomain& domain, Token t) {
  if (t.value >= domain.last) return Share::whole();
  const u128 part = t.value + 1;
  const u128 total = domain.last + 1;
  if ((total & domain.last) != 0) return {units_of(part, total)};
  // A power of two, of which 2^128 has wrapped to 0: a shift is exact and needs no division.
  const int bits = width(domain.last);
  return {static_cast<std::int64_t>(bits <= 53 ? part << (53 - bits) : part >> (bits - 53))};
}

}  // namespace arcwise
