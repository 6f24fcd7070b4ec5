// Positions that stores and clients take from whole digests: wider than the 64 bits of a key hash.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "arcwise/token.hpp"

namespace arcwise {

/// The MD5 digest, most significant byte first: uhashring's default ring.
u128 md5_u128(std::string_view bytes) noexcept;

/// Cassandra's RandomPartitioner: the absolute value of the digest as a signed number, 0…2^127 (both ends
/// occur). The empty key, whose token Cassandra calls -1, is 0 here: no node can hold -1, so the first token
/// at or after either is the same. Only a text that shows a key's token must write -1 for the empty key.
u128 random_partitioner_token(std::string_view bytes) noexcept;

/// Riak: SHA-1 of the Erlang term {Bucket, Key}, a position of the 160-bit ring, most significant byte first.
/// A bucket type other than none or "default" makes the bucket a pair {Type, Bucket}.
std::array<std::uint8_t, 20> riak_key_index(std::string_view type, std::string_view bucket,
                                            std::string_view key) noexcept;

}  // namespace arcwise
