// The table as an assignment problem and back.
#include "study/apply_parts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "model/build.hpp"
#include "study/apply_spaced.hpp"
#include "study/assign_partly.hpp"
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

// Whether a part cannot move, since a node that holds it does not answer: nobody can copy from a master that
// is down, and a copy that is away for a while is not made anew. A node that leaves gives up what it has.
bool stays(const ClusterMap::Parts& parts, const TableRow& row, const HandOut& wanted) {
  const auto leaves = [&](NodeIndex n) {
    return wanted.leaving.count(n) > 0 || parts.nodes[n].state == NodeState::leaving;
  };
  const std::size_t count =
      held_by_shards(parts.placement) ? std::min<std::size_t>(row.owners.size(), 1) : row.owners.size();
  bool down = false;
  for (std::size_t i = 0; i < count; ++i) {
    if (leaves(row.owners[i])) return false;
    down |= wanted.down.count(row.owners[i]) > 0;
  }
  return down;
}

AssignRequest request_for(const ClusterMap::Parts& parts, const std::vector<const TableRow*>& rows,
                          const HandOut& wanted) {
  const bool shards = held_by_shards(parts.placement);
  AssignRequest out;
  out.spread = shards ? Across::node
               : is_named(parts.placement, "swift")
                   ? Across::zone  // regions, zones, servers, as it does itself
                   : parts.replicas.across;
  std::set<NodeIndex> masters = wanted.coming;
  for (const TableRow* row : rows) {
    std::vector<NodeIndex> held = row->owners;
    if (shards && held.size() > 1) held.resize(1);
    out.replicas = std::max(out.replicas, static_cast<std::uint32_t>(held.size()));
    masters.insert(held.begin(), held.end());
    if (!stays(parts, *row, wanted)) out.previous.push_back(std::move(held));
  }
  out.partitions = static_cast<std::uint32_t>(out.previous.size());
  for (NodeIndex n = 0; n < parts.nodes.size(); ++n) {
    const Node& node = parts.nodes[n];
    const bool draining = wanted.leaving.count(n) > 0 || wanted.down.count(n) > 0 ||
                          node.state != NodeState::normal || (shards && !masters.count(n));
    out.nodes.push_back({node.name, node.weight, node.host.empty() ? default_host(node) : node.host,
                         node.rack, node.zone, draining});
  }
  return out;
}

// By part: its number among those that may move.
constexpr std::uint32_t unmovable = ~std::uint32_t{0};
std::vector<std::uint32_t> numbers_of_movable(const ClusterMap::Parts& parts,
                                              const std::vector<const TableRow*>& rows,
                                              const HandOut& wanted) {
  std::vector<std::uint32_t> out;
  std::uint32_t next = 0;
  for (const TableRow* row : rows) out.push_back(stays(parts, *row, wanted) ? unmovable : next++);
  return out;
}

// Back to all parts: those that stay keep their owners.
void put_back(const std::vector<const TableRow*>& rows, const std::vector<std::uint32_t>& number,
              std::vector<std::vector<NodeIndex>>& owners) {
  std::vector<std::vector<NodeIndex>> all;
  for (std::size_t p = 0; p < rows.size(); ++p)
    all.push_back(number[p] == unmovable ? rows[p]->owners : std::move(owners[number[p]]));
  owners = std::move(all);
}

std::optional<Error> check_movable(const AssignRequest& request, std::size_t parts) {
  if (request.partitions > 0) return std::nullopt;
  return Error{
      ErrorKind::refused,
      {},
      "",
      "each of the " + std::to_string(parts) + " parts has an owner that is down, so that none can move",
      "bring these nodes back, or remove them"};
}

