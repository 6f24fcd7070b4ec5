#include "study/range_search.hpp"

#include <algorithm>
#include <cmath>

namespace arcwise {
namespace {

constexpr double least_gain = 1e-5;     // of a mean node's load
constexpr double price_of_move = 1e-3;  // beside its bytes, as a part of what a mean node holds
constexpr int most_forced = 32;
constexpr std::size_t most_steps = 10'000, most_steps_below = 500;
constexpr std::size_t most_places = 64, most_swapped = 24;
constexpr std::size_t most_pieces = std::size_t{1} << 21;

}  // namespace

RangeSearch::RangeSearch(const ClusterMap& map, const MeasuredLoad& load, const BalanceLimits& limits)
    : keys_(load.keys),
      limits_(limits),
      rules_(range_rules(map)),
      copies_(map),
      pieces_(pieces_of(map, load)),
      shares_(fair_shares(map, pieces_, limits.frozen)),
      loads_(node_loads(pieces_, map.nodes().size())),
      stuck_(2 * map.nodes().size()),
      swapless_(stuck_.size()),
      held_(map.nodes().size()),
      limited_(limits.max_moves < std::numeric_limits<std::uint64_t>::max()) {
  for (NodeIndex n = 0; n < map.nodes().size(); ++n) {
    if (!shares_.takes[n]) continue;
    takers_.push_back(n);
    mean_ += shares_.fair[n];
    for (std::size_t r = 0; r < 2; ++r) peak_[r] = std::max(peak_[r], over(n, resources[r]));
  }
  if (!takers_.empty()) mean_ = (1.0 / static_cast<double>(takers_.size())) * mean_;
  for (std::size_t p = 0; p < pieces_.size(); ++p)
    for (NodeIndex n : pieces_[p].owners) held_[n].push_back(p);
}

double RangeSearch::over(NodeIndex n, Resource r) const {
  const double fair = shares_.fair[n].*r;
  return fair > 0 ? loads_[n].*r / fair : 0;
}

// Where a node stays above the tolerance, others that are within it may have what is in the way: they are
// relieved too, down to half of it, and so on. Worked example: a can only give to b, which is as full as it
// may be, and b to c, which has room.
void RangeSearch::run() {
  split_large();
  double level = limits_.tolerance;
  for (int forced = 0; forced < most_forced;) {
    settle(level, level < limits_.tolerance ? most_steps_below : most_steps + pieces_.size());
    if (!hottest(limit(), false) || spent_ || all_hot_are_atoms()) break;
    level /= 2;
    if (level < limits_.tolerance / 8) {
      if (!force()) break;
      level = limits_.tolerance;
      ++forced;
    }
    try_all_again();
  }
  take_back();
  std::sort(pieces_.begin(), pieces_.end(), [](const Piece& a, const Piece& b) { return a.first < b.first; });
  tidy();
}

// Until all are within the tolerance, or nothing helps those above this level. How many steps that took.
std::size_t RangeSearch::settle(double level, std::size_t steps) {
  std::size_t taken = 0;
  for (; taken < steps && hottest(limit(), false); ++taken) {
    const auto hot = hottest(1 + level, true);
    if (!hot) break;
    relieve(*hot, level);
  }
  return taken;
}

void RangeSearch::try_all_again() {
  std::fill(stuck_.begin(), stuck_.end(), false);
  std::fill(swapless_.begin(), swapless_.end(), false);
}

// Steps aim at half the level, so that load which is not quite as measured stays within it, and at all of it
// where that finds nothing.
void RangeSearch::relieve(Hot hot, double level) {
  const std::size_t slot = hot.node * 2 + hot.resource;
  spent_ = false;
  aim_ = 1 + level / 2;
  if (move(hot)) return;
  aim_ = 1 + level;
  if (move(hot) || (!swapless_[slot] && swap(hot))) return;
  // Nothing to swap: not again before all is cut as small as it gets.
  const bool again = swapless_[slot];
  swapless_[slot] = true;
  if (!spent_ && halve_largest(hot)) return;
  if (!again || !swap(hot)) stuck_[slot] = true;
}

// Nodes above the tolerance that have little but one piece: nobody else's load is in their way.
bool RangeSearch::all_hot_are_atoms() const {
  for (NodeIndex n : takers_)
    for (std::size_t i = 0; i < 2; ++i) {
      const Hot hot{n, i};
      if (over(n, hot.r()) <= limit()) continue;
      double largest = 0;
      for (std::size_t p : relevant(hot)) largest = std::max(largest, pieces_[p].load.*hot.r());
      if (largest < 0.97 * loads_[n].*hot.r()) return false;
    }
  return true;
}

void RangeSearch::split_large() {
  for (std::size_t p = 0; p < pieces_.size(); ++p)
    for (bool again = true; again;)
      again = (limits_.max_range_bytes > 0 && pieces_[p].load.bytes > limits_.max_range_bytes &&
               halve(p, &Load::bytes)) ||
              (limits_.max_range_requests > 0 && pieces_[p].load.requests > limits_.max_range_requests &&
               halve(p, &Load::requests));
}

// The head is a new piece. The number of the part that was asked for.
std::size_t RangeSearch::cut(std::size_t piece, const Cut& at) {
  Piece head = cut_off(pieces_[piece], keys_, at.at);
  for (NodeIndex n : head.owners) held_[n].push_back(pieces_.size());
  pieces_.push_back(std::move(head));
  return at.tail ? piece : pieces_.size() - 1;
}

bool RangeSearch::halve(std::size_t piece, Resource r) {
  const auto at = halving(pieces_[piece], keys_, r);
  if (!at || pieces_.size() >= most_pieces) return false;
  cut(piece, *at);
  return true;
}

// Where no key is known, load lies evenly for want of better knowledge, and a cut at a round part of the
// range, two binary digits of it, is as good as one to the last position.
std::optional<Cut> RangeSearch::carve(std::size_t piece, Resource r, double wanted, double most) const {
  const Piece& p = pieces_[piece];
  if (pieces_.size() >= most_pieces) return std::nullopt;
  if (p.key_begin == p.key_end) {
    const double all = p.load.*r;
    double digit = 0.5;
    while (digit * all > wanted && digit > 1e-6) digit /= 2;
    const double halves = wanted / all / digit * 2;
    for (double round : {std::floor(halves + 0.5), std::floor(halves)})
      if (round * digit / 2 * all <= most && round * digit / 2 < 1)
        return carving(p, keys_, r, round * digit / 2 * all, most);
  }
  return carving(p, keys_, r, wanted, most);
}

Load RangeSearch::part_load(std::size_t piece, const Cut& cut) const {
  const Load head = head_load(pieces_[piece], keys_, cut.at);
  if (!cut.tail) return head;
  Load tail = pieces_[piece].load;
  tail -= head;
  return tail;
}

std::optional<RangeSearch::Hot> RangeSearch::hottest(double above, bool movable) const {
  std::optional<Hot> out;
  double most = above * (1 + 1e-12);
  for (NodeIndex n : takers_)
    for (std::size_t r = 0; r < 2; ++r)
      if (!(movable && stuck_[n * 2 + r]) && over(n, resources[r]) > most) {
        most = over(n, resources[r]);
        out = Hot{n, r};
      }
  return out;
}

// What is above the aim, both resources together, as a part of a mean node's load.
double RangeSearch::excess(NodeIndex n, const Load& load) const {
  double out = 0;
  for (Resource r : resources)
    if (mean_.*r > 0) out += std::max(0.0, load.*r - aim_ * shares_.fair[n].*r) / mean_.*r;
  return out;
}

double RangeSearch::room(NodeIndex n, Resource r, double bound) const {
  return bound * shares_.fair[n].*r - loads_[n].*r;
}

Load RangeSearch::change_of(const Load& load, std::size_t place, bool lead) {
  return {place == 0 ? load.requests : 0, lead ? 0 : load.bytes};
}

std::size_t RangeSearch::place_of(std::size_t piece, NodeIndex n) const {
  const auto& owners = pieces_[piece].owners;
  return static_cast<std::size_t>(std::find(owners.begin(), owners.end(), n) - owners.begin());
}

// Crumbs are not cut any smaller; nor is what has moved, where moves are counted: each half would be one.
bool RangeSearch::divisible(std::size_t piece, Hot hot) const {
  const Piece& p = pieces_[piece];
  return !p.whole && p.first != p.last && (p.owners == p.was || !limited_) &&
         p.load.*hot.r() > limits_.tolerance / 8 * shares_.fair[hot.node].*hot.r();
}

// Where a node's load rises, it stays within the tolerance, or, with what cannot be divided, below the
// hottest node that this relieves; in the other resource, below what was hottest at first.
bool RangeSearch::keeps_below(NodeIndex n, const Load& after, Hot hot, bool divisible) const {
  for (std::size_t i = 0; i < 2; ++i) {
    const Resource r = resources[i];
    if (!(mean_.*r > 0) || after.*r <= loads_[n].*r) continue;
    const double fair = shares_.fair[n].*r;
    if (after.*r <= limit() * fair * (1 + 1e-12)) continue;
    if (divisible) return false;
    const double bound = i == hot.resource ? over(hot.node, r) * (1 - 1e-9) : peak_[i];
    if (after.*r >= bound * fair) return false;
  }
  return true;
}

std::vector<std::size_t> RangeSearch::relevant(Hot hot) const {
  std::vector<std::size_t> out;
  for (std::size_t p : held_[hot.node])
    if (pieces_[p].load.*hot.r() > 0 && (hot.resource == 1 || pieces_[p].owners.front() == hot.node))
      out.push_back(p);
  return out;
}

std::vector<NodeIndex> RangeSearch::coolest(Resource r) const {
  std::vector<NodeIndex> out = takers_;
  std::stable_sort(out.begin(), out.end(), [&](NodeIndex a, NodeIndex b) { return over(a, r) < over(b, r); });
  return out;
}

// The gain for its price, where the hot node gives one load to another and takes another from it; 0: none.
double RangeSearch::score_of(Hot hot, NodeIndex to, const Load& given, const Load& taken, double price,
                             bool divisible) {
  Load here = loads_[hot.node], there = loads_[to];
  ((here -= given) += taken);
  ((there += given) -= taken);
  const double gain = excess(hot.node, loads_[hot.node]) + excess(to, loads_[to]) - excess(hot.node, here) -
                      excess(to, there);
  const bool swaps = taken.requests + taken.bytes > 0;
  const double least = std::min(limits_.tolerance / 16, 0.99 * excess(hot.node, loads_[hot.node]));
  if (!(gain > (swaps ? least : least_gain)) || !keeps_below(to, there, hot, divisible) ||
      !keeps_below(hot.node, here, hot, divisible))
    return 0;
  const double bytes = given.bytes + taken.bytes;
  if (moves_ >= limits_.max_moves || moved_bytes_ + bytes > limits_.max_bytes) {
    spent_ = true;
    return 0;
  }
  return gain / (price + (mean_.bytes > 0 ? bytes / mean_.bytes : 0));
}

// No part of this change scores higher: it gains at most what it has, and what the hot node has too much.
double RangeSearch::best_possible(const Load& change) const {
  double all = 0;
  for (Resource r : resources)
    if (mean_.*r > 0) all += change.*r / mean_.*r;
  const double part = std::min(1.0, too_much_ / all);
  return part * all / (price_of_move + (mean_.bytes > 0 ? part * change.bytes / mean_.bytes : 0));
}

// All of a piece, or as much as brings the hot node to the aim and fits there.
void RangeSearch::consider(Hot hot, std::size_t piece, NodeIndex to, Plan& best) {
  const Piece& p = pieces_[piece];
  const Resource r = hot.r(), other = hot.other();
  if (to == hot.node || room(to, r, aim_) <= 0) return;
  const std::size_t place = place_of(piece, hot.node);
  const bool lead = place_of(piece, to) < p.owners.size();
  const Load change = change_of(p.load, place, lead);
  if (best_possible(change) <= best.score) return;
  if (lead ? hot.resource == 1 || place != 0 || rules_.shards : !copies_.may_replace(p.owners, place, to))
    return;
  const bool parts = divisible(piece, hot);
  if (const double score = score_of(hot, to, change, {}, price_of_move, parts); score > best.score)
    best = Plan{{piece, place, to}, {}, score};
  if (!parts) return;
  double most = room(to, r, aim_);
  if (change.*other > 0 && mean_.*other > 0)
    most = std::min(most, room(to, other, limit()) / change.*other * change.*r);
  const double wanted = std::min(-room(hot.node, r, aim_), most);
  if (wanted >= change.*r || wanted < limits_.tolerance / 32 * shares_.fair[hot.node].*r) return;
  const auto cut = carve(piece, r, wanted, most);
  if (!cut) return;
  const double score =
      score_of(hot, to, change_of(part_load(piece, *cut), place, lead), {}, 2 * price_of_move, true);
  if (score > best.score) best = Plan{{piece, place, to, cut}, {}, score};
}

bool RangeSearch::move(Hot hot) {
  Plan best;
  too_much_ = excess(hot.node, loads_[hot.node]);
  const std::vector<NodeIndex> places = coolest(hot.r());
  const std::vector<std::size_t> candidates = relevant(hot);
  const auto try_all = [&](std::size_t begin, std::size_t end) {
    for (std::size_t p : candidates)
      for (std::size_t i = begin; i < end; ++i) consider(hot, p, places[i], best);
  };
  const std::size_t near = std::min(most_places, places.size());
  try_all(0, near);
  if (!(best.score > 0)) try_all(near, places.size());
  if (!(best.score > 0)) return false;
  carry_out(best);
  return true;
}

void RangeSearch::carry_out(const Plan& plan) {
  for (const Step& step : {plan.give, plan.take})
    if (step.to != no_node) apply(step.cut ? cut(step.piece, *step.cut) : step.piece, step.place, step.to);
}

bool RangeSearch::halve_largest(Hot hot) {
  std::vector<std::size_t> candidates = relevant(hot);
  std::stable_sort(candidates.begin(), candidates.end(), [&](std::size_t a, std::size_t b) {
    return pieces_[a].load.*hot.r() > pieces_[b].load.*hot.r();
  });
  for (std::size_t p : candidates)
    if (divisible(p, hot) && halve(p, hot.r())) return true;
  return false;
}

// Where the other resource leaves no room, a piece changes places with one that has as much of that and less
// of the hot one. Worked example: here 10 GB with 50 requests, there 40 GB with 20 requests: a quarter of it
// comes back, and the node is rid of 45.
void RangeSearch::consider_swap(Hot hot, std::size_t give, std::size_t take, NodeIndex to, Plan& best) {
  const Piece &p = pieces_[give], &q = pieces_[take];
  const Resource r = hot.r(), even = hot.other();
  const std::size_t place = place_of(give, hot.node), take_place = place_of(take, to);
  Load given = change_of(p.load, place, false), taken = change_of(q.load, take_place, false);
  const double ratio = taken.*even > 0 ? given.*even / taken.*even : 0;
  const double rid = given.*r - std::min(1.0, ratio) * taken.*r;
  if (!(rid > limits_.tolerance / 32 * shares_.fair[hot.node].*r)) return;
  if (!copies_.may_replace(p.owners, place, to) || !copies_.may_replace(q.owners, take_place, hot.node))
    return;
  const double need = std::min(-room(hot.node, r, aim_), room(to, r, aim_));
  std::optional<Cut> give_cut, take_cut;
  if (divisible(give, hot) && rid > need) {
    if (!(need > 0)) return;
    give_cut = carve(give, r, need / rid * p.load.*r, p.load.*r);
    if (give_cut) given = change_of(part_load(give, *give_cut), place, false);
  }
  // Some more of it than goes there, if there is room here, so that the other node is not filled up.
  const double back = given.*even + std::min(given.*even, std::max(0.0, room(hot.node, even, limit()))) / 2;
  if (taken.*even > back && !q.whole && q.first != q.last && (q.owners == q.was || !limited_)) {
    take_cut = carve(take, even, back, q.load.*even);
    if (take_cut) taken = change_of(part_load(take, *take_cut), take_place, false);
  }
  const double score = score_of(hot, to, given, taken, 4 * price_of_move, give_cut || take_cut);
  if (score > best.score)
    best = Plan{{give, place, to, give_cut}, {take, take_place, hot.node, take_cut}, score};
}

bool RangeSearch::swap(Hot hot) {
  const auto less = [&](std::size_t a, std::size_t b) {
    return pieces_[a].load.*hot.r() < pieces_[b].load.*hot.r();
  };
  std::vector<std::size_t> here = relevant(hot);
  std::stable_sort(here.begin(), here.end(), [&](std::size_t a, std::size_t b) { return less(b, a); });
  if (here.size() > most_swapped) here.resize(most_swapped);
  std::vector<NodeIndex> places = coolest(hot.r());
  if (places.size() > most_swapped) places.resize(most_swapped);
  Plan best;
  for (NodeIndex m : places) {
    if (m == hot.node) continue;
    std::vector<std::size_t> there = held_[m];
    std::sort(there.begin(), there.end());
    std::stable_sort(there.begin(), there.end(), less);
    const std::size_t stride = there.size() / most_swapped + 1;
    for (std::size_t p : here)
      for (std::size_t i = 0; i < there.size(); i += stride) consider_swap(hot, p, there[i], m, best);
  }
  if (!(best.score > 0)) return false;
  carry_out(best);
  return true;
}

void RangeSearch::apply(std::size_t piece, std::size_t place, NodeIndex to) {
  Piece& p = pieces_[piece];
  const NodeIndex from = p.owners[place];
  const auto held = std::find(p.owners.begin(), p.owners.end(), to);
  const bool lead = held != p.owners.end();
  const Load change = change_of(p.load, place, lead);
  loads_[from] -= change;
  loads_[to] += change;
  if (lead) {
    std::iter_swap(p.owners.begin() + static_cast<std::ptrdiff_t>(place), held);
  } else {
    p.owners[place] = to;
    held_[to].push_back(piece);
    held_[from].erase(std::find(held_[from].begin(), held_[from].end(), piece));
  }
  ++moves_;
  moved_bytes_ += change.bytes;
  try_all_again();
}

}  // namespace arcwise
