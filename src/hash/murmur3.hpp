// MurmurHash3: x64 128-bit with seed 0, the variant of it that Cassandra froze, and x86 32-bit.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

namespace arcwise {

/// Both 64-bit words, in the order in which the reference implementation writes them.
std::array<std::uint64_t, 2> murmur3_x64_128(std::string_view bytes) noexcept;

/// As above, but each byte of the tail (the last size mod 16 bytes) is sign-extended before it is mixed in.
/// Differs from the standard only where a tail byte is 0x80 or more.
std::array<std::uint64_t, 2> murmur3_x64_128_signed_tail(std::string_view bytes) noexcept;

/// Murmur3Partitioner's token in ring order (top bit flipped). The empty key is not hashed: it has the
/// minimum token, 0, which no other key can have, because a hash of -2^63 becomes 2^63 - 1.
std::uint64_t murmur3_cassandra(std::string_view bytes) noexcept;

/// MurmurHash3 x86 32-bit of bytes that come one after the other, as texts do when they are turned into other
/// units.
class Murmur32 {
 public:
  explicit Murmur32(std::uint32_t seed) noexcept : hash_(seed) {}

  void add_block(std::uint32_t block) noexcept {
    hash_ = std::rotl(hash_ ^ mixed(block), 13) * 5 + 0xe6546b64;
    size_ += 4;
  }
  void add(std::uint8_t byte) noexcept {
    block_ |= std::uint32_t{byte} << (8 * tail_);
    if (++tail_ < 4) return;
    add_block(block_);
    block_ = tail_ = 0;
  }
  std::uint32_t finish() const noexcept {
    std::uint32_t hash = hash_ ^ mixed(block_);  // a tail of no bytes mixes to zero
    hash ^= size_ + tail_;
    hash = (hash ^ (hash >> 16)) * 0x85ebca6b;
    hash = (hash ^ (hash >> 13)) * 0xc2b2ae35;
    return hash ^ (hash >> 16);
  }

 private:
  static std::uint32_t mixed(std::uint32_t block) noexcept {
    return std::rotl(block * 0xcc9e2d51, 15) * 0x1b873593;
  }

  std::uint32_t hash_;
  std::uint32_t block_ = 0;
  std::uint32_t tail_ = 0;  ///< bytes in block_
  std::uint32_t size_ = 0;  ///< bytes in whole blocks, modulo 2^32
};

/// MurmurHash3 x86 32-bit. libmemcached: seed murmur_memcached_seed(bytes).
std::uint32_t murmur3_32(std::string_view bytes, std::uint32_t seed) noexcept;

/// pymemcache: seed 0 over the text's code points, each cut to its low 8 bits; the length counts characters.
std::uint32_t murmur3_32_code_points(std::string_view text) noexcept;

/// Elasticsearch and OpenSearch: seed 0 over the text in UTF-16LE.
std::uint32_t murmur3_32_utf16le(std::string_view text) noexcept;

}  // namespace arcwise