void note_down(const ClusterMap::Parts& parts, const HandOut& wanted, std::size_t unmoved,
               std::vector<Finding>& notes) {
  std::string names;
  for (NodeIndex n : wanted.down) names += (names.empty() ? "" : ", ") + parts.nodes[n].name;
  if (names.empty()) return;
  notes.push_back({Finding::Severity::warning, "parts-on-down-nodes", "",
                   "down now: " + names + "; no part goes there" +
                       (unmoved ? ", and " + std::to_string(unmoved) +
                                      " parts of theirs stay as they are, since nobody can hand them over"
                                : ""),
                   "plan again when they are back, or remove them"});
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

// Of a rule's node: named in the map, which the caller has checked.
NodeIndex named(const ClusterMap::Parts& parts, std::string_view name) {
  const auto at = std::find_if(parts.nodes.begin(), parts.nodes.end(),
                               [&](const Node& node) { return node.name == name; });
  return static_cast<NodeIndex>(at - parts.nodes.begin());
}

std::optional<Error> add_rules(AssignRequest& request, const ClusterMap::Parts& parts, const PartRules& rules,
                               const std::vector<std::uint32_t>& number) {
  const auto add = [&](const std::vector<PartRules::Rule>& from, auto& to) -> std::optional<Error> {
    for (const PartRules::Rule& rule : from) {
      if (rule.last >= number.size())
        return Error{ErrorKind::input,
                     {},
                     std::to_string(rule.last) + "=" + rule.node,
                     "there are " + std::to_string(number.size()) + " parts, numbered from 0",
                     "the last one is " + std::to_string(number.size() - 1)};
      const NodeIndex node = named(parts, rule.node);
      for (std::uint32_t p = rule.first; p <= rule.last; ++p)
        if (number[p] != unmovable) to.emplace_back(number[p], node);
    }
    return std::nullopt;
  };
  if (auto error = add(rules.pins, request.pins)) return error;
  return add(rules.exclusions, request.exclusions);
}

// Rounded up, so that the last copy goes too: a quarter of 1 is 1.
Partly limits_of(const AssignRequest& request, const ClusterMap::Parts& parts, const PartRules& rules) {
  Partly out;
  if (rules.at_most) out.at_most = *rules.at_most;
  for (const PartRules::Drain& drain : rules.drains) {
    if (drain.by >= 1) continue;
    const NodeIndex node = named(parts, drain.node);
    double held = 0;
    for (const auto& row : request.previous) held += std::count(row.begin(), row.end(), node) ? 1 : 0;
    out.gives.emplace_back(node, static_cast<std::uint64_t>(std::ceil(held * drain.by - 1e-9)));
  }
  return out;
}

PartsMoved told(const Assignment& done, std::uint64_t moved, const AssignRequest& request) {
  PartsMoved out;
  std::vector<std::uint64_t> held(request.nodes.size(), 0);
  for (const auto& row : done.owners)
    for (NodeIndex n : row) ++held[n];
  out.fewest = ~std::uint64_t{0};
  for (std::size_t n = 0; n < held.size(); ++n)
    if (!request.nodes[n].draining && request.nodes[n].weight > 0) {
      out.fewest = std::min(out.fewest, held[n]);
      out.most = std::max(out.most, held[n]);
    }
  out.copies = std::uint64_t{request.partitions} * request.replicas;
  out.moved = moved;
  out.later = done.moved - moved;
  out.least = done.least;
  out.uneven = done.uneven;
  out.together = done.crowded;
  return out;
}

std::string proof_of(const PartsMoved& done) {
  const auto text = [](std::uint64_t n) { return std::to_string(n); };
  std::string out = text(done.moved) + " of " + text(done.copies) + " copies move";
  if (done.later)
    out += " now and " + text(done.later) + " later: the weights ask for " + text(done.moved + done.later) +
           " in all, and " + text(done.least) + " is the proven least";
  else
    out += ", and " + text(done.least) + " is the proven least for these weights";
  out += "; nodes hold from " + text(done.fewest) + " to " + text(done.most);
  if (done.uneven + done.together > 0)
    out += "; pins and exclusions force " + text(done.uneven) + " copies beside the shares and " +
           text(done.together) + " together with others of their partition";
  return out;
}

// The replicas of a master go where it goes.
void follow_masters(const ClusterMap::Parts& parts, const std::vector<const TableRow*>& rows,
                    std::vector<std::vector<NodeIndex>>& owners) {
  if (!held_by_shards(parts.placement)) return;
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

// A node that is removed must be empty by the end.
std::optional<Error> check_emptied(const ClusterMap::Parts& parts, const HandOut& wanted,
                                   const std::vector<std::vector<NodeIndex>>& owners) {
  for (NodeIndex node : wanted.leaving) {
    std::size_t held = 0;
    for (const auto& row : owners) held += std::count(row.begin(), row.end(), node) ? 1U : 0U;
    if (held)
      return Error{ErrorKind::input,
                   {},
                   parts.nodes[node].name,
                   "it is removed and would still hold " + std::to_string(held) +
                       " parts, as only some copies move now",
                   "drain it instead: it stays in the map, and a later plan removes it when it is empty"};
  }
  return std::nullopt;
}

}  // namespace

bool held_by_shards(const PlacementSettings& placement) {
  return is_named(placement, "redis-cluster");
}

bool parts_may_move(const ClusterMap& map) {
  const PlacementSettings& placement = map.placement();
  if (has_equal_parts(*placement.recipe)) return true;
  return (is_named(placement, "redis-cluster") || is_named(placement, "swift") ||
          is_named(placement, "couchbase") || held_in_a_row(placement) ||
          (is_named(placement, "ranges") && placement.slots > 0)) &&
         map.space().last < most_units;
}

Result<PartsMoved> hand_out(ClusterMap::Parts& parts, const HandOut& wanted, std::vector<Finding>& notes) {
  if (held_in_a_row(parts.placement)) return hand_out_spaced(parts, wanted, notes);
  const auto rows = rows_of_parts(parts);
  if (auto error = check_rows(parts, rows)) return *error;
  AssignRequest request = request_for(parts, rows, wanted);
  const std::vector<std::uint32_t> number = numbers_of_movable(parts, rows, wanted);
  if (auto error = check_movable(request, rows.size())) return *error;
  if (auto error = add_rules(request, parts, wanted.rules, number)) return *error;
  auto done = assign(request);
  if (!done) return done.error();
  const Partly limits = limits_of(request, parts, wanted.rules);
  const std::uint64_t moved = limits.any() ? carry_out_partly(request, limits, done->owners) : done->moved;
  if (auto error = check_emptied(parts, wanted, done->owners)) return *error;
  move_whole_runs(request, done->owners);
  const PartsMoved out = told(*done, moved, request);
  notes.push_back({Finding::Severity::info, "parts-moved", "", proof_of(out), ""});
  note_down(parts, wanted, rows.size() - request.partitions, notes);
  put_back(rows, number, done->owners);
  follow_masters(parts, rows, done->owners);
  write_table(parts, done->owners);
  return out;
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
