// Highest random weight: every node has a score for the key, and the best ones are its owners.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "place/methods.hpp"

namespace arcwise {

/// Visits nodes from the best to the worst. `score(i)` is computed anew in each pass, so that nothing is
/// allocated: a pass finds the next 1, then 4, 16, 64 and at last 256 candidates, for few are asked for.
/// `before(a, i, b, j)`: score a of entry i beats score b of entry j; a strict total order.
template <class Score, class Before>
void best_first(const std::vector<NodeIndex>& nodes, const Score& score, const Before& before,
                CandidateVisit visit) noexcept {
  struct Place {
    decltype(score(std::size_t{0})) value;
    std::size_t at;
  };
  const auto beats = [&before](const Place& a, const Place& b) {
    return before(a.value, a.at, b.value, b.at);
  };
  std::array<Place, 256> best;  // a heap with the worst of them on top
  std::optional<Place> last;
  std::size_t room = 1;
  for (std::size_t visited = 0; visited < nodes.size();) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Place mine{score(i), i};
      if (last && !beats(*last, mine)) continue;
      if (found == room) {
        if (!beats(mine, best[0])) continue;
        std::pop_heap(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(found--), beats);
      }
      best[found++] = mine;
      std::push_heap(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(found), beats);
    }
    if (found == 0) return;
    std::sort_heap(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(found), beats);
    for (std::size_t i = 0; i < found; ++i)
      if (!visit(nodes[best[i].at])) return;
    last = best[found - 1];
    visited += found;
    room = std::min(4 * room, best.size());
  }
}

/// A key of Python's type bytes, as repr() writes it and pymemcache hashes it.
std::string python_repr(std::string_view key);

/// pymemcache's HashClient: MurmurHash3 of "NODE-KEY" for every node.
std::unique_ptr<const Chooser> pymemcache_rendezvous(const ClusterMap& map);

}  // namespace arcwise
