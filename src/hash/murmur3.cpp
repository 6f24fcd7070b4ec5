#include "hash/murmur3.hpp"

#include <bit>
#include <cstddef>

#include "hash/bytes.hpp"
#include "hash/utf8.hpp"

namespace arcwise {
namespace {

constexpr std::uint64_t c1 = 0x87c37b91114253d5;
constexpr std::uint64_t c2 = 0x4cf5ad432745937f;

constexpr std::uint64_t mix_k1(std::uint64_t k) noexcept {
  return std::rotl(k * c1, 31) * c2;
}
constexpr std::uint64_t mix_k2(std::uint64_t k) noexcept {
  return std::rotl(k * c2, 33) * c1;
}

constexpr std::uint64_t finalize(std::uint64_t k) noexcept {
  k = (k ^ (k >> 33)) * 0xff51afd7ed558ccd;
  k = (k ^ (k >> 33)) * 0xc4ceb9fe1a85ec53;
  return k ^ (k >> 33);
}

/// The word made of `count` (at most 8) tail bytes. XOR rather than OR: with signed bytes the sign bits of
/// one overlap the bytes above it.
template <class Byte>
std::uint64_t tail_word(const char* from, std::size_t count) noexcept {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < count; ++i)
    word ^= static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<Byte>(from[i]))) << (8 * i);
  return word;
}

template <class TailByte>
std::array<std::uint64_t, 2> murmur3(std::string_view input) noexcept {
  const char* at = input.data();
  std::uint64_t h1 = 0;
  std::uint64_t h2 = 0;
  for (std::size_t block = input.size() / 16; block != 0; --block, at += 16) {
    h1 ^= mix_k1(bytes::load_le64(at));
    h1 = (std::rotl(h1, 27) + h2) * 5 + 0x52dce729;
    h2 ^= mix_k2(bytes::load_le64(at + 8));
    h2 = (std::rotl(h2, 31) + h1) * 5 + 0x38495ab5;
  }
  const std::size_t tail = input.size() % 16;
  if (tail > 8) h2 ^= mix_k2(tail_word<TailByte>(at + 8, tail - 8));
  if (tail > 0) h1 ^= mix_k1(tail_word<TailByte>(at, tail < 8 ? tail : 8));

  h1 ^= input.size();
  h2 ^= input.size();
  h1 += h2;
  h2 += h1;
  h1 = finalize(h1);
  h2 = finalize(h2);
  h1 += h2;
  h2 += h1;
  return {h1, h2};
}

}  // namespace

std::array<std::uint64_t, 2> murmur3_x64_128(std::string_view input) noexcept {
  return murmur3<std::uint8_t>(input);
}

std::array<std::uint64_t, 2> murmur3_x64_128_signed_tail(std::string_view input) noexcept {
  return murmur3<std::int8_t>(input);
}

std::uint64_t murmur3_cassandra(std::string_view input) noexcept {
  constexpr std::uint64_t top_bit = std::uint64_t{1} << 63;
  if (input.empty()) return 0;
  const std::uint64_t h1 = murmur3_x64_128_signed_tail(input)[0];
  return h1 == top_bit ? ~std::uint64_t{0} : h1 ^ top_bit;
}

std::uint32_t murmur3_32(std::string_view input, std::uint32_t seed) noexcept {
  Murmur32 hash(seed);
  for (; input.size() >= 4; input.remove_prefix(4)) hash.add_block(bytes::load_le32(input.data()));
  for (const char c : input) hash.add(static_cast<std::uint8_t>(c));
  return hash.finish();
}

std::uint32_t murmur3_32_code_points(std::string_view text) noexcept {
  Murmur32 hash(0);
  for_each_code_point(text, [&hash](std::uint32_t point) { hash.add(static_cast<std::uint8_t>(point)); });
  return hash.finish();
}

std::uint32_t murmur3_32_utf16le(std::string_view text) noexcept {
  Murmur32 hash(0);
  for_each_utf16_unit(text, [&hash](std::uint16_t unit) {
    hash.add(static_cast<std::uint8_t>(unit));
    hash.add(static_cast<std::uint8_t>(unit >> 8));
  });
  return hash.finish();
}

}  // namespace arcwise
