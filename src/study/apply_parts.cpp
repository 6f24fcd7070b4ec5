// The table as an assignment problem and back.
#include "study/apply_parts.hpp"

#include <algorithm>
#include <string>

#include "model/build.hpp"
#include "study/assign_problem.hpp"

namespace arcwise {
namespace {

constexpr u128 most_units = u128{1} << 22;

bool is_named(const PlacementSettings& placement, std::string_view name) {
  return placement.recipe->name == name;
}

// The row of each part: of equal parts their own, of slots the one that ends at or after, wrapping.
std::vector<const TableRow*> rows_of_parts(const ClusterMap::Parts& parts) {
  const auto& table = parts.placement.table;
  std::vector<const TableRow*> out;
  if (has_equal_parts(*parts.placement.recipe)) {
    for (const TableRow& row : table) out.push_back(&row);
    return out;
  }
  std::size_t row = 0;
  for (u128 slot = 0; slot <= parts.space.last; ++slot) {
    while (row < table.size() && table[row].upto.value < slot) ++row;
    out.push_back(&table[row < table.size() ? row : 0]);
  }
  return out;
}

AssignRequest request_for(const ClusterMap::Parts& parts, const std::vector<const TableRow*>& rows,
                          const std::set<NodeIndex>& leaving, const std::set<NodeIndex>& coming) {
  const bool shards = held_by_shards(parts.placement);
  AssignRequest out;
  out.partitions = static_cast<std::uint32_t>(rows.size());
  out.spread = shards ? Across::node
               : is_named(parts.placement, "swift")
                   ? Across::zone  // regions, zones, servers, as it does itself
                   : parts.replicas.across;
  std::set<NodeIndex> masters = coming;
  for (const TableRow* row : rows) {
    std::vector<NodeIndex> held = row->owners;
    if (shards && held.size() > 1) held.resize(1);
    out.replicas = std::max(out.replicas, static_cast<std::uint32_t>(held.size()));
    masters.insert(held.begin(), held.end());
    out.previous.push_back(std::move(held));
  }
  for (NodeIndex n = 0; n < parts.nodes.size(); ++n) {
    const Node& node = parts.nodes[n];
    const bool draining =
        leaving.count(n) > 0 || node.state != NodeState::normal || (shards && !masters.count(n));
    out.nodes.push_back({node.name, node.weight, node.host.empty() ? default_host(node) : node.host,
                         node.rack, node.zone, draining});
  }
  return out;
}

// A fraction of a replica is that some partitions have one copy more than others: which ones is the
// builder's.
std::optional<Error> check_rows(const ClusterMap::Parts& parts, const std::vector<const TableRow*>& rows) {
  if (!is_named(parts.placement, "swift")) return std::nullopt;
  for (const TableRow* row : rows)
    if (row->owners.size() != rows.front()->owners.size())
      return Error{ErrorKind::input,
                   {},
                   "",
                   "some partitions of this ring have more copies than others",
                   "give the ring a whole number of replicas first"};
  return std::nullopt;
}

void write_table(ClusterMap::Parts& parts, const std::vector<std::vector<NodeIndex>>& owners) {
  auto& table = parts.placement.table;
  if (has_equal_parts(*parts.placement.recipe)) {
    for (std::size_t i = 0; i < owners.size(); ++i) table[i].owners = owners[i];
    return;
  }
  table.clear();
  for (std::size_t slot = 0; slot < owners.size(); ++slot)
    if (slot + 1 == owners.size() || owners[slot] != owners[slot + 1])
      table.push_back({{slot}, owners[slot]});
}

std::string proof_of(const Assignment& done, const AssignRequest& request) {
  std::uint64_t fewest = ~std::uint64_t{0}, most = 0;
  for (std::size_t n = 0; n < done.nodes.size(); ++n)
    if (!request.nodes[n].draining && request.nodes[n].weight > 0) {
      fewest = std::min(fewest, done.nodes[n].copies);
      most = std::max(most, done.nodes[n].copies);
    }
  return std::to_string(done.moved) + " of " +
         std::to_string(std::uint64_t{request.partitions} * request.replicas) + " copies move, and " +
         std::to_string(done.least) + " is the proven least for these weights; nodes hold from " +
         std::to_string(fewest) + " to " + std::to_string(most);
}

}  // namespace

bool held_by_shards(const PlacementSettings& placement) {
  return is_named(placement, "redis-cluster");
}

bool parts_may_move(const ClusterMap& map) {
  const PlacementSettings& placement = map.placement();
  if (has_equal_parts(*placement.recipe)) return true;
  return (is_named(placement, "redis-cluster") || is_named(placement, "swift") ||
          is_named(placement, "couchbase") || (is_named(placement, "ranges") && placement.slots > 0)) &&
         map.space().last < most_units;
}

std::optional<Error> hand_out(ClusterMap::Parts& parts, const std::set<NodeIndex>& leaving,
                              const std::set<NodeIndex>& coming, std::vector<Finding>& notes) {
  const auto rows = rows_of_parts(parts);
  if (auto error = check_rows(parts, rows)) return error;
  const AssignRequest request = request_for(parts, rows, leaving, coming);
  const auto done = assign(request);
  if (!done) return done.error();
  auto owners = done->owners;
  if (held_by_shards(parts.placement)) {
    std::map<NodeIndex, std::vector<NodeIndex>> shards;
    for (const TableRow* row : rows)
      if (!row->owners.empty()) shards.emplace(row->owners.front(), row->owners);
    for (std::size_t p = 0; p < owners.size(); ++p) {
      const NodeIndex master = owners[p].front();
      const bool stays = !rows[p]->owners.empty() && rows[p]->owners.front() == master;
      if (stays)
        owners[p] = rows[p]->owners;
      else if (const auto shard = shards.find(master); shard != shards.end())
        owners[p] = shard->second;
    }
  }
  write_table(parts, owners);
  notes.push_back({Finding::Severity::info, "parts-moved", "", proof_of(*done, request), ""});
  return std::nullopt;
}

std::optional<Error> check_part_count(const ClusterMap& before, const ClusterMap& after) {
  const PlacementSettings &a = before.placement(), &b = after.placement();
  if (a.recipe != b.recipe || a.recipe->points != PointRule::table) return std::nullopt;
  const bool equal = has_equal_parts(*a.recipe);
  const std::uint64_t had = equal ? a.table.size() : a.slots, has = equal ? b.table.size() : b.slots;
  if (had == has) return std::nullopt;
  return other_part_count(had, has);
}

}  // namespace arcwise
