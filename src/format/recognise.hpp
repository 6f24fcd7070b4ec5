// Signs by which a text's format is told: keys and words at the start of a line.
//
// Layer: format.
#pragma once

#include <string_view>

#include "format/columns.hpp"

namespace arcwise {

/// `key:` of YAML, or "key": of JSON, as the first thing on a line.
bool has_key(std::string_view line, std::string_view key);
/// Whether a text that is one flow map, {"cluster": "c", "arcwise": 1}, has this key at its top.
bool flow_map_has_key(std::string_view text, std::string_view key);

/// Whether `test` holds for a line of the text, trimmed and without its end.
template <class Test>
bool any_line(std::string_view text, Test&& test) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (test(trim(line))) return true;
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return false;
}

}  // namespace arcwise
