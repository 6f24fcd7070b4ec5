#include "hash/sha256.hpp"

#include <bit>
#include <cstring>

#include "hash/bytes.hpp"
#include "hash/merkle_damgard.hpp"

namespace arcwise {
namespace {

constexpr std::uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr std::uint32_t big_sigma0(std::uint32_t x) noexcept {
  return std::rotr(x, 2) ^ std::rotr(x, 13) ^ std::rotr(x, 22);
}
constexpr std::uint32_t big_sigma1(std::uint32_t x) noexcept {
  return std::rotr(x, 6) ^ std::rotr(x, 11) ^ std::rotr(x, 25);
}
constexpr std::uint32_t small_sigma0(std::uint32_t x) noexcept {
  return std::rotr(x, 7) ^ std::rotr(x, 18) ^ (x >> 3);
}
constexpr std::uint32_t small_sigma1(std::uint32_t x) noexcept {
  return std::rotr(x, 17) ^ std::rotr(x, 19) ^ (x >> 10);
}

/// One step with the roles of the eight words given by the caller, so that an unrolled loop moves none of
/// them.
inline void step(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t& d, std::uint32_t e,
                 std::uint32_t f, std::uint32_t g, std::uint32_t& h, std::uint32_t input) noexcept {
  h += big_sigma1(e) + (g ^ (e & (f ^ g))) + input;
  d += h;
  h += big_sigma0(a) + ((a & b) | (c & (a | b)));
}

void compress(std::array<std::uint32_t, 8>& state, const unsigned char* block, std::size_t count) noexcept {
  for (; count != 0; --count, block += merkle_damgard::block_size) {
    std::uint32_t schedule[64];
    for (std::size_t i = 0; i < 16; ++i) schedule[i] = bytes::load_be32(block + 4 * i);
    for (std::size_t i = 16; i < 64; ++i)
      schedule[i] =
          small_sigma1(schedule[i - 2]) + schedule[i - 7] + small_sigma0(schedule[i - 15]) + schedule[i - 16];
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t i = 0; i < 64; i += 8) {
      step(a, b, c, d, e, f, g, h, round_constants[i] + schedule[i]);
      step(h, a, b, c, d, e, f, g, round_constants[i + 1] + schedule[i + 1]);
      step(g, h, a, b, c, d, e, f, round_constants[i + 2] + schedule[i + 2]);
      step(f, g, h, a, b, c, d, e, round_constants[i + 3] + schedule[i + 3]);
      step(e, f, g, h, a, b, c, d, round_constants[i + 4] + schedule[i + 4]);
      step(d, e, f, g, h, a, b, c, round_constants[i + 5] + schedule[i + 5]);
      step(c, d, e, f, g, h, a, b, round_constants[i + 6] + schedule[i + 6]);
      step(b, c, d, e, f, g, h, a, round_constants[i + 7] + schedule[i + 7]);
    }
    const std::array<std::uint32_t, 8> next = {a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < state.size(); ++i) state[i] += next[i];
  }
}

}  // namespace

void Sha256::update(std::string_view input) noexcept {
  if (input.empty()) return;
  const auto* data = reinterpret_cast<const unsigned char*>(input.data());
  std::size_t left = input.size();
  const std::size_t waiting = size_ % sizeof pending_;
  size_ += left;
  if (waiting != 0) {
    const std::size_t room = sizeof pending_ - waiting;
    const std::size_t taken = left < room ? left : room;
    std::memcpy(pending_ + waiting, data, taken);
    if (taken < room) return;
    compress(state_, pending_, 1);
    data += taken;
    left -= taken;
  }
  const std::size_t whole = left / sizeof pending_;
  compress(state_, data, whole);
  std::memcpy(pending_, data + whole * sizeof pending_, left % sizeof pending_);
}

std::array<std::uint8_t, 32> Sha256::finish() noexcept {
  merkle_damgard::close<std::endian::big>(
      pending_, size_ % sizeof pending_, size_,
      [this](const unsigned char* block, std::size_t count) { compress(state_, block, count); });
  std::array<std::uint8_t, 32> digest;
  for (std::size_t i = 0; i < state_.size(); ++i) bytes::store_be32(digest.data() + 4 * i, state_[i]);
  state_ = initial;
  size_ = 0;
  return digest;
}

std::array<std::uint8_t, 32> sha256(std::string_view input) noexcept {
  Sha256 hash;
  hash.update(input);
  return hash.finish();
}

}  // namespace arcwise
