// Cassandra's allocator for several copies: midpoints of ranges, taken greedily by how much each evens out
// what tokens and nodes hold together with their copies.
#include <algorithm>

#include "study/allocate_cassandra.hpp"

namespace arcwise::cassandra {
namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};

/// What changes for a unit when a candidate is tried.
struct UnitChange {
  std::uint32_t unit;
  double held;
};

class Search {
 public:
  Search(const AllocationRing& ring, const Joiner& joiner);
  std::vector<std::uint64_t> run();

 private:
  // A token of the ring, or (beyond those) a candidate; a candidate's `next` is the token after it, whose
  // range it cuts, and it stands on no list until it is placed.
  struct Place {
    SignedToken at, start, threshold;
    std::uint32_t unit, previous, next;
    double held = 0;
    std::uint32_t candidate = none;  ///< the one that cuts the range before this token
  };

  void seen_none() { ++stamp_; }
  bool see(std::uint32_t group) {
    const bool fresh = seen_[group] != stamp_;
    seen_[group] = stamp_;
    return fresh;
  }
  void walk_back(Place& place);
  double change_of(std::uint32_t unit, double before, double after);
  double improvement(const Place& candidate, double multiplier);
  void place(std::uint32_t candidate);

  std::vector<std::uint32_t> group_;
  std::vector<double> held_, count_;
  std::vector<Place> places_;
  std::vector<std::uint32_t> seen_;
  std::vector<UnitChange> touched_;
  std::uint32_t stamp_ = 0, replicas_, joiner_, wanted_;
  double fair_;
};

Search::Search(const AllocationRing& ring, const Joiner& joiner)
    : group_(ring.group),
      held_(ring.units()),
      count_(ring.units()),
      replicas_(ring.replicas),
      joiner_(ring.units()),
      wanted_(joiner.tokens),
      fair_(static_cast<double>(ring.replicas) / static_cast<double>(ring.tokens.size() + joiner.tokens)) {
  group_.push_back(joiner.group);
  held_.push_back(wanted_ * fair_);
  count_.push_back(wanted_);
  seen_.resize(*std::max_element(group_.begin(), group_.end()) + std::size_t{1});
  const auto size = static_cast<std::uint32_t>(ring.tokens.size());
  places_.reserve(2 * std::size_t{size});
  for (std::uint32_t i = 0; i < size; ++i) {
    const SignedToken at = to_signed(ring.tokens[i].at);
    places_.push_back({at, at, at, ring.tokens[i].unit, (i + size - 1) % size, (i + 1) % size});
  }
  for (std::uint32_t i = 0; i < size; ++i) {
    Place& p = places_[i];
    walk_back(p);
    p.held = size_of(p.start, p.at);
    held_[p.unit] += p.held;
    count_[p.unit] += 1;
  }
  for (std::uint32_t i = 0; i < size; ++i) {
    const std::uint32_t before = places_[i].previous;
    const SignedToken at = midpoint(places_[before].at, places_[i].at);
    Place candidate{at, at, at, joiner_, before, i, fair_};
    walk_back(candidate);
    places_[i].candidate = static_cast<std::uint32_t>(places_.size());
    places_.push_back(candidate);
  }
}

// How far back the token replicates (start), and how far back it will still replicate if a token of the
// joiner comes between (threshold). Worked example, three replicas, groups … A B C A D | t of group E: back
// from t, D and A are marked, C is the third: start at C, threshold at the first A met.
void Search::walk_back(Place& place) {
  const std::uint32_t own = group_[place.unit], joiner_group = group_[joiner_];
  seen_none();
  std::uint32_t marked = 0, last = own;
  SignedToken start = place.at, threshold = place.at;
  for (std::uint32_t i = place.previous;; i = places_[i].previous) {
    start = places_[i].at;
    if (start == place.at) break;  // once round
    last = group_[places_[i].unit];
    if (!see(last)) continue;
    if (++marked == replicas_) break;
    threshold = start;
    if (last == own) break;
  }
  place.start = start;
  if (own == joiner_group)
    threshold = place.at;
  else if (last != joiner_group && seen_[joiner_group] == stamp_)
    threshold = start;
  place.threshold = threshold;
}

