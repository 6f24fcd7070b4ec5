// SHA-1 (FIPS 180-4). For compatibility with what rings have always used, not for security.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace arcwise {

/// The digest's bytes in the order in which sha1sum prints them.
std::array<std::uint8_t, 20> sha1(std::string_view bytes) noexcept;

}  // namespace arcwise
