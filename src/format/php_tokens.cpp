#include "format/php_tokens.hpp"

#include <algorithm>
#include <array>

#include "format/columns.hpp"
#include "format/text_lines.hpp"

namespace arcwise {
namespace {

constexpr std::size_t max_tokens = std::size_t{1} << 20;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

class Scanner {
 public:
  explicit Scanner(const std::vector<TextLine>& lines) : lines_(lines) {}

  Result<std::vector<PhpToken>> all() {
    for (const TextLine& line : lines_) {
      rest_ = line.text;
      while (!rest_.empty())
        if (auto error = take(line)) return *error;
    }
    if (in_comment_)
      return Error{ErrorKind::input, comment_at_, "/*", "a comment is not closed", "close it with */"};
    PhpToken end;
    if (!lines_.empty()) {
      const TextLine& last = lines_.back();
      end.at = last.mark(last.text.substr(last.text.size()));
    }
    tokens_.push_back(std::move(end));
    return std::move(tokens_);
  }

 private:
  std::optional<Error> take(const TextLine& line) {
    if (in_comment_) {
      const std::size_t end = rest_.find("*/");
      in_comment_ = end == std::string_view::npos;
      rest_.remove_prefix(in_comment_ ? rest_.size() : end + 2);
      return std::nullopt;
    }
    const char c = rest_.front();
    if (is_blank(c)) {
      rest_.remove_prefix(1);
    } else if (rest_.starts_with("//") || c == '#') {
      rest_ = {};
    } else if (rest_.starts_with("/*")) {
      in_comment_ = true;
      comment_at_ = line.mark(rest_);
      rest_.remove_prefix(2);
    } else if (rest_.starts_with("<?php") || rest_.starts_with("?>")) {
      rest_.remove_prefix(c == '<' ? 5 : 2);
    } else if (c == '\'' || c == '"') {
      return take_text(line, c);
    } else {
      return take_plain(line);
    }
    return std::nullopt;
  }

  std::optional<Error> add(const TextLine& line, PhpToken::Kind kind, std::string text,
                           std::string_view piece) {
    if (tokens_.size() == max_tokens)
      return line.fault(piece, "more than a million words", "bring the lines on Memcached alone");
    tokens_.push_back({kind, std::move(text), line.mark(piece)});
    return std::nullopt;
  }

  std::optional<Error> take_plain(const TextLine& line) {
    static constexpr std::array<std::string_view, 3> pairs{"=>", "->", "::"};
    using Kind = PhpToken::Kind;
    const char c = rest_.front();
    const bool negative = c == '-' && rest_.size() > 1 && is_digit(rest_[1]);
    const bool variable = c == '$' && rest_.size() > 1 && is_word(rest_[1]);
    std::size_t length = negative || variable ? 1 : 0;
    while (length < rest_.size() && is_word(rest_[length])) ++length;
    Kind kind = variable ? Kind::variable : negative || is_digit(c) ? Kind::number : Kind::name;
    if (length == 0) {
      kind = Kind::sign;
      const bool pair = std::find(pairs.begin(), pairs.end(), rest_.substr(0, 2)) != pairs.end();
      length = pair ? 2 : 1;
    }
    const std::string_view piece = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return add(line, kind, std::string(piece), piece);
  }

  std::optional<Error> take_text(const TextLine& line, char quote) {
    std::string text;
    std::size_t at = 1;
    for (; at < rest_.size() && rest_[at] != quote; ++at) {
      if (rest_[at] == '\\' && at + 1 < rest_.size() && (rest_[at + 1] == quote || rest_[at + 1] == '\\'))
        ++at;
      else if (quote == '"' && (rest_[at] == '$' || rest_[at] == '\\'))
        return line.fault(rest_.substr(0, at + 1), "a text with a variable or an escape",
                          "write it out, in single quotes");
      text += rest_[at];
    }
    if (at >= rest_.size()) return line.fault(rest_, "a quote is not closed", "close it on the same line");
    const std::string_view piece = rest_.substr(0, at + 1);
    rest_.remove_prefix(at + 1);
    return add(line, PhpToken::Kind::text, std::move(text), piece);
  }

  const std::vector<TextLine>& lines_;
  std::string_view rest_;
  std::vector<PhpToken> tokens_;
  bool in_comment_ = false;
  Mark comment_at_;
};

}  // namespace

Result<std::vector<PhpToken>> php_tokens(const Source& source) {
  const auto lines = text_lines(source);
  if (!lines) return lines.error();
  return Scanner(*lines).all();
}

}  // namespace arcwise
