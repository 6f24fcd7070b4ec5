// One change of a table: split, merge, move.
#include <algorithm>

#include "arcwise/ranges.hpp"
#include "study/range_copies.hpp"

namespace arcwise {
namespace {

Error refused(const ClusterMap& map, std::string what, std::string_view why, std::string advice) {
  return {ErrorKind::input,
          {},
          std::move(what),
          "recipe " + std::string(map.placement().recipe->name) + ": " + std::string(why),
          std::move(advice)};
}

Error fault(std::string what, std::string why, std::string advice) {
  return {ErrorKind::input, {}, std::move(what), std::move(why), std::move(advice)};
}

using Rows = std::vector<TableRow>;

// The row that a position belongs to: the first that ends there or later, wrapping.
std::size_t row_at(const Rows& rows, Token at) {
  const auto found = std::lower_bound(rows.begin(), rows.end(), at,
                                      [](const TableRow& row, Token t) { return row.upto < t; });
  return found == rows.end() ? 0 : static_cast<std::size_t>(found - rows.begin());
}

// Ends a row at this position, if none ends there.
void end_row(Rows& rows, Token at) {
  const std::size_t row = row_at(rows, at);
  if (rows[row].upto == at) return;
  const auto place =
      std::lower_bound(rows.begin(), rows.end(), at, [](const TableRow& r, Token t) { return r.upto < t; });
  rows.insert(place, TableRow{at, rows[row].owners});
}

Result<ClusterMap> rebuilt(ClusterMap::Parts parts) {
  return ClusterMap::build(std::move(parts));
}

std::string names(const ClusterMap& map, const std::vector<NodeIndex>& owners) {
  std::string out;
  for (NodeIndex n : owners) out += (out.empty() ? "" : ", ") + map.nodes()[n].name;
  return out.empty() ? "nobody" : out;
}

// The replicas of a master go where it goes: all of its rows list the same ones.
const std::vector<NodeIndex>* shard_of(const Rows& rows, NodeIndex master) {
  for (const TableRow& row : rows)
    if (!row.owners.empty() && row.owners.front() == master) return &row.owners;
  return nullptr;
}

std::optional<Error> replace(const ClusterMap& map, const RangeRules& rules, std::size_t unit, NodeIndex from,
                             NodeIndex to, std::vector<NodeIndex>& owners) {
  const auto& nodes = map.nodes();
  const std::string range = std::string(to_string(rules.unit)) + " " + unit_name(map, unit);
  const auto place = std::find(owners.begin(), owners.end(), from);
  if (place == owners.end() || (rules.shards && place != owners.begin()))
    return fault(
        nodes[from].name, range + " has no copy there to move",
        (rules.shards ? "its master is " + names(map, {owners.begin(), owners.begin() + !owners.empty()})
                      : "its owners are " + names(map, owners)));
  if (from == to) return fault(nodes[to].name, range + " is to move to where it is", "name another node");
  if (nodes[to].state == NodeState::joining)
    return fault(nodes[to].name, "a node that is joining owns nothing yet", "give it the state normal first");
  if (rules.shards) {
    const auto* shard = shard_of(map.placement().table, to);
    owners = shard ? *shard : std::vector<NodeIndex>{to};
    return std::nullopt;
  }
  if (const auto held = std::find(owners.begin(), owners.end(), to); held != owners.end()) {
    if (place != owners.begin())
      return fault(nodes[to].name, range + " has a copy there already",
                   "its owners are " + names(map, owners));
    std::iter_swap(place, held);
    return std::nullopt;
  }
  if (!CopyRules(map).may_replace(owners, static_cast<std::size_t>(place - owners.begin()), to))
    return fault(nodes[to].name,
                 range + " would have copies that share a " + std::string(to_string(map.replicas().across)) +
                     ", or another number of them in a zone",
                 "its owners are " + names(map, owners));
  *place = to;
  return std::nullopt;
}

}  // namespace

Result<ClusterMap> split_range(const ClusterMap& map, Token at) {
  const std::string where = to_text(map.space(), at);
  if (const RangeRules rules = range_rules(map); !rules.splits)
    return refused(map, where, rules.why, "move whole ones, or use recipe ranges");
  ClusterMap::Parts parts = map.parts();
  Rows& rows = parts.placement.table;
  if (at.value > map.space().last)
    return fault(where, "beyond the last position",
                 "the last is " + to_text(map.space(), {map.space().last}));
  if (rows[row_at(rows, at)].upto == at)
    return fault(where, "a range ends there already", "`arcwise ranges` lists where they end");
  end_row(rows, at);
  return rebuilt(std::move(parts));
}

Result<ClusterMap> merge_ranges(const ClusterMap& map, Token end) {
  const std::string where = to_text(map.space(), end);
  if (const RangeRules rules = range_rules(map); !rules.splits)
    return refused(map, where, rules.why, "use recipe ranges");
  ClusterMap::Parts parts = map.parts();
  Rows& rows = parts.placement.table;
  const std::size_t row = row_at(rows, end);
  if (rows[row].upto != end)
    return fault(where, "no range ends there", "`arcwise ranges` lists where they end");
  if (rows.size() == 1 || end.value == map.space().last)
    return fault(where, "there is no range behind it to merge with", "name the end between two ranges");
  const TableRow& next = rows[(row + 1) % rows.size()];
  if (rows[row].owners != next.owners)
    return fault(where,
                 "the ranges on its sides have different owners: " + names(map, rows[row].owners) + " and " +
                     names(map, next.owners),
                 "move one of them first");
  rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(row));
  return rebuilt(std::move(parts));
}

Result<ClusterMap> move_unit(const ClusterMap& map, std::size_t unit, NodeIndex from, NodeIndex to) {
  const RangeRules rules = range_rules(map);
  if (!rules.moves)
    return refused(map, "", rules.why,
                   "change the nodes' tokens or weights: `arcwise plan`, `arcwise allocate`");
  ClusterMap::Parts parts = map.parts();
  Rows& rows = parts.placement.table;
  std::size_t row = unit;
  if (rules.unit == RangeRules::Unit::slot) {
    if (unit > 0) end_row(rows, Token{unit - 1});
    end_row(rows, Token{unit});
    row = row_at(rows, Token{unit});
  }
  if (auto error = replace(map, rules, unit, from, to, rows[row].owners)) return *error;
  if (rules.unit == RangeRules::Unit::slot) {
    // Rows of slots are as long as their owners are the same.
    for (std::size_t i = row + 2 < rows.size() ? row + 1 : rows.size() - 1; i > 0 && i + 2 > row; --i)
      if (rows[i - 1].owners == rows[i].owners) rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(i - 1));
  }
  return rebuilt(std::move(parts));
}

}  // namespace arcwise
