// What chance alone gives: the same nodes, token counts, weights and policy on rings of random tokens.
#include <algorithm>
#include <array>

#include "arcwise/ownership.hpp"
#include "place/methods.hpp"
#include "place/policy.hpp"
#include "study/simulate_ring.hpp"

namespace arcwise {
namespace {

constexpr std::uint64_t least_trials = 10;
constexpr std::uint64_t most_trials = 400;
constexpr std::uint64_t work = 100'000'000;  ///< candidates and tokens to draw: about a second

/// Adds up what each node holds on a random ring.
class Holdings {
 public:
  Holdings(const ClusterMap& map, std::vector<NodeOwnership> nodes)
      : rule_(ReplicaRule::of(map)),
        nodes_(std::move(nodes)),
        nearest_(map.placement().recipe->lookup == LookupRule::nearest) {}

  /// The balance of this ring.
  Balance of(const RandomRing& ring) {
    for (NodeOwnership& node : nodes_) node.effective = {};
    std::array<NodeIndex, max_replicas> owners;
    const NodeMask nobody;
    for (std::size_t i = 0; i < ring.size(); ++i) {
      Selector selector(rule_, nobody, owners);
      const auto walk = [&](std::size_t from, std::size_t to) {
        for (std::size_t at = from; at < to && !selector.full(); ++at) {
          selector.offer(ring.node(at));
          ++candidates_;
        }
      };
      walk(i, ring.size());
      walk(0, i);
      const Share arc = reach(ring, i);
      for (std::size_t o = 0; o < selector.size(); ++o) nodes_[owners[o]].effective += arc;
    }
    return balance_of(nodes_);
  }
  std::uint64_t candidates() const { return candidates_; }

 private:
  // What a token answers for: one gap to a neighbour, or half of the gap on either side.
  Share reach(const RandomRing& ring, std::size_t i) const {
    if (!nearest_) return ring.arc(i);
    return {(ring.arc(i).units + ring.arc(i + 1 == ring.size() ? 0 : i + 1).units) / 2};
  }

  ReplicaRule rule_;
  std::vector<NodeOwnership> nodes_;
  bool nearest_;
  std::uint64_t candidates_ = 0;
};

}  // namespace

std::optional<ByChance> by_chance(const Placement& placement, std::uint64_t seed) {
  const ClusterMap& map = placement.map();
  const PlacementSettings& placing = map.placement();
  if (!find_method(placing.given ? "given" : placing.recipe->method)->is_ring()) return std::nullopt;

  std::vector<std::uint64_t> tokens(map.nodes().size());
  for (std::size_t i = 0; i < placement.entry_count(); ++i) ++tokens[placement.entry(i).node];
  std::vector<NodeOwnership> nodes(map.nodes().size());
  std::array<NodeIndex, max_replicas> owners;
  const double held = static_cast<double>(placement.region_owners(0, {}, owners));
  const std::vector<double> targets = target_shares(map, held);
  for (std::size_t n = 0; n < nodes.size(); ++n) nodes[n].target = targets[n];

  RandomRing ring(tokens);
  Holdings holdings(map, std::move(nodes));
  // How far the walks go depends on the policy: one small rack among three makes them long. A ring drawn from
  // a fixed seed, of which nothing else is used, tells.
  Rng pilot(0);
  ring.draw(pilot);
  holdings.of(ring);
  const std::uint64_t cost = holdings.candidates() + 4 * ring.size();
  ByChance result{.seed = seed};
  result.trials = static_cast<std::uint32_t>(std::clamp(work / cost, least_trials, most_trials));

  Rng rng(seed);
  std::vector<double> largest, spread;
  for (std::uint32_t t = 0; t < result.trials; ++t) {
    ring.draw(rng);
    const Balance balance = holdings.of(ring);
    largest.push_back(balance.max_over_target);
    spread.push_back(balance.stddev_over_target);
  }
  result.median = quantile(largest, 0.5);
  result.p99 = quantile(largest, 0.99);
  result.stddev_median = quantile(spread, 0.5);
  return result;
}

}  // namespace arcwise
