#include "study/assign_partly.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <set>
#include <tuple>

namespace arcwise {
namespace {

using Owners = std::vector<std::vector<NodeIndex>>;

bool holds(const std::vector<NodeIndex>& row, NodeIndex n) {
  return std::find(row.begin(), row.end(), n) != row.end();
}

// The nodes that give a copy up, then, behind no_node, those that take one.
struct Moves {
  std::vector<NodeIndex> from, to;
  bool urgent = false;
  friend bool operator<(const Moves& a, const Moves& b) {
    return std::tie(b.urgent, a.from, a.to) < std::tie(a.urgent, b.from, b.to);
  }
};

Moves moves_of(const std::vector<NodeIndex>& before, const std::vector<NodeIndex>& after) {
  Moves out;
  for (NodeIndex n : before)
    if (n != no_node && !holds(after, n)) out.from.push_back(n);
  for (NodeIndex n : after)
    if (!holds(before, n)) out.to.push_back(n);
  std::sort(out.from.begin(), out.from.end());
  std::sort(out.to.begin(), out.to.end());
  out.urgent = out.to.size() > out.from.size();
  return out;
}

// Rows that move alike, in order. The group with most rows left comes next.
struct Group {
  const Moves* moves;
  std::vector<std::uint32_t> rows;
  std::size_t next = 0;
  std::size_t left() const { return rows.size() - next; }
};

bool later(const Group* a, const Group* b) {
  if (a->moves->urgent != b->moves->urgent) return b->moves->urgent;
  return a->left() != b->left() ? a->left() < b->left() : *b->moves < *a->moves;
}

class Budget {
 public:
  explicit Budget(const Partly& limits) : left_(limits.at_most), gives_(limits.gives) {}

  bool spend(const Moves& moves) {
    if (moves.to.size() > left_) return false;
    for (const auto& [node, rest] : gives_)
      if (rest == 0 && holds(moves.from, node)) return false;
    left_ -= moves.to.size();
    for (auto& [node, rest] : gives_) rest -= holds(moves.from, node) ? 1 : 0;
    return true;
  }

 private:
  std::uint64_t left_;
  std::vector<std::pair<NodeIndex, std::uint64_t>> gives_;
};

}  // namespace

std::uint64_t carry_out_partly(const AssignRequest& request, const Partly& limits, Owners& owners) {
  std::set<std::uint32_t> ruled;
  for (const auto* rules : {&request.pins, &request.exclusions})
    for (const auto& rule : *rules) ruled.insert(rule.first);
  std::map<Moves, std::vector<std::uint32_t>> alike;
  for (std::uint32_t p = 0; p < request.partitions; ++p) {
    Moves moves = moves_of(request.previous[p], owners[p]);
    if (moves.to.empty() && moves.from.empty()) continue;
    moves.urgent |= ruled.count(p) > 0;
    alike[std::move(moves)].push_back(p);
  }
  std::vector<Group> groups;
  for (auto& [moves, rows] : alike) groups.push_back({&moves, std::move(rows)});
  std::priority_queue<Group*, std::vector<Group*>, decltype(&later)> queue(&later);
  for (Group& group : groups) queue.push(&group);
  Budget budget(limits);
  std::uint64_t moved = 0;
  while (!queue.empty()) {
    Group& group = *queue.top();
    queue.pop();
    if (!budget.spend(*group.moves)) continue;  // nor is there enough for the rest of them
    moved += group.moves->to.size();
    ++group.next;
    if (group.left()) queue.push(&group);
  }
  for (const Group& group : groups)
    for (std::size_t i = group.next; i < group.rows.size(); ++i)
      owners[group.rows[i]] = request.previous[group.rows[i]];
  return moved;
}

namespace {

// Owners of parts in a row, of which runs are taken.
class Line {
 public:
  Line(const AssignRequest& request, std::vector<char> free) : free_(std::move(free)) {
    for (const auto& row : request.previous) owner_.push_back(row.empty() ? no_node : row.front());
    for (std::size_t p = 0; p < owner_.size(); ++p)
      if (free_[p]) parts_of_[owner_[p]].push_back(p);
  }

  struct Run {
    std::size_t first = 0, last = 0;
    bool before = false, after = false;  ///< the new node has the part before, behind it
    std::size_t size() const { return last - first + 1; }
    int touches() const { return before + after; }
  };
  // The runs of parts that one node still has. What is taken lies beside none of them, so that the list stays
  // right while its runs are taken.
  std::vector<Run> runs(NodeIndex from, NodeIndex to) const {
    std::vector<Run> out;
    for (std::size_t p : parts_of_.at(from)) {
      if (owner_[p] != from) continue;
      if (!out.empty() && out.back().last + 1 == p)
        out.back().last = p;
      else
        out.push_back({p, p});
    }
    for (Run& run : out) {
      run.before = run.first > 0 && owner_[run.first - 1] == to;
      run.after = run.last + 1 < owner_.size() && owner_[run.last + 1] == to;
    }
    return out;
  }
  void take(std::size_t first, std::size_t count, NodeIndex to) {
    for (std::size_t p = first; p < first + count; ++p) owner_[p] = to;
  }
  bool is_free(std::size_t p) const { return free_[p]; }
  NodeIndex owner(std::size_t p) const { return owner_[p]; }

 private:
  std::vector<NodeIndex> owner_;
  std::vector<char> free_;
  std::map<NodeIndex, std::vector<std::size_t>> parts_of_;
};

// Of runs that meet the new node at both ends each makes two ranges fewer, at one end one, whatever their
// size: so small ones first. Worked example: 7 parts from a to b, where a has runs of 4, 5 and 3, and b has
// both neighbours of the 5 and the part behind the 4: the 5 go, then the last 2 of the 4, and no range is
// more.
void take_runs(Line& line, NodeIndex from, NodeIndex to, std::size_t count) {
  auto runs = line.runs(from, to);
  std::stable_sort(runs.begin(), runs.end(), [](const Line::Run& a, const Line::Run& b) {
    return a.touches() != b.touches() ? a.touches() > b.touches() : a.size() < b.size();
  });
  for (const Line::Run& run : runs) {
    const std::size_t part = std::min(count, run.size());
    line.take(run.after && !run.before ? run.last + 1 - part : run.first, part, to);
    count -= part;
    if (count == 0) return;
  }
}

}  // namespace

void move_whole_runs(const AssignRequest& request, Owners& owners) {
  if (request.replicas != 1) return;
  std::vector<char> free(request.partitions, 1);
  for (const auto* rules : {&request.pins, &request.exclusions})
    for (const auto& rule : *rules) free[rule.first] = 0;
  std::map<std::pair<NodeIndex, NodeIndex>, std::size_t> moves;
  for (std::uint32_t p = 0; p < request.partitions; ++p) {
    const auto& before = request.previous[p];
    if (before.size() != 1 || before[0] == no_node) free[p] = 0;
    if (free[p] && before[0] != owners[p][0]) ++moves[{before[0], owners[p][0]}];
  }
  // Large moves first: they find whole runs more often.
  std::vector<std::pair<std::size_t, std::pair<NodeIndex, NodeIndex>>> order;
  for (const auto& [pair, count] : moves) order.emplace_back(count, pair);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  Line line(request, std::move(free));
  for (const auto& [count, pair] : order) take_runs(line, pair.first, pair.second, count);
  for (std::uint32_t p = 0; p < request.partitions; ++p)
    if (line.is_free(p)) owners[p] = {line.owner(p)};
}

}  // namespace arcwise
