// What holds for the bytes before any parser sees them, and the choice of the parser.
#include "format/yaml.hpp"

#include <algorithm>
#include <exception>

#include "format/yaml_tree.hpp"
#include "model/text.hpp"

namespace arcwise {
namespace {

constexpr std::size_t shown = 60;

std::size_t end_of_line(std::string_view text, std::size_t from) {
  const std::size_t end = text.find_first_of("\r\n", from);
  return end == std::string_view::npos ? text.size() : end;
}

[[noreturn]] void refuse_byte(const Source& source, std::string_view text, std::size_t at, std::string why,
                              std::string advice) {
  const std::size_t end = std::max(at + 1, end_of_line(text, at));
  throw YamlRefusal{fault_at(source, PlaceCounter(text).at(at),
                             std::string(text.substr(at, std::min(end - at, shown))), std::move(why),
                             std::move(advice))};
}

void check_encoding(const Source& source, std::string_view text) {
  const std::string_view first = text.substr(0, 2);
  if (first == "\xff\xfe" || first == "\xfe\xff")
    refuse_byte(source, text, 0, "the file is UTF-16", "save it as UTF-8");
  for (std::size_t at = 0;; ++at) {
    const TextFault fault = next_fault(text, at);
    if (fault == TextFault::none) return;
    if (fault == TextFault::encoding)
      refuse_byte(source, text, at, "not valid UTF-8", "save the file as UTF-8");
    const bool line_end = text[at] == '\n' || (text[at] == '\r' && text.substr(at + 1, 1) == "\n");
    if (!line_end && text[at] != '\t')
      refuse_byte(source, text, at, "a control character", "remove it; a map is printable text");
  }
}

// yaml-cpp holds a whole flow collection as tokens of about 90 bytes before it reports the first one. Counted
// here are at least as many: each of `,[]{}:&*!`, each start of a word, each quote within a word. ["ab", "c"]
// counts 8.
void check_marks(const Source& source, std::string_view text) {
  static constexpr std::string_view indicators = ",[]{}:&*!";
  std::size_t marks = 0;
  bool in_word = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    const bool indicator = indicators.find(c) != std::string_view::npos;
    if (indicator || (!blank && !in_word) || c == '"' || c == '\'') ++marks;
    in_word = !blank && !indicator;
    if (marks > yaml_max_marks)
      refuse_byte(source, text, at,
                  "more than " + std::to_string(yaml_max_marks) + " words and marks in one file",
                  "split the file, or give fewer tokens");
  }
}

bool looks_like_json(std::string_view text) {
  static constexpr std::string_view blanks = " \t\r\n";
  const std::size_t open = text.find_first_not_of(blanks);
  if (open == std::string_view::npos || text[open] != '{') return false;
  const std::size_t next = text.find_first_not_of(blanks, open + 1);
  return next == std::string_view::npos || text[next] == '"' || text[next] == '}';
}

YamlNode read(const Source& source) {
  const std::string_view text = without_bom(source.bytes);
  if (text.size() > yaml_max_bytes)
    refuse_byte(source, text, 0, "the file is larger than 64 MiB",
                "a map of a million tokens is smaller than that");
  check_encoding(source, text);
  check_marks(source, text);
  if (looks_like_json(text)) {
    YamlTree tree(source);
    const auto not_json = read_json_events(source, text, tree);
    if (!not_json) return tree.take();
    try {
      YamlTree flow(source);  // `{"a": b}` starts like JSON and is YAML
      read_yaml_events(source, text, flow);
      return flow.take();
    } catch (const YamlRefusal&) {
      throw YamlRefusal{*not_json};
    }
  }
  YamlTree tree(source);
  read_yaml_events(source, text, tree);
  return tree.take();
}

}  // namespace

Mark mark_at(const Source& source, Place place) {
  return {source.name, place.line, place.column};
}

std::string text_at(const Source& source, Place place) {
  const std::string_view text = without_bom(source.bytes);
  std::size_t at = 0;
  for (std::uint32_t line = 1; line < place.line && at < text.size(); ++line) {
    const std::size_t end = text.find('\n', at);
    at = end == std::string_view::npos ? text.size() : end + 1;
  }
  at = std::min(text.size(), at + (place.column ? place.column - 1 : 0));
  std::size_t end = std::min(end_of_line(text, at), at + shown);
  while (end > at && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  while (end > at && text[end - 1] == ' ') --end;
  return std::string(text.substr(at, end - at));
}

Error fault_at(const Source& source, Place place, std::string what, std::string why, std::string advice) {
  return {ErrorKind::input, mark_at(source, place), std::move(what), std::move(why), std::move(advice)};
}

Result<YamlNode> read_yaml(const Source& source) {
  try {
    return read(source);
  } catch (const YamlRefusal& refusal) {
    return refusal.error;
  } catch (const std::exception&) {
    return fault_at(source, {}, "", "not enough memory to read the file", "give a smaller file");
  }
}

}  // namespace arcwise
