// Rings on which a key's copies lie on the partitions that follow its own, as Riak's.
#include <algorithm>
#include <numeric>

#include "arcwise/assign.hpp"
#include "study/spaced_search.hpp"

namespace arcwise {
namespace {

constexpr std::size_t most_nodes = 8;  // all their orders are tried: 40,320

Error fault(std::string what, std::string why, std::string advice) {
  return {ErrorKind::refused, {}, std::move(what), std::move(why), std::move(advice)};
}

// Any `nodes` partitions in a row lie on as many different nodes, so the one after them lies where the first
// does: the ring repeats one order of the nodes. Worked example: 0 1 2 3 is followed by 0, as 1, 2 and 3 are
// within the last three.
SpacedAssignment best_order(const std::vector<NodeIndex>& previous, std::uint32_t nodes) {
  std::vector<std::vector<std::uint64_t>> stay(nodes, std::vector<std::uint64_t>(nodes, 0));
  for (std::size_t p = 0; p < previous.size(); ++p)
    if (previous[p] < nodes) ++stay[p % nodes][previous[p]];
  std::vector<NodeIndex> order(nodes), best;
  std::iota(order.begin(), order.end(), NodeIndex{0});
  std::uint64_t most = 0;
  do {
    std::uint64_t staying = 0;
    for (std::size_t i = 0; i < nodes; ++i) staying += stay[i][order[i]];
    if (best.empty() || staying > most) {
      most = staying;
      best = order;
    }
  } while (std::next_permutation(order.begin(), order.end()));
  SpacedAssignment out;
  for (std::size_t p = 0; p < previous.size(); ++p) out.owners.push_back(best[p % nodes]);
  out.moved = out.least = previous.size() - most;
  return out;
}

}  // namespace

Result<SpacedAssignment> assign_spaced(const std::vector<NodeIndex>& previous, std::uint32_t nodes,
                                       std::uint32_t spacing) {
  if (nodes < spacing)
    return fault(std::to_string(nodes), "with fewer nodes than the spacing no ring keeps it",
                 "add nodes: " + std::to_string(spacing) + " keep it");
  if (nodes > previous.size())
    return fault(std::to_string(nodes), "there are fewer partitions than nodes",
                 "make a cluster with a larger ring, and move the data");
  if (nodes == spacing && nodes <= most_nodes && previous.size() % nodes == 0)
    return best_order(previous, nodes);
  return search_spaced(previous, nodes, spacing);
}

}  // namespace arcwise
