// Exact counts over all equally likely sets of 1, 2 or 3 failed nodes.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "study/risk_sets.hpp"

namespace arcwise {

/// Above this many nodes, triples of nodes and the losses of every single pair are not counted.
inline constexpr std::size_t max_counted_nodes = 4096;

/// n choose k, for k up to 3.
double choose(std::uint64_t n, std::uint32_t k);

/// Expected share of hash space that is broken when `down` random nodes fail.
double expected_broken(const ReplicaSets& sets, const Breaks& breaks, std::uint32_t down);

using NodePair = std::pair<NodeIndex, NodeIndex>;

/// Pairs of nodes that share some set, ascending, smaller index first.
std::vector<NodePair> co_owners(const ReplicaSets& sets);

/// Which failures break some set: the smallest ones, so that any set of failed nodes breaks something exactly
/// when it contains one of these.
class Breakers {
 public:
  Breakers(const ReplicaSets& sets, const Breaks& breaks);
  /// Probability that some set is broken when `down` (1, 2 or 3) random nodes fail.
  double any_broken(std::uint32_t down) const;

 private:
  double surviving_triples() const;

  std::uint64_t nodes_;
  std::size_t index_end_;                          ///< one past the largest node index
  bool always_ = false;                            ///< some set is broken as it is
  std::uint64_t single_ = 0;                       ///< nodes whose failure alone breaks a set
  std::vector<NodePair> pairs_;                    ///< ascending; of other nodes only
  std::vector<std::array<NodeIndex, 3>> triples_;  ///< ascending; that contain no breaker above
};

struct PairLosses {
  std::vector<Risk::PairLoss> losses;  ///< descending by share
  NodePair worst{no_node, no_node};    ///< of equally bad ones the first by name
  Share worst_share;
};
/// What every pair of nodes breaks together. Cost: nodes² / 2.
PairLosses pair_losses(const ReplicaSets& sets, const Breaks& breaks, const ClusterMap& map);

}  // namespace arcwise
