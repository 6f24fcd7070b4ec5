#include "format/pins.hpp"

#include <charconv>

#include "format/text_lines.hpp"

namespace arcwise {
namespace {

std::optional<std::uint32_t> whole_number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The first word of `rest`, which loses it.
std::string_view take_word(std::string_view& rest) {
  const std::size_t start = std::min(rest.find_first_not_of(" \t"), rest.size());
  const std::size_t end = std::min(rest.find_first_of(" \t", start), rest.size());
  const std::string_view word = rest.substr(start, end - start);
  rest.remove_prefix(end);
  return word;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t");
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(" \t") - start + 1);
}

}  // namespace

std::optional<PartRules::Rule> read_part_rule(std::string_view parts, std::string_view node) {
  const std::size_t dash = parts.find('-');
  const auto first = whole_number(parts.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : whole_number(parts.substr(dash + 1));
  if (!first || !last || *last < *first || node.empty()) return std::nullopt;
  return PartRules::Rule{*first, *last, std::string(node)};
}

Result<PartRules> parse_pins(const Source& source) {
  const auto lines = text_lines(source);
  if (!lines) return lines.error();
  PartRules out;
  for (const TextLine& line : *lines) {
    std::string_view rest = line.text;
    const std::string_view verb = take_word(rest);
    if (verb.empty() || verb.front() == '#') continue;
    const std::string_view parts = take_word(rest), node = trimmed(rest);
    const auto rule = read_part_rule(parts, node);
    if ((verb != "pin" && verb != "exclude") || !rule)
      return line.fault(verb, "this says of no partitions where they shall lie",
                        "write `pin 5 NODE` or `exclude 100-199 NODE`, one a line");
    (verb == "pin" ? out.pins : out.exclusions).push_back(*rule);
  }
  if (out.pins.empty() && out.exclusions.empty())
    return no_rows(*lines, "no partition is pinned or excluded",
                   "write `pin 5 NODE` or `exclude 100-199 NODE`, one a line");
  return out;
}

}  // namespace arcwise
