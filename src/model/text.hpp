// Text that a map may hold: valid UTF-8 without control characters, so that every output can carry it.
#pragma once

#include <cstddef>
#include <string_view>

namespace arcwise {

/// Bytes of the well-formed UTF-8 sequence at `at`; 0: ill-formed (overlong, surrogate, above U+10FFFF, cut
/// short).
std::size_t utf8_length(std::string_view text, std::size_t at);

enum class TextFault : unsigned char { none, control, encoding };

/// The first fault at or after `at`, which is moved to it. Control characters are U+0000…1F and U+007F…9F.
TextFault next_fault(std::string_view text, std::size_t& at);

}  // namespace arcwise
