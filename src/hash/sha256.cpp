#include "hash/sha256.hpp"

#include <bit>
#include <cstddef>
#include <utility>

#include "hash/bytes.hpp"

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

/// One step. The words stay where they are and their roles (a…h of the standard) move on instead; all indices
/// are constants, so that words and schedule live in registers.
template <bool extend, std::size_t i>
[[gnu::always_inline]] inline void step(std::uint32_t (&words)[8], std::uint32_t (&schedule)[16],
                                        const std::uint32_t* constants) noexcept {
  const auto role = [&words](std::size_t r) -> std::uint32_t& { return words[(r - i) % 8]; };
  if constexpr (extend)
    schedule[i] +=
        small_sigma1(schedule[(i + 14) % 16]) + schedule[(i + 9) % 16] + small_sigma0(schedule[(i + 1) % 16]);
  const std::uint32_t a = role(0), b = role(1), c = role(2), e = role(4), f = role(5), g = role(6);
  const std::uint32_t sum = role(7) + big_sigma1(e) + (g ^ (e & (f ^ g))) + constants[i] + schedule[i];
  role(3) += sum;
  role(7) = sum + big_sigma0(a) + ((a & b) | (c & (a | b)));
}

template <bool extend, std::size_t... i>
[[gnu::always_inline]] inline void steps(std::uint32_t (&words)[8], std::uint32_t (&schedule)[16],
                                         const std::uint32_t* constants, std::index_sequence<i...>) noexcept {
  (step<extend, i>(words, schedule, constants), ...);
}

void compress(std::array<std::uint32_t, 8>& state, const unsigned char* block, std::size_t count) noexcept {
  constexpr auto sixteen = std::make_index_sequence<16>();
  for (; count != 0; --count, block += merkle_damgard::block_size) {
    std::uint32_t schedule[16];
    for (std::size_t i = 0; i < 16; ++i) schedule[i] = bytes::load_be32(block + 4 * i);
    std::uint32_t words[8];
    for (std::size_t i = 0; i < 8; ++i) words[i] = state[i];
    steps<false>(words, schedule, round_constants, sixteen);
    for (std::size_t done = 16; done < 64; done += 16)
      steps<true>(words, schedule, round_constants + done, sixteen);
    for (std::size_t i = 0; i < 8; ++i) state[i] += words[i];
  }
}

}  // namespace

void Sha256::update(std::string_view input) noexcept {
  pieces_.add(input,
              [this](const unsigned char* block, std::size_t count) { compress(state_, block, count); });
}

std::array<std::uint8_t, 32> Sha256::finish() noexcept {
  pieces_.finish<std::endian::big>(
      [this](const unsigned char* block, std::size_t count) { compress(state_, block, count); });
  std::array<std::uint8_t, 32> digest;
  for (std::size_t i = 0; i < state_.size(); ++i) bytes::store_be32(digest.data() + 4 * i, state_[i]);
  state_ = initial;
  return digest;
}

std::array<std::uint8_t, 32> sha256(std::string_view input) noexcept {
  Sha256 hash;
  hash.update(input);
  return hash.finish();
}

}  // namespace arcwise
