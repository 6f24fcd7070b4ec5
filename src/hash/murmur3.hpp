// MurmurHash3: x64 128-bit with seed 0, the variant of it that Cassandra froze, and x86 32-bit.
#pragma once

#include <array>
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

/// MurmurHash3 x86 32-bit. libmemcached: seed murmur_memcached_seed(bytes).
std::uint32_t murmur3_32(std::string_view bytes, std::uint32_t seed) noexcept;

/// pymemcache: seed 0 over the text's code points, each cut to its low 8 bits; the length counts characters.
std::uint32_t murmur3_32_code_points(std::string_view text) noexcept;

/// Elasticsearch and OpenSearch: seed 0 over the text in UTF-16LE.
std::uint32_t murmur3_32_utf16le(std::string_view text) noexcept;

}  // namespace arcwise
