// Cyclic redundancy checks that rings and slots are built on.
#pragma once

#include <cstdint>
#include <string_view>

namespace arcwise {

/// CRC-32 as in zlib: polynomial 0x04c11db7, bits reflected, inverted before and after. crc32(b, crc32(a)) is
/// the value of a and b behind it.
std::uint32_t crc32(std::string_view bytes, std::uint32_t before = 0) noexcept;

/// CRC-16/XMODEM: polynomial 0x1021, initial value 0, nothing reflected or inverted. "123456789" gives
/// 0x31c3.
std::uint16_t crc16(std::string_view bytes) noexcept;

/// CRC-32 as memcached's clients use it (libmemcached, twemproxy, nginx, Couchbase…): 15 bits of its upper
/// half.
std::uint16_t crc32_15bit(std::string_view bytes) noexcept;

/// twemproxy's `crc16`: the register of 32 bits is never cut to 16, so a long key keeps what went over the
/// top.
std::uint32_t crc16_32(std::string_view bytes) noexcept;

}  // namespace arcwise
