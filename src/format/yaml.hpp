// A YAML or JSON document as a tree in which every value knows its place.
//
// Stricter than YAML: one document, no duplicate keys, no anchors, aliases or tags, each text on one line,
// valid UTF-8 without control characters, and bounds on size and depth, so that no input costs more than a
// stated amount of memory. A scalar stays the text that was written: `12e4` and `no` are what they look like.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "arcwise/format.hpp"

namespace arcwise {

/// Line and column (in bytes), both from 1. A byte order mark does not count.
struct Place {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

struct YamlNode {
  enum class Kind : std::uint8_t { null, scalar, sequence, map };
  Kind kind = Kind::null;
  bool quoted = false;  ///< a scalar written in quotes (in JSON: a string)
  Place at, key_at;
  std::string key;              ///< of an item of a map
  std::string text;             ///< of a scalar
  std::vector<YamlNode> items;  ///< of a sequence or map, in the order written

  bool is(Kind k) const { return kind == k; }
  /// The value of a key, or null. Cost: one pass over the items.
  const YamlNode* find(std::string_view name) const;
};

inline constexpr std::size_t yaml_max_bytes = std::size_t{64} << 20;
inline constexpr std::size_t yaml_max_depth = 64;
inline constexpr std::size_t yaml_max_text = 4096;                    ///< bytes of one scalar
inline constexpr std::size_t yaml_max_values = std::size_t{4} << 20;  ///< scalars, lists and maps
inline constexpr std::size_t yaml_max_marks = std::size_t{8}
                                              << 20;  ///< words, brackets, commas, colons, quotes

/// The only document of the source. JSON (with its escapes, surrogate pairs too) where it starts like JSON.
Result<YamlNode> read_yaml(const Source& source);

Mark mark_at(const Source& source, Place place);
/// What is written there, to the end of the line or at most 60 bytes: the offending text for an error.
std::string text_at(const Source& source, Place place);
Error fault_at(const Source& source, Place place, std::string what, std::string why, std::string advice);

}  // namespace arcwise
