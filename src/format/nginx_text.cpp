#include "format/nginx_text.hpp"

#include "format/text_lines.hpp"

namespace arcwise {
namespace {

constexpr std::size_t most_blocks = 64;  ///< inside each other; nginx's own modules nest a handful
constexpr std::size_t most_words = std::size_t{4} << 20;

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n';
}

class Reader {
 public:
  Reader(const Source& source, const std::vector<TextLine>& lines) : source_(source), lines_(lines) {
    open_.emplace_back();
  }

  Result<std::vector<NginxDirective>> read() {
    while (!at_end()) {
      if (auto error = step()) return *error;
    }
    if (!words_.empty())
      return fault_at(source_, words_.front(), "the file ends before this directive does",
                      "end it with `;`, or bring the whole file");
    if (open_.size() > 1)
      return fault_at(source_, open_[open_.size() - 2].back().words.front(), "this block is not closed",
                      "close it with `}`, or bring the whole file");
    return std::move(open_.front());
  }

 private:
  // A line's end reads as '\n'.
  bool at_end() const { return line_ == lines_.size(); }
  char peek() const { return column_ < lines_[line_].text.size() ? lines_[line_].text[column_] : '\n'; }
  void advance() {
    if (column_++ < lines_[line_].text.size()) return;
    ++line_;
    column_ = 0;
  }
  Place here() const {
    return {static_cast<std::uint32_t>(line_ + 1), static_cast<std::uint32_t>(column_ + 1)};
  }

  std::optional<Error> step() {
    const char c = peek();
    const Place at = here();
    if (is_space(c)) {
      advance();
    } else if (c == '#') {
      ++line_;
      column_ = 0;
    } else if (c == ';' || c == '{' || c == '}') {
      advance();
      return c == ';' ? end_directive(at) : c == '{' ? open_block(at) : close_block(at);
    } else {
      return c == '"' || c == '\'' ? quoted_word(at) : plain_word(at);
    }
    return std::nullopt;
  }

  std::optional<Error> unexpected(const Place& at, char c, std::string advice) const {
    return fault_at(source_, at, std::string(1, c), "nginx expects something else here", std::move(advice));
  }

  std::optional<Error> end_directive(const Place& at) {
    if (words_.empty()) return unexpected(at, ';', "a directive is missing before it");
    open_.back().push_back({std::move(words_), {}, false});
    words_.clear();
    return std::nullopt;
  }

  std::optional<Error> open_block(const Place& at) {
    if (words_.empty()) return unexpected(at, '{', "the block's name is missing before it");
    if (open_.size() > most_blocks)
      return fault_at(source_, at, "{", "blocks stand more than 64 deep in each other",
                      "is this the right file?");
    const bool lua = words_.front().text.ends_with("_by_lua_block");
    open_.back().push_back({std::move(words_), {}, true});
    words_.clear();
    if (lua) return skip_lua(at);
    open_.emplace_back();
    return std::nullopt;
  }

  std::optional<Error> close_block(const Place& at) {
    if (!words_.empty())
      return fault_at(source_, words_.front(), "this directive has no end before the block's",
                      "end it with `;`");
    if (open_.size() == 1) return unexpected(at, '}', "no block is open here: remove it");
    std::vector<NginxDirective> inside = std::move(open_.back());
    open_.pop_back();
    open_.back().back().block = std::move(inside);
    return std::nullopt;
  }

  // Braces inside Lua's short strings do not count. Long brackets and comments with lone braces are rare
  // enough that the file is refused later, as a block that is not closed.
  std::optional<Error> skip_lua(const Place& at) {
    std::size_t depth = 1;
    char quote = 0;
    for (; !at_end(); advance()) {
      const char c = peek();
      if (quote) {
        if (c == '\\') advance();
        if (c == quote || c == '\n') quote = 0;
        if (at_end()) break;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '{') {
        ++depth;
      } else if (c == '}' && --depth == 0) {
        advance();
        return std::nullopt;
      }
    }
    return fault_at(source_, at, "{", "this block of Lua code is not closed", "close it with `}`");
  }

  // nginx keeps a backslash before any other character.
  void escaped(std::string& out) {
    advance();
    const char c = at_end() ? '\n' : peek();
    if (c == 't' || c == 'r' || c == 'n')
      out += c == 't' ? '\t' : c == 'r' ? '\r' : '\n';
    else if (c == '"' || c == '\'' || c == '\\')
      out += c;
    else
      out += {'\\', c};
    if (!at_end()) advance();
  }

  std::optional<Error> add(std::string text, const Place& at) {
    if (++taken_ > most_words)
      return fault_at(source_, at, "", "more than 4 million words", "is this the right file?");
    words_.push_back({std::move(text), at, false});
    return std::nullopt;
  }

  std::optional<Error> quoted_word(const Place& at) {
    const char quote = peek();
    std::string text;
    for (advance(); !at_end() && peek() != quote;) {
      if (peek() == '\\') {
        escaped(text);
      } else {
        text += peek();
        advance();
      }
    }
    if (at_end()) return fault_at(source_, at, std::string(1, quote), "this quote is not closed", "close it");
    advance();
    if (!at_end() && !is_space(peek()) && peek() != ';' && peek() != '{' && peek() != ')')
      return unexpected(here(), peek(), "nginx wants a blank, `;` or `{` behind a closing quote");
    return add(std::move(text), at);
  }

  std::optional<Error> plain_word(const Place& at) {
    std::string text;
    while (!at_end() && !is_space(peek()) && peek() != ';') {
      if (peek() == '{' && !text.ends_with('$')) break;
      if (peek() == '\\') {
        escaped(text);
      } else {
        text += peek();
        advance();
      }
    }
    return add(std::move(text), at);
  }

  const Source& source_;
  const std::vector<TextLine>& lines_;
  std::size_t line_ = 0, column_ = 0, taken_ = 0;
  std::vector<ConfigWord> words_;
  std::vector<std::vector<NginxDirective>> open_;  ///< blocks not yet closed, outermost first
};

}  // namespace

Result<std::vector<NginxDirective>> read_nginx(const Source& source) {
  const auto lines = text_lines(source);
  if (!lines) return lines.error();
  return Reader(source, *lines).read();
}

}  // namespace arcwise
