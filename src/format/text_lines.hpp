// Lines of a text input, with the place of every piece of them, for the readers of other systems' outputs.
//
// Layer: format. A line's text points into the source, which must live longer. Pieces handed to mark() and
// fault() are views into the line, so that a column is a difference of two pointers and no reader counts
// characters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "arcwise/format.hpp"

namespace arcwise {

/// The longest line taken. A Redis master with 16384 scattered slots needs 100 KB.
inline constexpr std::size_t max_line_bytes = std::size_t{1} << 20;

struct TextLine {
  std::string_view text;     ///< without its end (LF or CR LF)
  std::uint32_t number = 0;  ///< from 1
  const std::string* file = nullptr;

  Mark mark(std::string_view piece) const;
  Error fault(std::string_view piece, std::string why, std::string advice) const;
  /// Something is missing behind the last character; its end is quoted.
  Error fault_at_end(std::string why, std::string advice) const;
};

/// There is not one row in it: says so at the first line.
Error no_rows(const std::vector<TextLine>& lines, std::string why, std::string advice);

/// Every line; a byte order mark is dropped. Refused: NUL and other control characters but tab, text that is
/// not UTF-8, a line longer than max_line_bytes.
Result<std::vector<TextLine>> text_lines(const Source& source);

/// Takes the next line of any bytes, as keys are, without its end.
std::string_view take_raw_line(std::string_view& rest);

}  // namespace arcwise
