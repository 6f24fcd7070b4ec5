// Inside the YAML reader: events in, tree out, whichever parser sends them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "format/yaml.hpp"

namespace arcwise {

/// Thrown through the libraries' parsers, caught in read_yaml().
struct YamlRefusal {
  Error error;
};

class YamlTree {
 public:
  explicit YamlTree(const Source& source) : source_(source) {}

  void null(Place at);
  void scalar(Place at, std::string text, bool quoted);
  void open(Place at, YamlNode::Kind kind);
  void close();

  YamlNode take() { return std::move(root_); }
  /// The innermost list or map that is still open; line 0: none.
  Place innermost() const { return open_.empty() ? Place{} : open_.back().node.at; }
  [[noreturn]] void refuse(Place at, std::string what, std::string why, std::string advice) const;

 private:
  struct Frame {
    YamlNode node;
    bool key_next = false;
    std::string key;
    Place key_at;
    std::map<std::string, Place> seen;
  };
  bool takes_key() const { return !open_.empty() && open_.back().key_next; }
  void count(Place at);
  void take_key(Place at, std::string text);
  void add(YamlNode node);

  const Source& source_;
  std::vector<Frame> open_;
  YamlNode root_;
  std::size_t values_ = 0;
};

std::string_view without_bom(std::string_view bytes);
/// The double quote that opens the text whose closing one stands, or is missed, before `end`.
std::size_t opening_quote(std::string_view text, std::size_t end);
/// Place of an offset that does not go back between calls.
class PlaceCounter {
 public:
  explicit PlaceCounter(std::string_view text) : text_(text) {}
  Place at(std::size_t offset);

 private:
  std::string_view text_;
  std::size_t offset_ = 0, line_start_ = 0;
  std::uint32_t line_ = 1;
};

/// Sends the events of a JSON text; throws YamlRefusal. Syntax errors are returned, since the text may still
/// be YAML.
std::optional<Error> read_json_events(const Source& source, std::string_view text, YamlTree& tree);
/// The same for YAML; syntax errors are thrown as YamlRefusal.
void read_yaml_events(const Source& source, std::string_view text, YamlTree& tree);

}  // namespace arcwise
