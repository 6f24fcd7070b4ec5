// The cheapest assignment, by shortest augmenting paths.
//
// Copies that stay cost 0 and others 1, and a node's copies beside its target cost far more. What is there
// already and allowed is the start: it costs nothing. Then copies that are missing go, one after another,
// along shortest paths of moves, and then, as long as that makes the whole cheaper, one node gives a copy up
// and another takes one, along the cheapest path. A path is a chain of moves, such as: partition 7 from a to
// b, and, as b has its target, partition 9 from b to c. Where no path gains there is no better assignment at
// all.
//
// Vertices are nodes only. An arc a → b is a copy on a whose partition may lie on b instead. There are
// millions, but nearly all cost the same: a copy that stayed costs 1 to move to any node that never had it.
// So these arcs are followed domain by domain, to nodes not yet reached, and only moved partitions are looked
// at one by one.
#include <functional>
#include <limits>
#include <queue>

#include "hash/splitmix.hpp"
#include "study/assign_problem.hpp"

namespace arcwise {
namespace {

// Labels hold cost and, below it, the number of arcs: of equally cheap paths the shortest is taken. Two of
// its moves of one partition never get in each other's way: else one move in their place would be a shorter
// path.
constexpr int arcs_bits = 18;
constexpr std::int64_t unit = std::int64_t{1} << arcs_bits;
constexpr std::int64_t unreached = std::numeric_limits<std::int64_t>::max() / 2;
constexpr std::uint32_t nothing = ~std::uint32_t{0};
constexpr std::size_t largest_table = std::size_t{1} << 24;

std::int64_t label_of(std::int64_t cost) {
  return cost * unit + 1;
}
std::int64_t cost_in(std::int64_t label) {
  return label >> arcs_bits;
}

class Flow {
 public:
  Flow(const AssignProblem& problem, const Owners& previous) : problem_(problem), previous_(previous) {
    start();
  }
  AssignSolution solve();

 private:
  struct Step {
    NodeIndex from = no_node;  // no_node: the copy is missing, or the path begins here
    std::uint32_t partition = nothing;
  };
  // Nodes of each domain that offers at one price have not reached yet.
  struct Reach {
    std::vector<std::vector<NodeIndex>> rest;
    std::vector<std::int64_t> level;
  };

  void start();
  bool stays(std::uint32_t p, NodeIndex n) const {
    const auto& row = previous_[p];
    return std::find(row.begin(), row.end(), n) != row.end();
  }
  std::int64_t cost(std::uint32_t p, NodeIndex n) const { return stays(p, n) ? 0 : 1; }
  void count_ways(std::uint32_t p, std::uint32_t sign);
  bool may_enter(NodeIndex a, std::uint32_t top) const {
    return !table_ || staying_[a] != barred_[a * problem_.tops + top] || problem_.top(a) == top;
  }
  void change(std::uint32_t p, NodeIndex from, NodeIndex to);
  void mark_moved(std::uint32_t p);

  void begin_search();
  void improve(NodeIndex n, std::int64_t label, NodeIndex from, std::uint32_t p);
  void offer(Reach& reach, NodeIndex from, std::uint32_t p, std::uint32_t top, std::int64_t label);
  void offer_staying(NodeIndex a);
  void offer_moved(NodeIndex a);
  void search();
  NodeIndex cheapest_end(std::int64_t& total) const;
  void carry_out(NodeIndex end);
  bool place_directly(std::uint32_t p);
  void add_missing(std::uint32_t p);
  void label_from_all();
  bool move_once_more();

  const AssignProblem& problem_;
  const Owners& previous_;
  Owners held_;
  std::vector<std::vector<std::uint32_t>> on_;  // by node: partitions
  // Of a node's unpinned staying copies: how many there are, and how many cannot enter a domain.
  bool table_ = false;
  std::vector<std::uint32_t> staying_, barred_;
  std::vector<std::uint32_t> moved_;  // partitions that are not wholly where they were
  std::vector<char> is_moved_;
  bool may_return_ = false;  // some copy has moved that could go back: a path can gain on its way
  std::vector<std::vector<std::uint32_t>> moved_on_;  // by node, of the search

