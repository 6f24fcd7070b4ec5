// Which format a text is in, told by what no other format has.
#include "format/recognise.hpp"

#include <algorithm>

#include "format/importer.hpp"
#include "format/unsupported.hpp"

namespace arcwise {
namespace {

constexpr std::size_t looked_at = 65536;

template <class Sign>
std::string_view first_with(Sign&& sign) {
  for (const Importer& importer : importers())
    if (sign(importer)) return importer.info.name;
  return {};
}

}  // namespace

bool has_key(std::string_view line, std::string_view key) {
  const std::size_t start = line.find_first_not_of("{[-\" \t");
  if (start == std::string_view::npos) return false;
  std::string_view rest = line.substr(start);
  if (!rest.starts_with(key)) return false;
  rest.remove_prefix(key.size());
  return trim(rest.substr(rest.starts_with('"') ? 1 : 0)).starts_with(':');
}

bool flow_map_has_key(std::string_view text, std::string_view key) {
  const std::size_t open = text.find_first_not_of(" \t\r\n");
  if (open == std::string_view::npos || text[open] != '{') return false;
  std::size_t depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    const char c = text[at];
    if ((c == '{' || c == ',') && depth == (c == ',') && has_key(text.substr(at + 1), key)) return true;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return false;
    if (c != '"' && c != '\'') continue;
    for (++at; at < text.size() && text[at] != c; ++at) at += c == '"' && text[at] == '\\';
  }
  return false;
}

std::string_view recognise(std::string_view bytes) {
  std::string_view text = bytes.substr(0, looked_at);
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  std::string_view found;
  const auto names_a_format = [&](std::string_view line) {
    found = first_with([&](const Importer& importer) { return importer.line && importer.line(line); });
    return !found.empty();
  };
  if (any_line(text, names_a_format)) return found;
  found = first_with([&](const Importer& importer) { return importer.text && importer.text(text); });
  if (!found.empty() || unsupported(text)) return found;
  return first_with([&](const Importer& importer) { return importer.guess && importer.guess(text); });
}

}  // namespace arcwise
