#include "hash/sha1.hpp"

#include <bit>
#include <cstddef>
#include <utility>

#include "hash/bytes.hpp"

namespace arcwise {
namespace {

using State = std::array<std::uint32_t, 5>;

constexpr std::uint32_t round_constants[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};

template <std::size_t round>
constexpr std::uint32_t choose(std::uint32_t b, std::uint32_t c, std::uint32_t d) noexcept {
  if constexpr (round == 0) return d ^ (b & (c ^ d));
  if constexpr (round == 2) return (b & c) | (d & (b | c));
  return b ^ c ^ d;
}

/// Step i of 80. The words stay where they are and their roles (a…e of the standard) move on instead; all
/// indices are constants, so that words and schedule live in registers.
template <std::size_t i>
[[gnu::always_inline]] inline void step(State& words, std::uint32_t (&schedule)[16]) noexcept {
  const auto role = [&words](std::size_t r) -> std::uint32_t& { return words[(r + 80 - i) % 5]; };
  std::uint32_t& input = schedule[i % 16];
  if constexpr (i >= 16)
    input = std::rotl(input ^ schedule[(i + 2) % 16] ^ schedule[(i + 8) % 16] ^ schedule[(i + 13) % 16], 1);
  role(4) +=
      std::rotl(role(0), 5) + choose<i / 20>(role(1), role(2), role(3)) + round_constants[i / 20] + input;
  role(1) = std::rotl(role(1), 30);
}

template <std::size_t... i>
[[gnu::always_inline]] inline void steps(State& words, std::uint32_t (&schedule)[16],
                                         std::index_sequence<i...>) noexcept {
  (step<i>(words, schedule), ...);
}

void compress(State& state, const unsigned char* block, std::size_t count) noexcept {
  for (; count != 0; --count, block += merkle_damgard::block_size) {
    std::uint32_t schedule[16];
    for (std::size_t i = 0; i < 16; ++i) schedule[i] = bytes::load_be32(block + 4 * i);
    State words = state;
    steps(words, schedule, std::make_index_sequence<80>());
    for (std::size_t i = 0; i < state.size(); ++i) state[i] += words[i];
  }
}

}  // namespace

void Sha1::update(std::string_view input) noexcept {
  pieces_.add(input,
              [this](const unsigned char* block, std::size_t count) { compress(state_, block, count); });
}

std::array<std::uint8_t, 20> Sha1::finish() noexcept {
  pieces_.finish<std::endian::big>(
      [this](const unsigned char* block, std::size_t count) { compress(state_, block, count); });
  std::array<std::uint8_t, 20> digest;
  for (std::size_t i = 0; i < state_.size(); ++i) bytes::store_be32(digest.data() + 4 * i, state_[i]);
  state_ = initial;
  return digest;
}

std::array<std::uint8_t, 20> sha1(std::string_view input) noexcept {
  Sha1 hash;
  hash.update(input);
  return hash.finish();
}

}  // namespace arcwise
