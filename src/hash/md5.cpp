#include "hash/md5.hpp"

#include <bit>
#include <cstddef>
#include <utility>

#include "hash/bytes.hpp"
#include "hash/merkle_damgard.hpp"

namespace arcwise {
namespace {

using State = std::array<std::uint32_t, 4>;

/// floor(2^32 * |sin(i + 1)|), written out because the sine of a library may differ in the last bit.
constexpr std::uint32_t sines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};

constexpr int rotations[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

/// The boolean function of a round and the message word that its step i reads.
template <std::size_t round>
constexpr std::uint32_t choose(std::uint32_t b, std::uint32_t c, std::uint32_t d) noexcept {
  if constexpr (round == 0) return d ^ (b & (c ^ d));
  if constexpr (round == 1) return c ^ (d & (b ^ c));
  if constexpr (round == 2) return b ^ c ^ d;
  return c ^ (b | ~d);
}

template <std::size_t round>
constexpr std::size_t word_of(std::size_t i) noexcept {
  constexpr std::size_t factor[4] = {1, 5, 3, 7};
  constexpr std::size_t start[4] = {0, 1, 5, 0};
  return (factor[round] * i + start[round]) % 16;
}

/// Step i of 64. The words stay where they are and their roles (a…d of the standard) move on instead; all
/// indices are constants, so that they live in registers.
template <std::size_t i>
[[gnu::always_inline]] inline void step(State& words, const std::uint32_t (&message)[16]) noexcept {
  constexpr std::size_t round = i / 16;
  const auto role = [&words](std::size_t r) -> std::uint32_t& { return words[(r + 64 - i) % 4]; };
  const std::uint32_t sum =
      role(0) + choose<round>(role(1), role(2), role(3)) + message[word_of<round>(i)] + sines[i];
  role(0) = role(1) + std::rotl(sum, rotations[round][i % 4]);
}

template <std::size_t... i>
[[gnu::always_inline]] inline void steps(State& words, const std::uint32_t (&message)[16],
                                         std::index_sequence<i...>) noexcept {
  (step<i>(words, message), ...);
}

void compress(State& state, const unsigned char* block, std::size_t count) noexcept {
  for (; count != 0; --count, block += merkle_damgard::block_size) {
    std::uint32_t message[16];
    for (std::size_t i = 0; i < 16; ++i) message[i] = bytes::load_le32(block + 4 * i);
    State words = state;
    steps(words, message, std::make_index_sequence<64>());
    for (std::size_t i = 0; i < state.size(); ++i) state[i] += words[i];
  }
}

}  // namespace

std::array<std::uint8_t, 16> md5(std::string_view input) noexcept {
  State state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  merkle_damgard::absorb<std::endian::little>(
      input, [&state](const unsigned char* block, std::size_t count) { compress(state, block, count); });
  std::array<std::uint8_t, 16> digest;
  for (std::size_t i = 0; i < state.size(); ++i) bytes::store_le32(digest.data() + 4 * i, state[i]);
  return digest;
}

}  // namespace arcwise
