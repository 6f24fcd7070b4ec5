// A map as the file that parse_map() reads back: one node a line.
#include <algorithm>
#include <array>
#include <charconv>

#include "arcwise/format.hpp"
#include "model/build.hpp"

namespace arcwise {
namespace {

constexpr std::size_t tokens_a_line = 5, partitions_a_line = 16;

bool plain_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.' || c == '/';
}

// Words that some YAML reader takes for a truth value or nothing, whatever their case. Every other text that
// starts with a letter and is made of plain characters is text to every reader.
bool is_word_of_yaml(std::string_view text) {
  static constexpr std::array<std::string_view, 9> words{"null", "true", "false", "yes", "no",
                                                         "on",   "off",  "y",     "n"};
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return std::equal(word.begin(), word.end(), text.begin(), text.end(),
                      [](char w, char c) { return w == (c | 0x20); });
  });
}

std::string scalar(std::string_view text) {
  const bool letter = !text.empty() && ((text.front() | 0x20) >= 'a' && (text.front() | 0x20) <= 'z');
  if (letter && std::all_of(text.begin(), text.end(), plain_char) && !is_word_of_yaml(text))
    return std::string(text);
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string number(double value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

std::string numbers(const std::vector<std::uint32_t>& list) {
  std::string out = "[";
  for (std::uint32_t each : list) out += (out.size() > 1 ? ", " : "") + std::to_string(each);
  return out + "]";
}

std::string settings(const PlacementSettings& p) {
  std::string out = "{";
  for (const auto& [name, value] : p.settings) {
    const bool bare = !value.empty() && value.find_first_not_of("0123456789.") == std::string::npos;
    const bool flag = value == "true" || value == "false";
    out += (out.size() > 1 ? ", " : "") + scalar(name) + ": " + (bare || flag ? value : scalar(value));
  }
  return out + "}";
}

std::string partitions(const ClusterMap& map) {
  std::string out = "  holders: [";
  for (const Node& node : map.nodes()) out += (&node == map.nodes().data() ? "" : ", ") + scalar(node.name);
  out += "]\n  partitions:";
  std::size_t written = 0;
  for (const TableRow& row : map.placement().table) {
    out += written % partitions_a_line == 0 ? (written ? "\"\n    - \"" : "\n    - \"") : " ";
    ++written;
    if (row.owners.empty()) out += '-';
    for (std::size_t i = 0; i < row.owners.size(); ++i) out += (i ? "," : "") + std::to_string(row.owners[i]);
  }
  return out + "\"\n";
}

std::string placement(const ClusterMap& map) {
  const PlacementSettings& p = map.placement();
  const Recipe& recipe = *p.recipe;
  std::string out = "placement:\n  recipe: " + scalar(recipe.name) + "\n";
  if (recipe.hash_open || !recipe.hashes.empty()) out += "  hash: " + scalar(info(p.hash).name) + "\n";
  if (recipe.default_tokens && !(p.given && p.tokens == recipe.default_tokens))
    out += "  tokens: " + std::to_string(p.tokens) + "\n";
  if (p.given && recipe.points != PointRule::given)
    out += "  allocation: given\n";
  else if (recipe.points == PointRule::hashed_name)
    out += "  allocation: hashed\n";
  if (!p.hash_tag.empty()) out += "  hash_tag: " + scalar(p.hash_tag) + "\n";
  if (p.slots) out += "  slots: " + std::to_string(p.slots) + "\n";
  if (!p.removed.empty()) out += "  removed: " + numbers(p.removed) + "\n";
  if (!p.settings.empty()) out += "  settings: " + settings(p) + "\n";
  if (has_equal_parts(recipe)) return out + partitions(map);
  if (!p.table.empty()) out += "  ranges:\n";
  for (const TableRow& row : p.table) {
    out += "    - {upto: \"" + to_hex(map.space(), row.upto) + "\", owners: [";
    for (std::size_t i = 0; i < row.owners.size(); ++i)
      out += (i ? ", " : "") + scalar(map.nodes()[row.owners[i]].name);
    out += "]}\n";
  }
  return out;
}

std::string replicas(const ReplicaPolicy& policy) {
  std::string out = "replicas:\n";
  if (policy.per_zone.empty()) {
    out += "  count: " + std::to_string(policy.count) + "\n";
  } else {
    out += "  per_zone: {";
    for (std::size_t i = 0; i < policy.per_zone.size(); ++i)
      out +=
          (i ? ", " : "") + scalar(policy.per_zone[i].zone) + ": " + std::to_string(policy.per_zone[i].count);
    out += "}\n";
  }
  out += "  across: " + std::string(to_string(policy.across)) + "\n";
  const bool repeat = policy.when_short == WhenShort::repeat;
  if (repeat || policy.across != Across::node)
    out += std::string("  when_short: ") + (repeat ? "repeat" : "refuse") + "\n";
  return out;
}

std::string tokens(const TokenSpace& space, const std::vector<Token>& list) {
  const bool wrap = list.size() > tokens_a_line;
  std::string out = "[";
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i) out += ',';
    if (wrap && i % tokens_a_line == 0)
      out += "\n      ";
    else if (i)
      out += ' ';
    out += '"' + to_hex(space, list[i]) + '"';
  }
  return out + ']';
}

std::string node_line(const TokenSpace& space, const PlacementSettings& placement, const Node& node) {
  std::string out = "  - {name: " + scalar(node.name);
  const auto text = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) out += ", " + std::string(key) + ": " + scalar(value);
  };
  text("label", node.label == label_of(placement, node) ? "" : node.label);
  text("address", node.address);
  text("host", node.host == default_host(node) ? "" : node.host);
  out += ", weight: " + number(node.weight);
  text("rack", node.rack);
  text("zone", node.zone);
  if (node.state != NodeState::normal) text("state", std::string(to_string(node.state)));
  if (!node.buckets.empty()) out += ", buckets: " + numbers(node.buckets);
  if (node.bucket) out += ", bucket: " + std::to_string(*node.bucket);
  if (!node.tokens.empty()) out += ", tokens: " + tokens(space, node.tokens);
  return out + "}\n";
}

}  // namespace

std::string write_map(const ClusterMap& map) {
  std::string out = "arcwise: 1\n";
  if (!map.cluster().empty()) out += "cluster: " + scalar(map.cluster()) + "\n";
  if (map.epoch()) out += "epoch: " + std::to_string(*map.epoch()) + "\n";
  out += placement(map) + replicas(map.replicas()) + "nodes:\n";
  for (const Node& node : map.nodes()) out += node_line(map.space(), map.placement(), node);
  return out;
}

}  // namespace arcwise
