#include "hash/spooky.hpp"

#include <bit>
#include <cstddef>
#include <cstring>

#include "hash/bytes.hpp"

namespace arcwise {
namespace {

constexpr std::uint64_t odd = 0xdeadbeefdeadbeef;
constexpr std::size_t long_words = 12;
constexpr std::size_t block_size = 8 * long_words;
constexpr std::size_t short_limit = 2 * block_size;

/// Four words; after each of the twelve steps their roles move on by one, so step i works on words (i + 2)
/// and its two neighbours, modulo 4.
void short_mix(std::uint64_t (&h)[4]) noexcept {
  constexpr int rotations[12] = {50, 52, 30, 41, 54, 48, 38, 37, 62, 34, 5, 36};
  for (std::size_t i = 0; i < 12; ++i) {
    std::uint64_t& x = h[(i + 2) % 4];
    x = std::rotl(x, rotations[i]) + h[(i + 3) % 4];
    h[i % 4] ^= x;
  }
}

void short_end(std::uint64_t (&h)[4]) noexcept {
  constexpr int rotations[11] = {15, 52, 26, 51, 28, 9, 47, 54, 32, 25, 63};
  for (std::size_t i = 0; i < 11; ++i) {
    std::uint64_t& x = h[(i + 3) % 4];
    std::uint64_t& y = h[(i + 2) % 4];
    x ^= y;
    y = std::rotl(y, rotations[i]);
    x += y;
  }
}

std::array<std::uint64_t, 2> short_hash(std::string_view input, std::uint64_t seed1,
                                        std::uint64_t seed2) noexcept {
  std::uint64_t h[4] = {seed1, seed2, odd, odd};
  const std::uint64_t size = input.size();
  const auto add_sixteen = [&h](const char* from) {
    h[2] += bytes::load_le64(from);
    h[3] += bytes::load_le64(from + 8);
    short_mix(h);
  };
  for (; input.size() >= 32; input.remove_prefix(32)) {
    add_sixteen(input.data());
    h[0] += bytes::load_le64(input.data() + 16);
    h[1] += bytes::load_le64(input.data() + 24);
  }
  if (input.size() >= 16) {
    add_sixteen(input.data());
    input.remove_prefix(16);
  }
  h[3] += size << 56;
  if (input.empty()) {
    h[2] += odd;
    h[3] += odd;
  } else {
    h[2] += bytes::load_tail(input.substr(0, 8));
    if (input.size() > 8) h[3] += bytes::load_tail(input.substr(8));
  }
  short_end(h);
  return {h[0], h[1]};
}

using LongState = std::uint64_t[long_words];

void long_mix(LongState& s, const char* block) noexcept {
  constexpr int rotations[long_words] = {11, 32, 43, 31, 17, 28, 39, 57, 55, 54, 22, 46};
  for (std::size_t i = 0; i < long_words; ++i) {
    s[i] += bytes::load_le64(block + 8 * i);
    s[(i + 2) % 12] ^= s[(i + 10) % 12];
    s[(i + 11) % 12] ^= s[i];
    s[i] = std::rotl(s[i], rotations[i]);
    s[(i + 11) % 12] += s[(i + 1) % 12];
  }
}

void long_end(LongState& s, const char* block) noexcept {
  constexpr int rotations[long_words] = {44, 15, 34, 21, 38, 33, 10, 13, 38, 53, 42, 54};
  for (std::size_t i = 0; i < long_words; ++i) s[i] += bytes::load_le64(block + 8 * i);
  for (int round = 0; round < 3; ++round)
    for (std::size_t i = 0; i < long_words; ++i) {
      s[(i + 11) % 12] += s[(i + 1) % 12];
      s[(i + 2) % 12] ^= s[(i + 11) % 12];
      s[(i + 1) % 12] = std::rotl(s[(i + 1) % 12], rotations[i]);
    }
}

}  // namespace

std::array<std::uint64_t, 2> spooky_v2_128(std::string_view input, std::uint64_t seed1,
                                           std::uint64_t seed2) noexcept {
  if (input.size() < short_limit) return short_hash(input, seed1, seed2);
  LongState s;
  for (std::size_t i = 0; i < long_words; i += 3) {
    s[i] = seed1;
    s[i + 1] = seed2;
    s[i + 2] = odd;
  }
  for (; input.size() >= block_size; input.remove_prefix(block_size)) long_mix(s, input.data());
  char last[block_size] = {};  // what is left, zeros, and in the last byte how much was left
  std::memcpy(last, input.data(), input.size());
  last[block_size - 1] = static_cast<char>(input.size());
  long_end(s, last);
  return {s[0], s[1]};
}

}  // namespace arcwise
