#include "router/resp.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

namespace arcwise::router {
namespace {

constexpr std::size_t longest_header = 64 << 10;  // a simple string or an error is a line of it

// Without its end; nullopt: not whole yet.
std::optional<std::string_view> line_at(std::string_view bytes, std::size_t from) noexcept {
  if (from >= bytes.size()) return std::nullopt;
  const void* end = std::memchr(bytes.data() + from, '\n', bytes.size() - from);
  if (!end) return std::nullopt;
  std::string_view line =
      bytes.substr(from, static_cast<std::size_t>(static_cast<const char*>(end) - bytes.data()) - from);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::optional<std::int64_t> number(std::string_view text) noexcept {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The number that an array or a string begins with, behind its first character.
struct Header {
  enum class What : std::uint8_t { more, whole, bad, too_long } what;
  std::int64_t count = 0;
  std::size_t end = 0;  ///< behind its line
};

std::size_t behind(std::string_view bytes, std::string_view line) noexcept {
  const auto end = static_cast<std::size_t>(line.data() - bytes.data()) + line.size();
  return end + (bytes[end] == '\r' ? 2 : 1);
}

// As strict as servers are, and no less: what is taken here is sent to them on connections that clients
// share, and they close those on what they do not take. So a number is written in one way, and its line ends
// in two characters.
Header count_at(std::string_view bytes, std::size_t from) noexcept {
  constexpr std::size_t longest = 32;
  const auto line = line_at(bytes, from);
  if (line ? line->size() > longest : bytes.size() - from > longest + 1) return {Header::What::too_long};
  if (!line) return {Header::What::more};
  const std::string_view text = line->substr(std::min<std::size_t>(1, line->size()));
  const std::size_t digits = text.starts_with('-') ? 1 : 0;
  const bool padded = text.substr(digits).starts_with('0') && text != "0";
  const auto count = number(text);
  if (!count || padded || bytes[from + line->size()] != '\r') return {Header::What::bad};
  return {Header::What::whole, *count, from + line->size() + 2};
}

bool is_blank(char c) noexcept {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

int hex(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  const char low = static_cast<char>(c | 0x20);
  return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

// The character behind a backslash between double quotes; `at` is behind it afterwards.
char escaped(std::string_view line, std::size_t& at) noexcept {
  const char c = line[at++];
  if (c == 'x' && at + 1 < line.size() && hex(line[at]) >= 0 && hex(line[at + 1]) >= 0) {
    at += 2;
    return static_cast<char>(hex(line[at - 2]) * 16 + hex(line[at - 1]));
  }
  constexpr std::string_view letters = "nrtba", meant = "\n\r\t\b\a";
  const std::size_t letter = letters.find(c);
  return letter == letters.npos ? c : meant[letter];
}

// Of a string that was not kept there may be less than its line end.
bool ends_line(std::string_view bytes) noexcept {
  const std::size_t seen = std::min<std::size_t>(bytes.size(), 2);
  return std::string_view("\r\n").ends_with(bytes.substr(bytes.size() - seen));
}

constexpr std::int64_t longest_string = std::int64_t{1} << 40, most_values = std::int64_t{1} << 32;

// A value that is one line.
bool is_scalar(char type, std::string_view text) noexcept {
  switch (type) {
    case '+':
    case '-':
      return true;
    case ':':
      return number(text).has_value();
    case '_':
      return text.empty();
    case '#':
      return text == "t" || text == "f";
    case '(':  // a script's, which may return any words as a big number
      return true;
    case ',':
      return !text.empty() && text.find_first_not_of("0123456789+-.einfaEINFA") == text.npos;
    default:
      return false;
  }
}

}  // namespace

// Counts what a header announces. Worked example: "*2\r\n:1\r\n$2\r\nhi\r\n": one value is missing; the array
// is it, and adds two; the number leaves one; the string is that, and brings four bytes.
RespScanner::Found RespScanner::scan(std::string_view bytes) noexcept {
  while (missing_ > 0 || payload_ > 0) {
    const std::size_t passed = std::min(payload_, bytes.size() - at_);
    at_ += passed;
    payload_ -= passed;
    if (payload_ > 0) return {0, false};
    if (passed > 0 && !ends_line(bytes.substr(0, at_))) return {0, true};
    if (missing_ == 0) break;
    const auto line = line_at(bytes, at_);
    if (!line) return {0, bytes.size() > at_ && bytes.size() - at_ > longest_header};
    if (line->empty() || bytes[at_ + line->size()] != '\r') return {0, true};
    at_ += line->size() + 2;
    if (!header(*line)) return {0, true};
  }
  const std::size_t size = at_;
  *this = {};
  return {size, false};
}

std::size_t RespScanner::forget() noexcept {
  // Its end stays, for it is told by that.
  const std::size_t end = missing_ == 0 ? std::min<std::size_t>(payload_, 2) : 0;
  return std::exchange(at_, 0) + std::exchange(payload_, end) - end;
}

// Attributes stand before the value they speak of, and are none; a map has two values each.
bool RespScanner::header(std::string_view line) noexcept {
  const char type = line.front();
  const std::string_view text = line.substr(1);
  const bool string = type == '$' || type == '!' || type == '=';
  const bool map = type == '%' || type == '|';
  if (type != '|') --missing_;
  if (!string && !map && type != '*' && type != '~' && type != '>') return is_scalar(type, text);
  const auto count = number(text);
  const bool null = type == '$' || type == '*';
  if (!count || *count < (null ? -1 : 0) || *count > (string ? longest_string : most_values)) return false;
  const auto size = static_cast<std::uint64_t>(std::max<std::int64_t>(*count, 0));
  if (!string)
    missing_ += size * (map ? 2 : 1);
  else if (*count >= 0)
    payload_ = size + 2;
  return true;
}

void RespRequest::reset() noexcept {
  words_.clear();
  at_ = 0;
  count_ = 0;
  inline_ = false;
}

RespRequest::Parsed RespRequest::parse(std::string_view bytes, const RespLimits& limits) {
  if (bytes.empty()) return {};
  return bytes.front() == '*' ? parse_array(bytes, limits) : parse_line(bytes, limits);
}

RespRequest::Parsed RespRequest::parse_array(std::string_view bytes, const RespLimits& limits) {
  if (count_ == 0) {
    const Header header = count_at(bytes, 0);
    if (header.what == Header::What::more) return {};
    if (header.what == Header::What::too_long)
      return broken("-ERR Protocol error: too big mbulk count string\r\n");
    if (header.what == Header::What::bad || header.count > static_cast<std::int64_t>(limits.words))
      return broken("-ERR Protocol error: invalid multibulk length\r\n");
    at_ = header.end;
    if (header.count <= 0) return {What::nothing, at_, {}};
    count_ = static_cast<std::size_t>(header.count);
  }
  while (words_.size() < count_) {
    if (bytes.size() > at_ && bytes[at_] != '$') return unexpected(bytes[at_]);
    const Header header = count_at(bytes, at_);
    if (header.what == Header::What::more) return {};
    if (header.what == Header::What::too_long)
      return broken("-ERR Protocol error: too big bulk count string\r\n");
    if (header.what == Header::What::bad || header.count < 0 ||
        header.count > static_cast<std::int64_t>(limits.word))
      return broken("-ERR Protocol error: invalid bulk length\r\n");
    const auto length = static_cast<std::size_t>(header.count);
    if (header.end + length > limits.command)
      return broken("-ERR Protocol error: the command is too large\r\n");
    if (bytes.size() < header.end + length + 2) return {};
    words_.push_back({header.end, length});
    at_ = header.end + length + 2;
  }
  return {What::request, at_, {}};
}

RespRequest::Parsed RespRequest::unexpected(char got) {
  line_ = "-ERR Protocol error: expected '$', got ' '\r\n";
  if (got != '\r' && got != '\n') line_[line_.size() - 4] = got;
  return broken(line_);
}

RespRequest::Parsed RespRequest::parse_line(std::string_view bytes, const RespLimits& limits) {
  const auto line = line_at(bytes, 0);
  if (!line || line->size() > limits.inline_line) {
    if (!line && bytes.size() <= limits.inline_line) return {};
    return broken("-ERR Protocol error: too big inline request\r\n");
  }
  if (!split(line->substr(0, line->find('\0'))))
    return broken("-ERR Protocol error: unbalanced quotes in request\r\n");
  inline_ = true;
  line_ = "*" + std::to_string(words_.size()) + "\r\n";
  for (Word& word : words_) {
    line_ += "$" + std::to_string(word.size) + "\r\n";
    const std::size_t at = line_.size();
    line_.append(text_, word.at, word.size) += "\r\n";
    word.at = at;
  }
  return {words_.empty() ? What::nothing : What::request, behind(bytes, *line), {}};
}

// As Redis splits a line: what stands in quotation marks is part of a word, with blanks in it, and ends it.
// Between double ones a backslash gives a character by its name or number, between single ones the mark
// itself.
bool RespRequest::split(std::string_view line) {
  text_.clear();
  for (std::size_t at = 0;;) {
    while (at < line.size() && is_blank(line[at])) ++at;
    if (at == line.size()) return true;
    const std::size_t from = text_.size();
    char quote = '\0';
    while (at < line.size()) {
      const char c = line[at++];
      if (quote == '"' && c == '\\' && at < line.size()) {
        text_ += escaped(line, at);
      } else if (quote == '\'' && c == '\\' && line.substr(at).starts_with('\'')) {
        text_ += line[at++];
      } else if (quote != '\0' && c == quote) {
        if (at < line.size() && !is_blank(line[at])) return false;
        quote = '\0';
        break;
      } else if (quote == '\0' && (c == '"' || c == '\'')) {
        quote = c;
      } else if (quote == '\0' && (c == ' ' || c == '\t' || c == '\r')) {
        break;
      } else {
        text_ += c;
      }
    }
    if (quote != '\0') return false;
    words_.push_back({from, text_.size() - from});
  }
}

}  // namespace arcwise::router