double Search::change_of(std::uint32_t unit, double before, double after) {
  auto at =
      std::find_if(touched_.begin(), touched_.end(), [&](const UnitChange& c) { return c.unit == unit; });
  if (at == touched_.end()) at = touched_.insert(touched_.end(), {unit, held_[unit]});
  at->held += after - before;
  const double a = after - fair_, b = before - fair_;
  return (a * a - b * b) / (count_[unit] * count_[unit]);
}

double Search::improvement(const Place& candidate, double multiplier) {
  touched_.clear();
  touched_.push_back({joiner_, held_[joiner_]});
  double change = change_of(joiner_, candidate.held, size_of(candidate.start, candidate.at));
  seen_none();
  std::uint32_t groups = 0;
  for (std::uint32_t i = candidate.next; groups < replicas_; i = places_[i].next) {
    const Place& p = places_[i];
    if (!see(group_[p.unit])) continue;
    ++groups;
    const double to_threshold = p.threshold == p.at ? 0 : size_of(p.threshold, p.at);
    const double to_candidate = size_of(candidate.at, p.at);
    change += change_of(p.unit, p.held, std::max(to_threshold, to_candidate));
  }
  double units = 0;
  const auto add = [&](const UnitChange& c, double times) {
    const double after = c.held / count_[c.unit] - fair_, before = held_[c.unit] / count_[c.unit] - fair_;
    units += (after * after - before * before) * times;
  };
  for (std::size_t i = touched_.size(); i-- > 1;) add(touched_[i], 1);
  add(touched_[0], multiplier);
  return -(change + units);
}

void Search::place(std::uint32_t index) {
  Place& placed = places_[index];
  places_[placed.previous].next = index;
  Place& split = places_[placed.next];
  split.previous = index;
  split.candidate = none;
  walk_back(placed);
  const double held = size_of(placed.start, placed.at);
  held_[joiner_] += held - placed.held;
  placed.held = held;

  std::vector<std::uint32_t> affected;  // groups already seen
  for (std::uint32_t i = placed.next; affected.size() < replicas_; i = places_[i].next) {
    Place& p = places_[i];
    if (p.candidate != none) {
      places_[p.candidate].previous = p.previous;
      walk_back(places_[p.candidate]);
    }
    if (std::find(affected.begin(), affected.end(), group_[p.unit]) != affected.end()) continue;
    affected.push_back(group_[p.unit]);
    walk_back(p);
    const double now = size_of(p.start, p.at);
    held_[p.unit] += now - p.held;
    p.held = now;
  }
}

std::vector<std::uint64_t> Search::run() {
  JavaQueue<std::uint32_t> queue;
  const auto size = static_cast<std::uint32_t>(places_.size() / 2);
  const double wanted = wanted_;
  for (std::uint32_t i = 0; i < size; ++i)
    queue.push({improvement(places_[places_[i].candidate], 1.0 / wanted), places_[i].candidate});
  std::vector<std::uint64_t> chosen;
  std::uint32_t best = queue.pop().value;
  for (std::uint32_t number = 1;; ++number) {
    place(best);
    chosen.push_back(to_ring(places_[best].at));
    if (number == wanted_) break;
    for (;;) {
      best = queue.pop().value;
      const double now = improvement(places_[best], (number + 1.0) / wanted);
      if (queue.empty() || now >= queue.top().weight) break;
      queue.push({now, best});
    }
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace

std::vector<std::uint64_t> replication_aware(const AllocationRing& ring, const Joiner& joiner) {
  std::vector<std::uint32_t> groups = ring.group;
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  if (ring.units() < ring.replicas || groups.size() < ring.replicas || ring.tokens.size() < joiner.tokens)
    return generate_splits(ring, joiner);
  return Search(ring, joiner).run();
}

}  // namespace arcwise::cassandra
