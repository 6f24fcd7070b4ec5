// One block of MD5: its constants, its padding, and the state it begins with.
//
// Layer: hash. Pure, noexcept, no allocation; thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "hash/bytes.hpp"

namespace arcwise::md5_block {

inline constexpr std::array<std::uint32_t, 4> initial_state = {0x67452301, 0xefcdab89, 0x98badcfe,
                                                               0x10325476};

/// floor(2^32 * |sin(i + 1)|), written out because the sine of a library may differ in the last bit.
inline constexpr std::uint32_t sines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};

/// Longest message that fits one block beside the 0x80 byte and its length.
inline constexpr std::size_t longest_single = 55;

/// Blocks that a message of this size fills.
constexpr std::size_t count(std::size_t message_size) noexcept {
  return (message_size + 8) / 64 + 1;
}

/// The words of the block that a message of at most `longest_single` bytes becomes. Each word is stored once
/// and whole: a word read back from a byte store and an older one would wait until both have left the store
/// buffer, and with it for all of the hash before.
inline void pad(std::string_view message, std::uint32_t (&words)[16]) noexcept {
  const char* from = message.data();
  const std::size_t size = message.size(), whole = size / 4, rest = size % 4;
  std::memset(words, 0, sizeof words);
  for (std::size_t w = 0; w < whole; ++w) words[w] = bytes::load_le32(from + 4 * w);
  std::uint32_t last = 0x80U << 8 * rest;
  if (whole != 0)  // the last four bytes but those of the word before: of "abcdef" "cdef" gives "ef"
    last |= static_cast<std::uint32_t>(std::uint64_t{bytes::load_le32(from + size - 4)} >> (32 - 8 * rest));
  else
    for (std::size_t i = 0; i < rest; ++i)
      last |= std::uint32_t{static_cast<unsigned char>(from[i])} << 8 * i;
  words[whole] = last;
  words[14] = static_cast<std::uint32_t>(8 * size);
}

}  // namespace arcwise::md5_block
