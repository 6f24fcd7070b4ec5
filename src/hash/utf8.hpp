// Keys as text: the characters that clients written in Java or Python hash instead of bytes.
//
// A byte that begins no well-formed UTF-8 sequence counts as one character of its own value (Latin-1), so
// that every key has a hash: "\xc3\xa9\xff" is U+00E9, U+00FF. Such a client cannot hold such a key, so no
// answer of a real system is contradicted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace arcwise {

struct CodePoint {
  std::uint32_t value;
  std::size_t size;  ///< bytes it takes
};

/// The first character of a text that is not empty.
CodePoint first_code_point(std::string_view text) noexcept;

/// Calls visit(std::uint32_t) for each code point, in order.
template <class Visit>
void for_each_code_point(std::string_view text, Visit&& visit) noexcept {
  while (!text.empty()) {
    const CodePoint next = first_code_point(text);
    visit(next.value);
    text.remove_prefix(next.size);
  }
}

/// Calls visit(std::uint16_t) for each UTF-16 unit: two, high surrogate first, for a code point above U+FFFF.
template <class Visit>
void for_each_utf16_unit(std::string_view text, Visit&& visit) noexcept {
  for_each_code_point(text, [&visit](std::uint32_t code_point) {
    if (code_point < 0x10000) {
      visit(static_cast<std::uint16_t>(code_point));
    } else {
      visit(static_cast<std::uint16_t>(0xd7c0 + (code_point >> 10)));  // 0xd800 less the 0x10000 taken off
      visit(static_cast<std::uint16_t>(0xdc00 + (code_point & 0x3ff)));
    }
  });
}

}  // namespace arcwise