  std::vector<std::int64_t> label_;
  std::vector<Step> step_;
  Reach at_one_, at_none_;
  using Entry = std::pair<std::int64_t, NodeIndex>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

void Flow::start() {
  const std::size_t nodes = problem_.nodes();
  on_.resize(nodes);
  held_.resize(problem_.partitions);
  is_moved_.assign(problem_.partitions, 0);
  table_ = nodes * problem_.tops <= largest_table;
  staying_.assign(nodes, 0);
  if (table_) barred_.assign(nodes * problem_.tops, 0);
  for (std::uint32_t p = 0; p < problem_.partitions; ++p) {
    auto& row = held_[p];
    if (problem_.has_own[p]) row = problem_.own.at(p).pinned;
    for (NodeIndex n : previous_[p])
      if (n != no_node && row.size() < problem_.replicas && problem_.fits(p, row, no_node, n))
        row.push_back(n);
    for (NodeIndex n : row) on_[n].push_back(p);
    count_ways(p, 1);
    mark_moved(p);
  }
}

void Flow::count_ways(std::uint32_t p, std::uint32_t sign) {
  const auto& row = held_[p];
  const bool any = problem_.spread_of(p).has_least;
  for (NodeIndex a : row) {
    if (!stays(p, a) || problem_.pinned(p, a)) continue;
    staying_[a] += sign;
    if (!table_) continue;
    const auto bar = [&](std::uint32_t top) {
      if (top != problem_.top(a) && !problem_.enters(p, row, a, top))
        barred_[a * problem_.tops + top] += sign;
    };
    if (any) {
      for (std::uint32_t t = 0; t < problem_.tops; ++t) bar(t);
      continue;
    }
    // Only domains with copies in them can be full.
    for (std::size_t i = 0; i < row.size(); ++i) {
      bool seen = false;
      for (std::size_t j = 0; j < i; ++j) seen |= problem_.top(row[j]) == problem_.top(row[i]);
      if (!seen) bar(problem_.top(row[i]));
    }
  }
}

void Flow::mark_moved(std::uint32_t p) {
  bool fresh = false, vacated = false;
  for (NodeIndex n : held_[p]) fresh |= !stays(p, n) && !problem_.pinned(p, n);
  for (NodeIndex n : previous_[p])
    vacated |= n != no_node && problem_.may_hold(p, n) &&
               std::find(held_[p].begin(), held_[p].end(), n) == held_[p].end();
  may_return_ |= fresh && vacated;
  if (is_moved_[p] || !(fresh || vacated)) return;
  is_moved_[p] = 1;
  moved_.push_back(p);
}

void Flow::change(std::uint32_t p, NodeIndex from, NodeIndex to) {
  count_ways(p, ~std::uint32_t{0});
  auto& row = held_[p];
  if (from == no_node) {
    row.push_back(to);
  } else {
    *std::find(row.begin(), row.end(), from) = to;
    auto& left = on_[from];
    left.erase(std::find(left.begin(), left.end(), p));
  }
  on_[to].push_back(p);
  count_ways(p, 1);
  mark_moved(p);
}

void Flow::begin_search() {
  const std::size_t nodes = problem_.nodes();
  label_.assign(nodes, unreached);
  step_.assign(nodes, {});
  moved_on_.resize(nodes);
  for (auto& list : moved_on_) list.clear();
  for (std::uint32_t p : moved_)
    for (NodeIndex n : held_[p])
      if (!problem_.pinned(p, n)) moved_on_[n].push_back(p);
  for (Reach* reach : {&at_one_, &at_none_}) {
    reach->rest = problem_.nodes_of;
    reach->level.assign(problem_.tops, std::numeric_limits<std::int64_t>::min());
  }
}

void Flow::improve(NodeIndex n, std::int64_t label, NodeIndex from, std::uint32_t p) {
  label_[n] = label;
  step_[n] = {from, p};
  queue_.emplace(label, n);
}

// The move of one copy into a domain, at a price that is the same for all nodes there. `rest` lacks those
// that offers up to `level` have reached; a cheaper one, which a path over a vacated place can bring, begins
// anew.
void Flow::offer(Reach& reach, NodeIndex from, std::uint32_t p, std::uint32_t top, std::int64_t label) {
  auto& rest = reach.rest[top];
  if (label < reach.level[top]) {
    rest = problem_.nodes_of[top];
    reach.level[top] = label;
  }
  std::size_t kept = 0;
  for (NodeIndex n : rest) {
    if (label_[n] > label && problem_.fits(p, held_[p], from, n)) improve(n, label, from, p);
    if (label_[n] > label) rest[kept++] = n;
  }
  if (kept < rest.size()) reach.level[top] = std::max(reach.level[top], label);
  rest.resize(kept);
}

void Flow::offer_staying(NodeIndex a) {
  if (staying_[a] == 0) return;
  const std::int64_t label = label_[a] + label_of(1);
  for (std::uint32_t t = 0; t < problem_.tops; ++t) {
    if (at_one_.rest[t].empty() && label >= at_one_.level[t]) continue;
    if (!may_enter(a, t)) continue;
    for (std::uint32_t p : on_[a]) {
      if (!stays(p, a) || problem_.pinned(p, a) || !problem_.enters(p, held_[p], a, t)) continue;
      offer(at_one_, a, p, t, label);
      if (at_one_.rest[t].empty()) break;
    }
  }
}

void Flow::offer_moved(NodeIndex a) {
  for (std::uint32_t p : moved_on_[a]) {
    const std::int64_t now = cost(p, a);
    for (NodeIndex b : previous_[p]) {
      if (b == no_node || b == a) continue;
      const std::int64_t label = label_[a] + label_of(-now);
      if (label < label_[b] && problem_.fits(p, held_[p], a, b)) improve(b, label, a, p);
    }
    if (now == 0) continue;
    const std::int64_t label = label_[a] + label_of(0);
    for (std::uint32_t t = 0; t < problem_.tops; ++t) {
      if (at_none_.rest[t].empty() && label >= at_none_.level[t]) continue;
      if (problem_.enters(p, held_[p], a, t)) offer(at_none_, a, p, t, label);
    }
  }
}

void Flow::search() {
  while (!queue_.empty()) {
    const auto [label, a] = queue_.top();
    queue_.pop();
    if (label != label_[a]) continue;
    offer_moved(a);
    offer_staying(a);
  }
}

NodeIndex Flow::cheapest_end(std::int64_t& total) const {
  NodeIndex end = no_node;
  total = unreached;
  for (NodeIndex n = 0; n < problem_.nodes(); ++n) {
    if (label_[n] >= unreached || !problem_.usable[n]) continue;
    const std::int64_t all = label_[n] + price_of_next(problem_, n, on_[n].size()) * unit;
    if (all >= total) continue;
    total = all;
    end = n;
  }
  return end;
}

void Flow::carry_out(NodeIndex end) {
  for (NodeIndex n = end; step_[n].partition != nothing;) {
    const Step step = step_[n];
    change(step.partition, step.from, n);
    if (step.from == no_node) return;
    n = step.from;
  }
}

// Where no arc costs less than 0 and the copy has no old place to go to, it costs 1 wherever it goes.
bool Flow::place_directly(std::uint32_t p) {
  if (may_return_) return false;
  NodeIndex best = no_node;
  std::int64_t least = 0;
  for (NodeIndex n = 0; n < problem_.nodes(); ++n) {
    const std::int64_t price = price_of_next(problem_, n, on_[n].size());
    if ((best != no_node && price >= least) || !problem_.fits(p, held_[p], no_node, n)) continue;
    if (stays(p, n)) return false;
    best = n;
    least = price;
  }
  if (best == no_node) return false;
  change(p, no_node, best);
  return true;
}

void Flow::add_missing(std::uint32_t p) {
  if (place_directly(p)) return;
  begin_search();
  for (NodeIndex n = 0; n < problem_.nodes(); ++n)
    if (problem_.fits(p, held_[p], no_node, n)) improve(n, label_of(cost(p, n)), no_node, p);
  search();
  std::int64_t total = 0;
  carry_out(cheapest_end(total));
}

void Flow::label_from_all() {
  begin_search();
  for (NodeIndex n = 0; n < problem_.nodes(); ++n)
    if (!on_[n].empty())
      improve(n, label_of(-price_of_next(problem_, n, on_[n].size() - 1)), no_node, nothing);
  search();
}

// After a path along which labels are exact they still bound all distances from below. So a single move that
// attains the lowest bound is a cheapest path, without a new search: a joining node's share comes so, a copy
// of each node at a time.
bool Flow::move_once_more() {
  std::int64_t total = 0;
  const NodeIndex end = cheapest_end(total);
  if (end == no_node || cost_in(total) >= 0) return false;
  for (NodeIndex a = 0; a < problem_.nodes(); ++a) {
    if (a == end || on_[a].empty() || label_[a] >= unreached) continue;
    const std::int64_t from = cost_in(label_[a]);
    if (from != -price_of_next(problem_, a, on_[a].size() - 1) || from + 1 != cost_in(label_[end])) continue;
    if (staying_[a] == 0 || !may_enter(a, problem_.top(end))) continue;
    for (std::uint32_t p : on_[a]) {
      if (!stays(p, a) || problem_.pinned(p, a) || !problem_.fits(p, held_[p], a, end)) continue;
      change(p, a, end);
      return true;
    }
  }
  return false;
}

AssignSolution Flow::solve() {
  for (std::uint32_t p = 0; p < problem_.partitions; ++p)
    while (held_[p].size() < problem_.replicas) add_missing(p);
  while (true) {
    label_from_all();
    std::int64_t total = 0;
    const NodeIndex end = cheapest_end(total);
    if (cost_in(total) >= 0) break;
    carry_out(end);
    while (move_once_more()) {
    }
  }
  AssignSolution out;
  std::int64_t furthest = 0;
  for (std::int64_t label : label_)
    if (label < unreached) furthest = std::max(furthest, cost_in(label));
  for (std::int64_t label : label_)
    out.price.push_back(-(label < unreached ? cost_in(label) : furthest + (uneven_price << 23)));
  out.owners = std::move(held_);
  return out;
}

}  // namespace

AssignSolution solve_assignment(const AssignProblem& problem, const Owners& previous) {
  return Flow(problem, previous).solve();
}

Owners first_assignment(const AssignProblem& problem) {
  const std::size_t nodes = problem.nodes();
  std::vector<double> wanted = problem.share, by_top(problem.tops, 0);
  for (NodeIndex n = 0; n < nodes; ++n) by_top[problem.top(n)] += wanted[n];
  // Which of the nodes that want most gets a copy is drawn, so that nodes share partitions with many others.
  const auto draw = [](std::uint64_t a, std::uint64_t b) {
    return static_cast<double>(Splitmix64(a * 0x10001 + b).next() >> 11) * 0x1p-53;
  };
  Owners out(problem.partitions);
  for (std::uint32_t p = 0; p < problem.partitions; ++p) {
    if (problem.has_own[p]) out[p] = problem.own.at(p).pinned;
    auto& row = out[p];
    for (NodeIndex n : row) wanted[n] -= 1, by_top[problem.top(n)] -= 1;
    while (row.size() < problem.replicas) {
      // Of the domains the one that wants most can always be given a copy without harm to later partitions.
      std::vector<std::pair<double, std::uint32_t>> tops;
      for (std::uint32_t t = 0; t < problem.tops; ++t)
        if (problem.enters(p, row, no_node, t)) tops.emplace_back(-by_top[t] - draw(p, t) / 2, t);
      std::sort(tops.begin(), tops.end());
      NodeIndex best = no_node;
      for (const auto& [key, t] : tops) {
        double most = 0;
        for (NodeIndex n : problem.nodes_of[t]) {
          if (best != no_node && wanted[n] + 1 <= most) continue;
          if (!problem.fits(p, row, no_node, n)) continue;
          const double wish = wanted[n] + draw(p, n);
          if (best == no_node || wish > most) most = wish, best = n;
        }
        if (best != no_node) break;
      }
      row.push_back(best);
      wanted[best] -= 1;
      by_top[problem.top(best)] -= 1;
    }
  }
  return out;
}

}  // namespace arcwise
