// MD5 (RFC 1321). For compatibility with what rings have always used, not for security.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace arcwise {

/// The digest's bytes in the order in which md5sum prints them.
std::array<std::uint8_t, 16> md5(std::string_view bytes) noexcept;

}  // namespace arcwise
