#include "hash/md5.hpp"

#include <cstddef>
#include <utility>

#include "hash/bytes.hpp"
#include "hash/md5_block.hpp"
#include "hash/merkle_damgard.hpp"

namespace arcwise {
namespace {

using Word = std::uint32_t;
using State = std::array<Word, 4>;
constexpr bool split_choice = true;
#define MD5_TARGET
#include "hash/md5_rounds.inc"
#undef MD5_TARGET

[[gnu::always_inline]] inline void add_block(State& state, const Word (&message)[1][16]) noexcept {
  Word words[1][4] = {{state[0], state[1], state[2], state[3]}};
  steps(words, message, md5_block::sines, std::make_index_sequence<64>());
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += words[0][i];
}

void compress(State& state, const unsigned char* block, std::size_t count) noexcept {
  for (; count != 0; --count, block += merkle_damgard::block_size) {
    Word message[1][16];
    for (std::size_t i = 0; i < 16; ++i) message[0][i] = bytes::load_le32(block + 4 * i);
    add_block(state, message);
  }
}

}  // namespace

std::array<std::uint32_t, 4> md5_words(std::string_view input) noexcept {
  State state = md5_block::initial_state;
  if (input.size() <= md5_block::longest_single) {
    Word message[1][16];
    md5_block::pad(input, message[0]);
    add_block(state, message);
    return state;
  }
  merkle_damgard::absorb<std::endian::little>(
      input, [&state](const unsigned char* block, std::size_t count) { compress(state, block, count); });
  return state;
}

std::array<std::uint8_t, 16> md5(std::string_view input) noexcept {
  const std::array<std::uint32_t, 4> words = md5_words(input);
  std::array<std::uint8_t, 16> digest;
  for (std::size_t i = 0; i < words.size(); ++i) bytes::store_le32(digest.data() + 4 * i, words[i]);
  return digest;
}

}  // namespace arcwise
