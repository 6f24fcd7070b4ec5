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

/// A message that comes piece by piece: what waits for its block to fill up.
class Pieces {
 public:
  template <class Compress>
  void add(std::string_view input, Compress&& compress) noexcept {
    if (input.empty()) return;
    const auto* data = reinterpret_cast<const unsigned char*>(input.data());
    std::size_t left = input.size();
    const std::size_t waiting = size_ % block_size;
    size_ += left;
    if (waiting != 0) {
      const std::size_t room = block_size - waiting;
      const std::size_t taken = left < room ? left : room;
      std::memcpy(pending_ + waiting, data, taken);
      if (taken < room) return;
      compress(static_cast<const unsigned char*>(pending_), std::size_t{1});
      data += taken;
      left -= taken;
    }
    const std::size_t whole = left / block_size;
    compress(data, whole);
    std::memcpy(pending_, data + whole * block_size, left % block_size);
  }

  /// Compresses the end of the message; the next piece begins another.
  template <std::endian length_order, class Compress>
  void finish(Compress&& compress) noexcept {
    close<length_order>(pending_, size_ % block_size, size_, compress);
    size_ = 0;
  }

 private:
  std::uint64_t size_ = 0;
  unsigned char pending_[block_size];  ///< the first size_ % block_size bytes
};

}  // namespace arcwise::merkle_damgard
