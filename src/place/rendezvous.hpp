// Highest random weight: every node has a score for the key, and the best ones are its owners.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "place/methods.hpp"

namespace arcwise {

/// Visits nodes from the best to the worst. `score(i)` is computed anew for each place, so that nothing is
/// stored: one pass a candidate, and few candidates a key. `before(a, i, b, j)`: score a of entry i beats
/// score b of entry j; a strict total order.
template <class Score, class Before>
void best_first(const std::vector<NodeIndex>& nodes, const Score& score, const Before& before,
                CandidateVisit visit) noexcept {
  using Value = decltype(score(std::size_t{0}));
  std::optional<Value> last;
  std::size_t last_at = 0;
  for (std::size_t place = 0; place < nodes.size(); ++place) {
    std::optional<Value> best;
    std::size_t best_at = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Value mine = score(i);
      if (last && !before(*last, last_at, mine, i)) continue;
      if (best && !before(mine, i, *best, best_at)) continue;
      best = mine;
      best_at = i;
    }
    if (!best || !visit(nodes[best_at])) return;
    last = best;
    last_at = best_at;
  }
}

/// A key of Python's type bytes, as repr() writes it and pymemcache hashes it.
std::string python_repr(std::string_view key);

/// pymemcache's HashClient: MurmurHash3 of "NODE-KEY" for every node.
std::unique_ptr<const Chooser> pymemcache_rendezvous(const ClusterMap& map);

}  // namespace arcwise
