// Positions on the circle: key hashes, tokens, the spaces they live in, and the arcs between them.
//
// Layer: hash. Value types and pure functions; nothing allocates but the text forms; all are thread-safe.
// Everything is held unsigned and in ring order, so that "next token clockwise" is one integer comparison in
// every system: a signed token (Cassandra, ScyllaDB) is stored with its top bit flipped and printed back as
// signed.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace arcwise {

__extension__ typedef unsigned __int128 u128;

/// Where a key falls: a position of the placement's token space, 0…space.last.
struct KeyHash {
  u128 value = 0;
  friend constexpr auto operator<=>(const KeyHash&, const KeyHash&) = default;
};

/// A position that a node holds. A key belongs to the first token at or after its hash, wrapping at the top.
struct Token {
  u128 value = 0;
  friend constexpr auto operator<=>(const Token&, const Token&) = default;
};

/// The positions a system uses and how it writes them.
struct TokenSpace {
  enum class Notation : std::uint8_t {
    hex,             ///< unsigned, lower-case hex, bits / 4 digits
    signed_decimal,  ///< two's complement of `bits`, decimal (Murmur3Partitioner)
    decimal          ///< unsigned decimal (slots, buckets, RandomPartitioner)
  };
  u128 last = ~std::uint64_t{0};  ///< largest position; there are last + 1
  std::uint8_t bits = 64;         ///< ring width, a multiple of 4, used for hex
  Notation notation = Notation::hex;

  static constexpr TokenSpace unsigned_bits(std::uint8_t bits) {
    return {bits >= 128 ? ~u128{0} : (u128{1} << bits) - 1, bits, Notation::hex};
  }
  static constexpr TokenSpace signed_64() { return {~std::uint64_t{0}, 64, Notation::signed_decimal}; }
  /// Numbered pieces 0…count-1 (Redis slots, modulo buckets). count >= 1.
  static constexpr TokenSpace slots(std::uint64_t count) { return {u128{count} - 1, 64, Notation::decimal}; }

  friend constexpr bool operator==(const TokenSpace&, const TokenSpace&) = default;
};

/// `bits / 4` lower-case hex digits; two's complement for signed spaces. The form of map files and digests.
std::string to_hex(const TokenSpace& space, Token token);
/// The form the system itself prints: `-42`, `5970`, `0f3a…`.
std::string to_text(const TokenSpace& space, Token token);
/// Reverse of to_hex; fewer digits are taken as leading zeros. nullopt: no digits, another character, or out
/// of range.
std::optional<Token> from_hex(const TokenSpace& space, std::string_view text);
/// Reverse of to_text. nullopt: not a number of this notation, or out of range.
std::optional<Token> from_text(const TokenSpace& space, std::string_view text);

/// A fraction of hash space as an exact multiple of 2^-53, so that sums are exact in any order: the shares of
/// all regions add up to 1 to the last bit, and so do the doubles made of them.
struct Share {
  std::int64_t units = 0;  ///< multiples of 2^-53

  static constexpr std::int64_t one = std::int64_t{1} << 53;
  static constexpr Share whole() { return {one}; }
  constexpr double value() const { return static_cast<double>(units) / static_cast<double>(one); }

  constexpr Share& operator+=(Share o) {
    units += o.units;
    return *this;
  }
  friend constexpr Share operator+(Share a, Share b) { return {a.units + b.units}; }
  friend constexpr Share operator-(Share a, Share b) { return {a.units - b.units}; }
  friend constexpr auto operator<=>(const Share&, const Share&) = default;
};

/// The half-open arc (after, upto]. after == upto is the whole circle.
struct Region {
  Token after;
  Token upto;
  friend constexpr bool operator==(const Region&, const Region&) = default;
};

/// The values that a key hash can really take within a token space: 0…last, all equally likely. Narrower than
/// the space when a system lays a short hash on a wide ring (a 15-bit CRC on a 32-bit ring reaches 2^15
/// positions only).
struct HashDomain {
  u128 last = ~std::uint64_t{0};
  friend constexpr bool operator==(const HashDomain&, const HashDomain&) = default;
};

/// Fraction of the domain's hash values at positions 0…t, rounded down to a multiple of 2^-53.
Share share_upto(const HashDomain& domain, Token t);

/// Fraction of the domain's hash values inside the region. Worked example, space 0…99, (85, 10]:
/// share_upto(10) - share_upto(85) + 1 = 0.11 - 0.86 + 1 = 0.25.
inline Share share_of(const HashDomain& domain, const Region& r) {
  Share s = share_upto(domain, r.upto) - share_upto(domain, r.after);
  return r.after >= r.upto ? s + Share::whole() : s;
}

}  // namespace arcwise
