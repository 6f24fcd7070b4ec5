// The padding that MD5, SHA-1 and SHA-256 share: 64-byte blocks, a 0x80 byte, zeros, the length in bits.
//
// Layer: hash. Pure, noexcept, no allocation; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "hash/bytes.hpp"

namespace arcwise::merkle_damgard {

inline constexpr std::size_t block_size = 64;

/// Compresses what is left of a message (fewer than 64 bytes) with its padding: one block, or two where the
/// length no longer fits. `compress(const unsigned char* blocks, std::size_t count)` updates the state.
template <std::endian length_order, class Compress>
void close(const void* rest, std::size_t rest_size, std::uint64_t message_size,
           Compress&& compress) noexcept {
  unsigned char last[2 * block_size] = {};
  if (rest_size != 0) std::memcpy(last, rest, rest_size);  // memcpy from a null pointer is undefined
  last[rest_size] = 0x80;
  const std::size_t count = rest_size + 9 <= block_size ? 1 : 2;
  bytes::store<std::uint64_t, length_order>(last + count * block_size - 8, message_size << 3);
  compress(static_cast<const unsigned char*>(last), count);
}

/// Compresses a whole message that lies in one piece.
template <std::endian length_order, class Compress>
void absorb(std::string_view message, Compress&& compress) noexcept {
  const auto* data = reinterpret_cast<const unsigned char*>(message.data());
  const std::size_t whole = message.size() / block_size;
  if (whole != 0) compress(data, whole);
  const std::size_t done = whole * block_size;
  close<length_order>(done == 0 ? data : data + done, message.size() - done, message.size(), compress);
}

}  // namespace arcwise::merkle_damgard
