// Risk: what simultaneous failures cost, from the replica sets that a placement really makes.
//
// Layer: study. Exact where regions can be listed; else from sampled keys, and sets that no sampled key met
// are missing. Probabilities are over all equally likely sets of that many nodes. A range that has too few
// owners as it is, such as one that nobody owns, is among what every failure costs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arcwise/ownership.hpp"

namespace arcwise {

/// How many of a range's owners must answer. Default: the majority of all its owners.
struct Level {
  enum class Kind : std::uint8_t { quorum, one, all, count } kind = Kind::quorum;
  std::uint32_t count = 0;
  std::uint32_t needed(std::size_t owners) const;
};
std::optional<Level> find_level(std::string_view text);  ///< quorum, one, all, or a number

/// What a range of this map's system needs to serve: one owner where another is promoted, else the majority.
Level serving_level(const ClusterMap& map);

struct FailureRisk {
  std::uint32_t down = 0;               ///< simultaneous failures
  double any_quorum_lost = 0;           ///< probability that some range is left with too few owners
  double any_data_lost = 0;             ///< probability that some range loses every copy
  double expected_share_lost = 0;       ///< expected share of hash space left with too few owners
  double expected_share_data_lost = 0;  ///< expected share that loses every copy
};

struct Risk {
  std::uint64_t nodes = 0;  ///< that own something or could: not joining
  std::uint64_t replica_sets = 0;
  std::uint64_t co_owner_pairs = 0;  ///< pairs of nodes that share some range
  double co_owner_fraction = 0;      ///< of all pairs
  struct {
    std::uint64_t min = 0, max = 0;
    double mean = 0;
  } scatter_width;              ///< other nodes that a node shares ranges with
  std::uint32_t tolerated = 0;  ///< failures that every range survives at this level
  std::vector<FailureRisk>
      failures;  ///< for 1, 2 and 3 down where there are that many nodes; 3 up to 4,096 nodes
  struct PairLoss {
    Share share;  ///< left with too few owners when both of the pair are down
    std::uint64_t pairs = 0;
  };
  /// Descending by share; all pairs are counted, also those that lose nothing; shares within 2^-40 are one.
  /// Like worst_pair, for up to 4,096 nodes.
  std::vector<PairLoss> pair_losses;
  double mean_pair_loss = 0;
  struct {
    std::string a, b;
    Share share;
  } worst_pair;
  std::optional<Sampled> sampled;
};
Risk risk(const Placement& placement, const Level& level);

/// These nodes down at once.
struct DownRisk {
  std::vector<std::string> down;
  Share below_quorum;
  Share lost;
  std::vector<std::string> example_keys;  ///< up to 3 keys left with too few owners
  std::optional<Sampled> sampled;
};
DownRisk risk_down(const Placement& placement, const Level& level, const NodeSet& down);

/// Nodes that may restart at once: no range has two of them, so that every range keeps all its live owners
/// but one. A node whose restart alone leaves a range short goes by itself.
struct RollingGroup {
  std::vector<std::string> nodes;  ///< sorted
  std::string all_of;              ///< "rack r1" where it is one whole rack; else empty
  /// What is newly left with too few owners, and newly without any, while the group alone is away. Where a
  /// promotion needs a majority of masters that is not there: also what the group's masters serve.
  Share below_level, lost;
  std::uint64_t masters = 0;  ///< of its nodes, where replicas are promoted
  /// What the failure of one more node costs while the group is away.
  struct {
    std::string worst;      ///< of equally bad ones the first by name; empty where no failure costs anything
    Share worst_share;      ///< left with too few owners
    double mean_share = 0;  ///< over all live nodes outside the group
    std::uint64_t harmless = 0;  ///< nodes outside the group whose failure costs nothing
    std::uint64_t of = 0;        ///< live nodes outside the group
  } further;
};

struct Rolling {
  std::vector<RollingGroup> groups;  ///< every node that can fail and is up is in one
  std::uint64_t least_groups = 0;    ///< no fewer are possible: the most owners that a range has
  std::vector<std::string> down;     ///< sorted; they restart with no group
  Share below_now;                   ///< left with too few owners by those alone
  /// Where replicas are promoted, which a strict majority of masters decides: first owners, and how many may
  /// be away at once beside those that are down.
  struct Masters {
    std::uint64_t all = 0, may_restart = 0;
  };
  std::optional<Masters> masters;
  std::optional<Sampled> sampled;
};
/// Whole racks where they serve; else, when they are fewer, groups put together node by node, those with the
/// most co-owners first. Where replicas are promoted they restart first, since a master that has restarted is
/// a replica afterwards, and its replica a master. Deterministic. Cost: nodes² bits, and the pairs of
/// co-owners.
Rolling rolling(const Placement& placement, const Level& level, const NodeSet& down = NodeSet());

}  // namespace arcwise
