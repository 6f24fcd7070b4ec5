// What of each recipe's table can be measured, split and moved.
#include <algorithm>
#include <array>

#include "arcwise/ranges.hpp"
#include "model/build.hpp"
#include "study/range_copies.hpp"

namespace arcwise {
namespace {

using Unit = RangeRules::Unit;

struct Row {
  std::string_view recipe;
  RangeRules rules;
};

constexpr std::string_view tablets =
    "ScyllaDB splits and merges all tablets of a table at once, by their mean size; one tablet can move";
constexpr std::string_view by_tokens = "these ranges follow from the tokens of nodes";

// `ranges` with slots is told apart below. A table that is not listed here may not change.
constexpr std::array rows{
    Row{"ranges", {Unit::range, true, true, false}},
    Row{"vitess-hash", {Unit::range, true, true, false}},
    Row{"citus-ranges", {Unit::range, true, true, false}},
    Row{"scylladb-tablets", {Unit::range, false, true, false, tablets}},
    Row{"partitions", {Unit::partition, false, true, false, "a partition cannot be split"}},
    Row{"redis-cluster", {Unit::slot, false, true, true, "a slot cannot be split"}},
    Row{"couchbase", {Unit::slot, false, true, false, "a vBucket cannot be split"}},
    Row{"kafka", {Unit::slot, false, true, false, "a partition cannot be split"}},
    Row{"kafka-librdkafka", {Unit::slot, false, true, false, "a partition cannot be split"}},
    Row{"citus", {Unit::slot, false, true, false, "shards of equal size; recipe citus-ranges splits them"}},
    Row{"elasticsearch", {Unit::slot, false, true, false, "a shard cannot be split alone"}},
    Row{"elasticsearch-modulo", {Unit::slot, false, true, false, "a shard cannot be split alone"}},
    Row{"swift", {Unit::slot, false, true, false, "a partition cannot be split"}},
    Row{"cassandra-ranges", {Unit::range, false, false, false, by_tokens}},
    Row{"riak", {Unit::slot, false, false, false, "copies lie on the partitions that follow"}},
    Row{"ceph-pgs", {Unit::slot, false, false, false, "CRUSH places the groups"}},
};

constexpr u128 most_slots = u128{1} << 20;

}  // namespace

std::string_view to_string(RangeRules::Unit unit) {
  constexpr std::string_view names[] = {"range", "slot", "partition"};
  return names[static_cast<std::size_t>(unit)];
}

RangeRules range_rules(const ClusterMap& map) {
  const PlacementSettings& placement = map.placement();
  if (placement.recipe->points != PointRule::table)
    return {Unit::range, false, false, false, "this recipe derives owners and lists none"};
  for (const Row& row : rows) {
    if (row.recipe != placement.recipe->name) continue;
    RangeRules rules = row.rules;
    if (rules.splits && placement.slots) rules = {Unit::slot, false, true, false, "a slot cannot be split"};
    if (rules.unit == Unit::slot && map.space().last >= most_slots)
      return {Unit::slot, false, false, false, "more than 1,048,576 slots"};
    return rules;
  }
  return {Unit::range, false, false, false, "its owners follow from a rule of their own"};
}

std::size_t unit_count(const ClusterMap& map) {
  return range_rules(map).unit == Unit::slot ? static_cast<std::size_t>(map.space().last) + 1
                                             : map.placement().table.size();
}

std::string unit_name(const ClusterMap& map, std::size_t unit) {
  return range_rules(map).unit == Unit::range ? to_text(map.space(), map.placement().table[unit].upto)
                                              : std::to_string(unit);
}

std::optional<std::size_t> find_unit(const ClusterMap& map, std::string_view name) {
  if (range_rules(map).unit != Unit::range) {
    std::size_t unit = 0;
    if (name.empty() || name.size() > 9) return std::nullopt;
    for (char c : name) {
      if (c < '0' || c > '9') return std::nullopt;
      unit = 10 * unit + static_cast<std::size_t>(c - '0');
    }
    return unit < unit_count(map) ? std::optional(unit) : std::nullopt;
  }
  const auto token = from_text(map.space(), name);
  const auto& table = map.placement().table;
  if (!token) return std::nullopt;
  const auto at = std::lower_bound(table.begin(), table.end(), *token,
                                   [](const TableRow& row, Token t) { return row.upto < t; });
  if (at == table.end() || at->upto != *token) return std::nullopt;
  return static_cast<std::size_t>(at - table.begin());
}

CopyRules::CopyRules(const ClusterMap& map) {
  zones_counted_ = !map.replicas().per_zone.empty();
  for (const Across level : {Across::host, Across::rack, Across::zone}) {
    if (level > map.replicas().across && !(level == Across::zone && zones_counted_)) continue;
    std::map<std::string, std::uint32_t> numbers;
    auto& group = level == Across::zone && level > map.replicas().across ? zone_ : groups_.emplace_back();
    for (const Node& node : map.nodes())
      group.push_back(
          numbers.emplace(group_name(node, level), static_cast<std::uint32_t>(numbers.size())).first->second);
  }
  if (zones_counted_ && zone_.empty()) zone_ = groups_.back();
}

bool CopyRules::may_replace(const std::vector<NodeIndex>& owners, std::size_t place, NodeIndex to) const {
  if (std::find(owners.begin(), owners.end(), to) != owners.end()) return false;
  const NodeIndex from = owners[place];
  if (zones_counted_ && zone_[from] != zone_[to]) return false;
  for (const auto& group : groups_) {
    bool from_alone = true, to_alone = true;
    for (std::size_t i = 0; i < owners.size(); ++i) {
      if (i == place) continue;
      from_alone = from_alone && group[owners[i]] != group[from];
      to_alone = to_alone && group[owners[i]] != group[to];
    }
    if (from_alone && !to_alone) return false;
  }
  return true;
}

}  // namespace arcwise
