// A step that makes matters worse at first.
#include <algorithm>

#include "study/range_search.hpp"

namespace arcwise {
namespace {

constexpr std::size_t most_tried = 6, most_places = 3, most_pieces = 50'000, most_steps = 400;
constexpr double least_gain = 1e-4;  // of a mean node's load

}  // namespace

double RangeSearch::total_excess() const {
  double out = 0;
  for (NodeIndex n : takers_) out += excess(n, loads_[n]);
  return out;
}

// A piece that is too large for the room anywhere goes all the same where room can then be made for it; what
// does not end better is undone. Worked example: a has keys of 0.8 and 0.4 of a node, b many small ones of
// 0.9 together: with the 0.4 b has 1.3, and gives the small ones to all others.
bool RangeSearch::force() {
  const auto hot = hottest(limit(), false);
  if (!hot || pieces_.size() > most_pieces) return false;
  const auto pieces = pieces_;
  const auto loads = loads_;
  const auto held = held_;
  const auto moves = moves_;
  const double moved = moved_bytes_;
  aim_ = limit();
  const double before = total_excess();
  std::vector<std::size_t> large = relevant(*hot);
  std::stable_sort(large.begin(), large.end(), [&](std::size_t a, std::size_t b) {
    return pieces[a].load.*hot->r() > pieces[b].load.*hot->r();
  });
  if (large.size() > most_tried) large.resize(most_tried);
  const std::vector<NodeIndex> places = coolest(hot->r());
  for (std::size_t p : large) {
    std::size_t tried = 0;
    for (NodeIndex to : places) {
      const std::size_t place = place_of(p, hot->node);
      const bool lead = place_of(p, to) < pieces_[p].owners.size();
      if (to == hot->node || pieces_[p].load.*hot->r() > limit() * shares_.fair[to].*hot->r()) continue;
      if (lead ? hot->resource == 1 || rules_.shards : !copies_.may_replace(pieces_[p].owners, place, to))
        continue;
      if (tried++ == most_places || effort_ == 0) break;
      apply(p, place, to);
      effort_ -= settle(limits_.tolerance, std::min(most_steps, effort_));
      aim_ = limit();
      bool cooler = total_excess() < before - least_gain && moves_ <= limits_.max_moves &&
                    moved_bytes_ <= limits_.max_bytes;
      for (NodeIndex n : takers_)
        for (std::size_t i = 0; i < 2; ++i)
          cooler = cooler && over(n, resources[i]) <= std::max(limit(), peak_[i]);
      if (cooler) return true;
      pieces_ = pieces;
      loads_ = loads;
      held_ = held;
      moves_ = moves;
      moved_bytes_ = moved;
    }
  }
  return false;
}

}  // namespace arcwise
