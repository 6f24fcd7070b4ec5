// Fowler-Noll-Vo hashes, and the forms of them that memcached's clients and proxies froze.
#pragma once

#include <cstdint>
#include <string_view>

#include "arcwise/hash.hpp"

namespace arcwise {

/// 64-bit FNV-1a: each byte is XORed in before the multiplication.
std::uint64_t fnv1a_64(std::string_view bytes) noexcept;

/// libmemcached and twemproxy. FNV-1 multiplies before it XORs. The 64-bit forms keep the low 32 bits; a sign
/// is extended to all of them.
std::uint32_t fnv1_32(std::string_view bytes, ByteSign sign) noexcept;
std::uint32_t fnv1a_32(std::string_view bytes, ByteSign sign) noexcept;
std::uint32_t fnv1_64_low32(std::string_view bytes, ByteSign sign) noexcept;
std::uint32_t fnv1a_64_low32(std::string_view bytes, ByteSign sign) noexcept;

/// spymemcached and xmemcached: over UTF-16 units instead of bytes, the low 32 bits.
std::uint32_t fnv1_32_utf16(std::string_view text) noexcept;
std::uint32_t fnv1a_32_utf16(std::string_view text) noexcept;
std::uint32_t fnv1_64_utf16(std::string_view text) noexcept;
std::uint32_t fnv1a_64_utf16(std::string_view text) noexcept;

}  // namespace arcwise
