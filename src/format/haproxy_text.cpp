#include "format/haproxy_text.hpp"

#include <algorithm>
#include <array>

#include "format/columns.hpp"
#include "format/text_lines.hpp"

namespace arcwise {
namespace {

constexpr std::array<std::string_view, 19> section_words{
    "global",   "defaults",    "frontend", "backend",     "listen",    "peers", "resolvers",
    "mailers",  "userlist",    "program",  "cache",       "ring",      "acme",  "http-errors",
    "fcgi-app", "log-forward", "traces",   "log-profile", "crt-store",
};

// One line, from left to right. `at` is the next character.
class LineReader {
 public:
  explicit LineReader(const TextLine& line) : line_(line), text_(line.text) {}

  Result<HaproxyLine> read() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') break;
      if (is_blank(c)) {
        end_word();
        ++at_;
      } else if (auto error = part(c)) {
        return *error;
      }
    }
    end_word();
    return std::move(words_);
  }

 private:
  std::optional<Error> part(char c) {
    if (!in_word_) {
      in_word_ = true;
      word_ = {"", {line_.number, static_cast<std::uint32_t>(at_ + 1)}, false};
    }
    if (c == '\\') return escaped();
    if (c != '"' && c != '\'') {
      word_.text += c;
      ++at_;
      return std::nullopt;
    }
    const std::size_t quote = at_++;
    while (at_ < text_.size() && text_[at_] != c) {
      if (c == '"' && text_[at_] == '\\') {
        if (auto error = escaped()) return error;
        continue;
      }
      word_.from_environment |= c == '"' && text_[at_] == '$';
      word_.text += text_[at_++];
    }
    if (at_ == text_.size())
      return line_.fault(text_.substr(quote, 1), "this quote is not closed on its line", "close it");
    ++at_;
    return std::nullopt;
  }

  std::optional<Error> escaped() {
    if (at_ + 1 == text_.size())
      return line_.fault(text_.substr(at_), "a backslash ends the line",
                         "HAProxy does not continue lines: write it on one");
    const char c = text_[at_ + 1];
    if (c == 'x')
      return line_.fault(text_.substr(at_, 4), "a character written in hex",
                         "write it as it is, in quotes if need be");
    word_.text += c == 'n' ? '\n' : c == 'r' ? '\r' : c == 't' ? '\t' : c;
    at_ += 2;
    return std::nullopt;
  }

  void end_word() {
    if (in_word_) words_.push_back(std::move(word_));
    in_word_ = false;
  }

  const TextLine& line_;
  std::string_view text_;
  std::size_t at_ = 0;
  bool in_word_ = false;
  ConfigWord word_;
  HaproxyLine words_;
};

std::optional<Error> check_condition(const Source& source, const HaproxyLine& line) {
  const std::string& word = line.front().text;
  if (word != ".if" && word != ".elif" && word != ".else" && word != ".endif") return std::nullopt;
  return fault_at(source, line.front(), "a conditional block, which only the running HAProxy can decide",
                  "write the lines that hold without the condition");
}

}  // namespace

std::string_view HaproxySection::name() const {
  const bool named = opening.size() > 1 && (kind() != "defaults" || opening[1].text != "from");
  return named ? std::string_view(opening[1].text) : std::string_view();
}

const ConfigWord* HaproxySection::from() const {
  for (std::size_t i = 1; i + 1 < opening.size(); ++i)
    if (opening[i].text == "from") return &opening[i + 1];
  return nullptr;
}

bool HaproxySection::is_proxy_with_servers() const {
  if (kind() != "backend" && kind() != "listen") return false;
  return std::any_of(lines.begin(), lines.end(), [](const HaproxyLine& line) {
    return line.front().text == "server" || line.front().text == "server-template";
  });
}

Result<std::vector<HaproxySection>> read_haproxy(const Source& source) {
  const auto lines = text_lines(source);
  if (!lines) return lines.error();
  std::vector<HaproxySection> sections;
  for (const TextLine& line : *lines) {
    auto words = LineReader(line).read();
    if (!words) return words.error();
    if (words->empty()) continue;
    if (auto error = check_condition(source, *words)) return *error;
    const bool opens =
        std::find(section_words.begin(), section_words.end(), words->front().text) != section_words.end();
    if (opens)
      sections.push_back({std::move(*words), {}});
    else if (!sections.empty())
      sections.back().lines.push_back(std::move(*words));
  }
  return sections;
}

}  // namespace arcwise
