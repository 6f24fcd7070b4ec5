// MurmurHash3 x64 128-bit, seed 0, and the variant of it that Cassandra froze.
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

}  // namespace arcwise
