// Bob Jenkins' hashes: one-at-a-time and lookup3, with lookup3 as PostgreSQL uses it.
#pragma once

#include <cstdint>
#include <string_view>

#include "arcwise/hash.hpp"

namespace arcwise {

std::uint32_t one_at_a_time(std::string_view bytes, ByteSign sign) noexcept;

/// lookup3's `hashlittle`. libmemcached and twemproxy: initval 13.
std::uint32_t lookup3(std::string_view bytes, std::uint32_t initval) noexcept;

/// PostgreSQL's hash functions of types on a little-endian server; Citus shards the signed 32-bit circle by
/// them. Text (hashtext, any deterministic collation) and bytea: the bytes. uuid: its 16 bytes in the order
/// written.
std::uint32_t postgres_bytes(std::string_view bytes) noexcept;
/// int4; also int2, char, oid.
std::uint32_t postgres_int4(std::int32_t value) noexcept;
/// int8; a value that fits in int4 has int4's hash.
std::uint32_t postgres_int8(std::int64_t value) noexcept;

}  // namespace arcwise
