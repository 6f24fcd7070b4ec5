#include "study/step_tables.hpp"

#include <algorithm>

#include "model/build.hpp"
#include "study/apply_parts.hpp"

namespace arcwise {
namespace {

using Numbers = std::vector<std::uint32_t>;

bool holds(const Numbers& owners, std::uint32_t node) {
  return std::find(owners.begin(), owners.end(), node) != owners.end();
}

// Copies that stay keep their place, so that the others change place by place.
bool keeps_places(const Numbers& before, const Numbers& after) {
  if (before.size() != after.size()) return false;
  for (std::size_t i = 0; i < before.size(); ++i)
    if (before[i] != after[i] && (holds(after, before[i]) || holds(before, after[i]))) return false;
  return true;
}

std::uint32_t row_of(const std::vector<TableRow>& table, Token upto) {
  const auto at = std::lower_bound(table.begin(), table.end(), upto,
                                   [](const TableRow& row, Token t) { return row.upto < t; });
  return at == table.end() ? 0 : static_cast<std::uint32_t>(at - table.begin());  // the first row wraps
}

}  // namespace

TableSteps::TableSteps(const ClusterMap& before, const ClusterMap& after)
    : before_(before), after_(after), nodes_(before, after), node_(nodes_.names.size()) {
  for (NodeIndex n = 0; n < before.nodes().size(); ++n) node_[nodes_.before[n]] = &before.nodes()[n];
  for (NodeIndex n = 0; n < after.nodes().size(); ++n) node_[nodes_.after[n]] = &after.nodes()[n];
  cut();
}

// Rows that end where those of either table do.
void TableSteps::cut() {
  const auto &a = before_.placement().table, &b = after_.placement().table;
  if (has_equal_parts(*before_.placement().recipe)) {
    for (std::uint32_t i = 0; i < a.size(); ++i) pieces_.push_back({a[i].upto, true, i, i, false, {}});
    return;
  }
  std::vector<Token> ends;
  for (const auto* table : {&a, &b})
    for (const TableRow& row : *table) ends.push_back(row.upto);
  std::sort(ends.begin(), ends.end());
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const bool twice = i + 1 < ends.size() && ends[i + 1] == ends[i];
    pieces_.push_back({ends[i], twice, row_of(a, ends[i]), row_of(b, ends[i]), false, {}});
    i += twice;
  }
}

TableSteps::Numbers TableSteps::owners_before(const Piece& piece) const {
  Numbers out;
  for (NodeIndex n : before_.placement().table[piece.before].owners) out.push_back(nodes_.before[n]);
  return out;
}

TableSteps::Numbers TableSteps::owners_after(const Piece& piece) const {
  Numbers out;
  for (NodeIndex n : after_.placement().table[piece.after].owners) out.push_back(nodes_.after[n]);
  return out;
}

std::set<std::string> TableSteps::other_receivers(const std::set<std::string>& named) const {
  std::set<std::string> out;
  for (const Piece& piece : pieces_) {
    const Numbers before = owners_before(piece), after = owners_after(piece);
    bool leaves_named = false;
    for (std::uint32_t n : before) leaves_named |= !holds(after, n) && named.count(nodes_.names[n]) > 0;
    for (std::uint32_t n : after)
      if (!leaves_named && !holds(before, n) && !named.count(nodes_.names[n])) out.insert(nodes_.names[n]);
  }
  return out;
}

// Worked example: x is added in step 1, y in step 2, z leaves in step 3. A copy z → x moves in step 1, z → a
// in step 3, a → y in step 2, a → b in step 3.
std::uint32_t TableSteps::copy_step(std::uint32_t from, std::uint32_t to) const {
  const std::uint32_t wish = changed_[to] ? changed_[to] : changed_[from] ? changed_[from] : last_;
  return std::max(std::max(1u, joins_[to]), std::min(wish, leaves_[from]));
}

