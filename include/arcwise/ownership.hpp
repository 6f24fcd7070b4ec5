// Ownership: who holds how much of hash space, against what weights entitle to and what chance alone would
// give.
//
// Layer: study. Pure functions of a placement; all speak of key space, never of bytes or traffic.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arcwise/placement.hpp"

namespace arcwise {

/// A study made of sampled keys instead of exact regions.
struct Sampled {
  std::uint64_t keys = 0;
  double error_95 = 0;  ///< half width of the 95 % interval of a share
};

struct NodeOwnership {
  std::uint64_t tokens = 0;  ///< ring entries of this node
  Share share;               ///< as primary; sums to 1 over the nodes
  Share effective;           ///< as any replica; sums to the replica count
  double target = 0;         ///< what its weight entitles it to of `effective`; 0 for a joining node
  double ratio() const { return target > 0 ? effective.value() / target : 0; }
};

/// Of effective / target over the nodes with a target.
struct Balance {
  double max_over_target = 0;
  double min_over_target = 0;
  double stddev_over_target = 0;  ///< root mean square distance from 1
  double usable_capacity = 0;  ///< 1 / max: what fraction of the fleet is used when its fullest node is full
};

struct Ownership {
  std::vector<NodeOwnership> nodes;  ///< by NodeIndex
  Share held;                        ///< sum of all effective shares
  double replicas = 0;               ///< held, as a number: the replica count unless ranges differ
  std::uint64_t ring_entries = 0;
  std::uint64_t regions = 0;
  std::uint64_t replica_sets = 0;  ///< distinct owner sets, order ignored
  Share unowned;                   ///< ranges nobody owns
  Balance balance;
  std::optional<Sampled> sampled;  ///< set where regions cannot be listed
};

/// Exact over the regions where they can be listed, else sampled. With a mask: what the unmasked nodes hold
/// when the masked ones are skipped. Cost: one pass over the regions, or up to a million lookups.
Ownership ownership(const Placement& placement, const NodeMask& mask = {}, std::uint64_t seed = 1);
/// From `keys` seeded keys (at least 1), for any placement.
Ownership sampled_ownership(const Placement& placement, const NodeMask& mask, std::uint64_t seed,
                            std::uint64_t keys);

/// What each node's weight entitles it to of `held` copies: in proportion, never more than one copy of
/// everything (the excess is spread over the others in proportion); per zone with per_zone; within its rack
/// (host, zone) where the racks of the policy equal the count, since every rack then holds exactly one copy.
/// A masked node gets nothing.
std::vector<double> target_shares(const ClusterMap& map, double held, const NodeMask& mask = {});

Balance balance_of(const std::vector<NodeOwnership>& nodes);

struct GroupOwnership {
  std::string name;
  std::uint64_t nodes = 0;
  Share share;
  Share effective;
  double target = 0;
};
/// Sums per host, rack or zone, sorted by name (a rack is shown as zone/rack where zones are used).
std::vector<GroupOwnership> group_ownership(const ClusterMap& map, const Ownership& ownership, Across level);

/// The largest effective / target that random tokens give this many nodes, tokens, weights and replicas.
struct ByChance {
  double median = 0;
  double p99 = 0;
  double stddev_median = 0;  ///< of stddev_over_target
  std::uint32_t trials = 0;
  std::uint64_t seed = 0;
};
/// nullopt where tokens are not what shares come from (modulo, tables). The number of trials falls with the
/// size of the ring so that the work stays near 2 s; it depends on the map only, so the answer is
/// reproducible.
std::optional<ByChance> by_chance(const Placement& placement, std::uint64_t seed);

/// What makes an imbalance: tokens (a share beyond chance), data (bytes per share differ), both or neither.
enum class ImbalanceCause : std::uint8_t { none, tokens, data, both, unknown_data };
std::string_view to_string(ImbalanceCause cause);

struct Judgement {
  ImbalanceCause cause = ImbalanceCause::unknown_data;
  bool tokens_beyond_chance = false;
  double load_max_over_mean = 0;     ///< bytes; 0 where no load was observed
  double density_max_over_mean = 0;  ///< bytes per effective share, largest over mean; 0 where unknown
  std::string density_node;          ///< the node with the most bytes per share
  std::string fullest_node;          ///< the node with the largest effective / target
  std::vector<std::string>
      sentences;  ///< for people, most important first; says it speaks of key space, not traffic
};
Judgement judge(const Placement& placement, const Ownership& ownership, const std::optional<ByChance>& chance,
                const Observed& observed);

}  // namespace arcwise
