#include "format/text_lines.hpp"

#include <algorithm>
#include <optional>

#include "format/columns.hpp"
#include "model/text.hpp"

namespace arcwise {
namespace {

constexpr std::size_t quoted_bytes = 120;
constexpr std::size_t end_quoted_bytes = 40;

// The offending text is quoted in messages and in JSON, so it ends between characters.
std::string quoted(std::string_view piece) {
  if (piece.size() <= quoted_bytes) return std::string(piece);
  std::size_t end = quoted_bytes;
  while (end > 0 && (static_cast<unsigned char>(piece[end]) & 0xc0U) == 0x80U) --end;
  return std::string(piece.substr(0, end)) + "…";
}

std::string hex_byte(char c) {
  static constexpr char digits[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  return {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
}

std::optional<Error> check_bytes(const TextLine& line) {
  for (std::size_t at = 0;; ++at) {
    const TextFault found = next_fault(line.text, at);
    if (found == TextFault::none) return std::nullopt;
    const char byte = line.text[at];
    if (byte == '\t') continue;
    Error error = line.fault(line.text.substr(at, 1), "", "");
    error.what = hex_byte(byte);
    error.why = found == TextFault::encoding ? "a byte that is not UTF-8 text"
                : byte == 0                  ? "a NUL byte"
                                             : "a control character";
    error.advice =
        byte == 0x1b ? "save the output without colours (TERM=dumb)" : "save the output as plain UTF-8 text";
    return error;
  }
}

}  // namespace

Mark TextLine::mark(std::string_view piece) const {
  return {*file, number, static_cast<std::uint32_t>(piece.data() - text.data()) + 1};
}

Error TextLine::fault(std::string_view piece, std::string why, std::string advice) const {
  return {ErrorKind::input, mark(piece), quoted(piece), std::move(why), std::move(advice)};
}

Error TextLine::fault_at_end(std::string why, std::string advice) const {
  Error error = fault(text.substr(text.size()), std::move(why), std::move(advice));
  std::string_view tail = text.substr(text.size() - std::min(text.size(), end_quoted_bytes));
  while (!tail.empty() && (static_cast<unsigned char>(tail.front()) & 0xc0U) == 0x80U) tail.remove_prefix(1);
  error.what = std::string(tail);
  return error;
}

Error no_rows(const std::vector<TextLine>& lines, std::string why, std::string advice) {
  const auto first =
      std::find_if(lines.begin(), lines.end(), [](const TextLine& line) { return !trim(line.text).empty(); });
  if (first == lines.end()) return {ErrorKind::input, {}, "", std::move(why), std::move(advice)};
  return first->fault(trim(first->text), std::move(why), std::move(advice));
}

Result<std::vector<TextLine>> text_lines(const Source& source) {
  std::string_view rest = source.bytes;
  if (rest.starts_with("\xef\xbb\xbf")) rest.remove_prefix(3);
  std::vector<TextLine> lines;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    TextLine line{rest.substr(0, end), static_cast<std::uint32_t>(lines.size() + 1), &source.name};
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.text.ends_with('\r')) line.text.remove_suffix(1);
    if (line.text.size() > max_line_bytes)
      return line.fault(line.text, "a line of " + std::to_string(line.text.size()) + " bytes",
                        "no line of this format is longer than " + std::to_string(max_line_bytes) +
                            " bytes: is this the right file?");
    if (auto error = check_bytes(line)) return *error;
    lines.push_back(line);
  }
  return lines;
}

std::string_view take_raw_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace arcwise
