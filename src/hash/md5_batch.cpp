// MD5 of up to 64 messages: those with as many blocks side by side, the long ones and a small rest one by
// one.
#include <algorithm>
#include <array>
#include <cstring>

#include "hash/md5.hpp"
#include "hash/md5_block.hpp"
#include "hash/md5_lanes.hpp"
#include "hash/merkle_damgard.hpp"

namespace arcwise {
namespace {

constexpr std::size_t most = Md5Batch::most;
constexpr std::size_t most_blocks = 4;  ///< beyond it (247 bytes) one by one: lanes wait for the longest
constexpr std::size_t least_in_lanes =
    3;  ///< one step of all lanes takes about as long as two messages alone

void one_by_one(std::string_view message, std::size_t i, Md5Batch& out) noexcept {
  const auto words = md5_words(message);
  for (std::size_t w = 0; w < words.size(); ++w) out.word[w][i] = words[w];
}

/// Block b of a message.
void put_block(std::string_view message, std::size_t b, Md5Block& block) noexcept {
  const std::size_t whole = message.size() / sizeof block;
  if (b < whole) {
    std::memcpy(block, message.data() + b * sizeof block, sizeof block);
    return;
  }
  const std::string_view rest = message.substr(whole * sizeof block);
  merkle_damgard::close<std::endian::little>(
      rest.data(), rest.size(), message.size(), [&](const unsigned char* blocks, std::size_t) noexcept {
        std::memcpy(block, blocks + (b - whole) * sizeof block, sizeof block);
      });
}

void begin(std::size_t count, std::size_t first, Md5Batch& out) noexcept {
  for (std::size_t w = 0; w < 4; ++w) std::fill_n(out.word[w] + first, count, md5_block::initial_state[w]);
}

/// Messages of one block each; of those that fill no group, copies are made, and lanes left over compute what
/// nobody asks for.
void single_blocks(const Md5Lanes& lanes, std::span<const std::string_view> messages,
                   Md5Batch& out) noexcept {
  alignas(64) Md5Block blocks[most];
  begin(most, 0, out);
  std::size_t first = 0;
  for (; first + lanes.count <= messages.size(); first += lanes.count) {
    lanes.pad(&messages[first], blocks);
    lanes.compress(blocks, out.word[0] + first);
  }
  const std::span<const std::string_view> rest = messages.subspan(first);
  if (rest.size() < least_in_lanes) {
    for (; first < messages.size(); ++first) one_by_one(messages[first], first, out);
    return;
  }
  std::array<std::string_view, most> filled{};
  std::copy(rest.begin(), rest.end(), filled.begin());
  lanes.pad(filled.data(), blocks);
  lanes.compress(blocks, out.word[0] + first);
}

/// Messages in ascending order of their number of blocks, and where each stood.
struct Sorted {
  std::array<std::string_view, most> message{};
  std::array<std::uint8_t, most> index;
  std::size_t size = 0;

  Sorted(std::span<const std::string_view> messages, Md5Batch& out) noexcept {
    std::array<std::size_t, most_blocks + 2> start{};  // start[n]: of those with n blocks
    for (const std::string_view m : messages)
      if (const std::size_t blocks = md5_block::count(m.size()); blocks <= most_blocks) ++start[blocks + 1];
    for (std::size_t blocks = 2; blocks < start.size(); ++blocks) start[blocks] += start[blocks - 1];
    size = start.back();
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const std::size_t blocks = md5_block::count(messages[i].size());
      if (blocks > most_blocks) {
        one_by_one(messages[i], i, out);
        continue;
      }
      message[start[blocks]] = messages[i];
      index[start[blocks]++] = static_cast<std::uint8_t>(i);
    }
  }
};

/// Digests of the sorted messages from `first` on, as many as there are lanes. A lane whose message has ended
/// goes on with its last block; its digest has been taken by then.
void group(const Md5Lanes& lanes, const Sorted& sorted, std::size_t first, Md5Batch& out) noexcept {
  alignas(64) Md5Block blocks[most];
  Md5Batch state;
  begin(lanes.count, 0, state);
  const std::size_t taken = std::min(lanes.count, sorted.size - first);
  const std::string_view* messages = &sorted.message[first];
  const std::size_t blocks_of_last = md5_block::count(messages[taken - 1].size());
  for (std::size_t b = 0; b < blocks_of_last; ++b) {
    for (std::size_t i = 0; i < lanes.count; ++i)
      if (b < md5_block::count(messages[i].size())) put_block(messages[i], b, blocks[i]);
    lanes.compress(blocks, state.word[0]);
    for (std::size_t i = 0; i < taken; ++i)
      if (md5_block::count(messages[i].size()) == b + 1)
        for (std::size_t w = 0; w < 4; ++w) out.word[w][sorted.index[first + i]] = state.word[w][i];
  }
}

}  // namespace

void md5_batch(std::span<const std::string_view> messages, Md5Batch& out) noexcept {
  const Md5Lanes* lanes = md5_lanes(isa());
  if (!lanes) {
    for (std::size_t i = 0; i < messages.size(); ++i) one_by_one(messages[i], i, out);
    return;
  }
  std::size_t longest = 0;
  for (const std::string_view m : messages) longest = std::max(longest, m.size());
  if (longest <= md5_block::longest_single) return single_blocks(*lanes, messages, out);
  const Sorted sorted(messages, out);
  std::size_t first = 0;
  for (; first + least_in_lanes <= sorted.size; first += lanes->count) group(*lanes, sorted, first, out);
  for (; first < sorted.size; ++first) one_by_one(sorted.message[first], sorted.index[first], out);
}

}  // namespace arcwise