std::uint32_t TableSteps::row_step(const Numbers& before, const Numbers& after) const {
  Numbers gained, lost;
  for (std::uint32_t n : after)
    if (!holds(before, n)) gained.push_back(n);
  for (std::uint32_t n : before)
    if (!holds(after, n)) lost.push_back(n);
  std::uint32_t step = gained.empty() ? (lost.empty() ? last_ : copy_step(lost[0], 0)) : 1;
  for (std::size_t i = 0; i < gained.size(); ++i)
    step = std::max(step, copy_step(i < lost.size() ? lost[i] : 0, gained[i]));
  for (std::uint32_t n : lost) step = std::min(step, leaves_[n]);
  for (std::uint32_t n : gained) step = std::max(step, joins_[n]);
  return step;
}

std::size_t TableSteps::groups(const Numbers& owners, Across level) const {
  std::set<std::string> seen;
  for (std::uint32_t n : owners) seen.insert(group_name(*node_[n], level));
  return seen.size();
}

// After each of the steps but the last one that touches the row, it lies on as many nodes, hosts, racks and
// zones as before or after them all.
bool TableSteps::far_apart(const Numbers& before, const Numbers& after, const Numbers& at) const {
  const std::uint32_t end = *std::max_element(at.begin(), at.end());
  for (const std::uint32_t step : std::set<std::uint32_t>(at.begin(), at.end())) {
    if (step == 0 || step == end) continue;
    Numbers mixed = before;
    for (std::size_t i = 0; i < mixed.size(); ++i)
      if (at[i] <= step) mixed[i] = after[i];
    for (Across level : {Across::node, Across::host, Across::rack, Across::zone})
      if (groups(mixed, level) < std::min(groups(before, level), groups(after, level))) return false;
  }
  return true;
}

void TableSteps::decide(const std::vector<std::vector<NodeChange>>& steps) {
  last_ = static_cast<std::uint32_t>(steps.size());
  changed_.assign(nodes_.names.size(), 0);
  for (std::uint32_t s = 0; s < steps.size(); ++s)
    for (const NodeChange& change : steps[s])
      for (const std::string* name : {&change.before, &change.after})
        if (!name->empty())
          changed_[static_cast<std::size_t>(
              std::lower_bound(nodes_.names.begin(), nodes_.names.end(), *name) - nodes_.names.begin())] =
              s + 1;
  joins_ = changed_;
  leaves_ = changed_;
  for (std::uint32_t n : nodes_.before) joins_[n] = 0;
  for (std::uint32_t n : nodes_.after) leaves_[n] = last_;
  leaves_[0] = last_;
  const bool shards = held_by_shards(before_.placement());
  for (Piece& piece : pieces_) {
    piece.at.clear();
    const Numbers before = owners_before(piece), after = owners_after(piece);
    if (before == after) continue;
    piece.whole = shards || !keeps_places(before, after);
    if (!piece.whole) {
      for (std::size_t i = 0; i < before.size(); ++i)
        piece.at.push_back(before[i] == after[i] ? 0 : copy_step(before[i], after[i]));
      piece.whole = !far_apart(before, after, piece.at);
    }
    if (piece.whole) piece.at.assign(1, row_step(before, after));
  }
}

std::vector<TableRow> TableSteps::rows(std::size_t steps_done, const std::vector<Node>& nodes) const {
  std::vector<NodeIndex> index(nodes_.names.size(), no_node);
  for (NodeIndex n = 0; n < nodes.size(); ++n)
    index[static_cast<std::size_t>(std::lower_bound(nodes_.names.begin(), nodes_.names.end(), nodes[n].name) -
                                   nodes_.names.begin())] = n;
  std::vector<TableRow> out;
  bool last_in_both = true;
  for (const Piece& piece : pieces_) {
    Numbers owners = owners_before(piece);
    if (piece.whole && piece.at[0] <= steps_done) owners = owners_after(piece);
    if (!piece.whole && !piece.at.empty()) {
      const Numbers after = owners_after(piece);
      for (std::size_t i = 0; i < owners.size(); ++i)
        if (piece.at[i] <= steps_done) owners[i] = after[i];
    }
    std::vector<NodeIndex> named;
    for (std::uint32_t n : owners) named.push_back(index[n]);
    if (!last_in_both && out.back().owners == named)
      out.back().upto = piece.upto;
    else
      out.push_back({piece.upto, std::move(named)});
    last_in_both = piece.in_both;
  }
  return out;
}

}  // namespace arcwise
