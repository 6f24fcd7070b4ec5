#include "hash/sha1.hpp"

#include <bit>
#include <cstddef>

#include "hash/bytes.hpp"
#include "hash/merkle_damgard.hpp"

namespace arcwise {
namespace {

using State = std::array<std::uint32_t, 5>;

constexpr std::uint32_t round_constants[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};

template <int round>
constexpr std::uint32_t choose(std::uint32_t b, std::uint32_t c, std::uint32_t d) noexcept {
  if constexpr (round == 0) return d ^ (b & (c ^ d));
  if constexpr (round == 2) return (b & c) | (d & (b | c));
  return b ^ c ^ d;
}

template <int round>
void twenty_steps(State& s, const std::uint32_t (&schedule)[80]) noexcept {
  auto [a, b, c, d, e] = s;
  for (std::size_t i = 0; i < 20; ++i) {
    const std::uint32_t next =
        std::rotl(a, 5) + choose<round>(b, c, d) + e + round_constants[round] + schedule[20 * round + i];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  s = {a, b, c, d, e};
}

void compress(State& state, const unsigned char* block, std::size_t count) noexcept {
  for (; count != 0; --count, block += merkle_damgard::block_size) {
    std::uint32_t schedule[80];
    for (std::size_t i = 0; i < 16; ++i) schedule[i] = bytes::load_be32(block + 4 * i);
    for (std::size_t i = 16; i < 80; ++i)
      schedule[i] = std::rotl(schedule[i - 3] ^ schedule[i - 8] ^ schedule[i - 14] ^ schedule[i - 16], 1);
    State next = state;
    twenty_steps<0>(next, schedule);
    twenty_steps<1>(next, schedule);
    twenty_steps<2>(next, schedule);
    twenty_steps<3>(next, schedule);
    for (std::size_t i = 0; i < state.size(); ++i) state[i] += next[i];
  }
}

}  // namespace

std::array<std::uint8_t, 20> sha1(std::string_view input) noexcept {
  State state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  merkle_damgard::absorb<std::endian::big>(
      input, [&state](const unsigned char* block, std::size_t count) { compress(state, block, count); });
  std::array<std::uint8_t, 20> digest;
  for (std::size_t i = 0; i < state.size(); ++i) bytes::store_be32(digest.data() + 4 * i, state[i]);
  return digest;
}

}  // namespace arcwise
