// Inside the model layer: build() with the place of every field, so that its errors can name line and column.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arcwise/map.hpp"

namespace arcwise {

inline Error fault(const Mark& at, std::string what, std::string why, std::string advice) {
  return {ErrorKind::input, at, std::move(what), std::move(why), std::move(advice)};
}

struct NodeMarks {
  Mark name, weight, state, tokens, bucket;
};

struct BuildMarks {
  Mark whole;
  Mark recipe;
  Mark replicas;
  std::vector<NodeMarks> nodes;                     ///< empty, or one a node
  std::vector<Marked<std::string>> rows;            ///< empty, or `upto` of each row of the table, as written
  std::vector<std::pair<std::string, Mark>> zones;  ///< of per_zone, in the order written
  std::vector<std::pair<std::string, Mark>> settings;  ///< as far as the map writes them
  std::vector<Mark> removed;                           ///< empty, or one an entry of `removed`
  /// A token that a node lists, as written (the second one, if it does so twice); may be unset.
  std::function<Marked<std::string>(NodeIndex, Token)> token_at;
  /// Where a node lists a bucket (the second place, if it does so twice); may be unset.
  std::function<Mark(NodeIndex, std::uint32_t)> bucket_at;
  bool strict = false;  ///< a written map: more replicas than nodes is an error whatever when_short says

  NodeMarks node_at(std::size_t i) const {
    return i < nodes.size() ? nodes[i] : NodeMarks{whole, whole, whole, whole, whole};
  }
  Mark zone_at(std::string_view zone) const {
    for (const auto& [name, at] : zones)
      if (name == zone) return at;
    return replicas;
  }
  Mark removed_at(std::size_t i) const { return i < removed.size() ? removed[i] : whole; }
  Mark held_at(NodeIndex node, std::uint32_t bucket) const {
    return bucket_at ? bucket_at(node, bucket) : node_at(node).name;
  }
  /// Where a setting is written; a preset stands at the recipe.
  Mark setting_at(std::string_view name) const {
    for (const auto& [written, at] : settings)
      if (written == name) return at;
    return recipe;
  }
};

Result<ClusterMap> build_marked(ClusterMap::Parts parts, const BuildMarks& marks);

/// For recipes of numbered buckets: numbers the buckets where the map lists none, and checks that each is
/// held once or removed. For others: nothing of the kind is listed.
std::optional<Error> number_buckets(ClusterMap::Parts& parts, const BuildMarks& marks);

/// A table's rows are in order and list distinct nodes, and all positions have one.
std::optional<Error> check_table(const ClusterMap::Parts& parts, const BuildMarks& marks);

/// A weight is relative; the bounds keep every sum of them finite and every share above nothing.
inline constexpr double least_weight = 1e-9, most_weight = 4294967295;
bool is_weight(double weight);  ///< 0 too, which some recipes take
inline constexpr const char* weight_rule =
    "a weight that is not a finite positive number from 1e-9 to 4294967295";
inline constexpr const char* weight_advice =
    "a weight is relative capacity, such as 1 or 2.5; to take a node out, remove it";

/// Below it Arcwise's whole-number weights, units of 2^-30, would be off by more than a hundredth.
inline constexpr double least_unit_weight = 5e-8;

/// Recipes that read a node's own number, `bucket`: a server's id, an OSD, a server's vnodes.
inline bool numbers_nodes(const Recipe& recipe) {
  return recipe.method.starts_with("haproxy") || recipe.method == "ceph" || recipe.name == "ceph-pgs" ||
         recipe.bucket_is_tokens;
}

/// Buckets 0, 1, … one after another down the list and none removed: what a map that lists none gets.
bool numbered_by_list(const std::vector<Node>& nodes, const PlacementSettings& placement);

/// The machine of a node that names none: the address without its port, else the name.
std::string default_host(const Node& node);

/// The identity at a level: a rack is (zone, rack).
std::string group_name(const Node& node, Across across);

/// What is hashed for a node where the map gives no label.
std::string label_of(const PlacementSettings& placement, const Node& node);

/// The positions of a map whose number of slots (0: none) is known.
TokenSpace space_of(const Recipe& recipe, KeyHashId hash, std::uint64_t slots);

/// Recipes whose ranges are equal parts of hash space, listed without their ends.
inline bool has_equal_parts(const Recipe& recipe) {
  return recipe.method == "partitions";
}
inline constexpr std::uint64_t most_parts = std::uint64_t{1} << 20;

/// The last position of part i of `count` equal parts of a space of at most 64 bits: the largest h with
/// ⌊h · count / 2^bits⌋ = i. Worked example, 3 parts of 8 bits: 256/3 = 85.3, so 0…85, 86…170, 171…255.
inline Token part_end(const TokenSpace& space, std::uint64_t count, std::uint64_t i) {
  return {((space.last + 1) * (i + 1) + count - 1) / count - 1};
}

/// What a store's own arithmetic cannot take: a number of slots, ids that are not numbers.
std::optional<Error> check_store(const ClusterMap::Parts& parts, const BuildMarks& marks);

/// Takes the first word off a setting's text.
std::string_view next_word(std::string_view& rest, char separator = ' ');

/// A setting of "name=value" words. nullopt: a word without `=`, or a name that is there twice.
std::optional<std::map<std::string, std::string, std::less<>>> named_values(std::string_view text);

/// The number of an OSD: the node's `bucket`, else what follows the last dot of a name such as osd.12, else
/// its place in the list.
std::uint64_t osd_number(const Node& node, NodeIndex index);

/// nullopt: the recipe has the setting and takes the value.
std::optional<Error> check_setting(const Recipe& recipe, const std::string& name, const std::string& value,
                                   const Mark& at);

struct ClusterMapAccess {
  static ClusterMap make(ClusterMap::Parts parts) {
    return ClusterMap(std::make_shared<const ClusterMap::Parts>(std::move(parts)));
  }
};

}  // namespace arcwise
