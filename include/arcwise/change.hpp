// Change: on what two maps disagree, and what it costs to go from one to the other.
//
// Layer: study. Nodes of two maps are the same node when their names are equal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arcwise/ownership.hpp"
#include "arcwise/part_rules.hpp"
#include "arcwise/placement.hpp"

namespace arcwise {

/// Copies that `to` newly holds and takes from `from`. A gained copy is taken from a node that gives its copy
/// up where there is one, else from the range's first owner before.
struct Transfer {
  std::string from;  ///< empty where nobody held the range before
  std::string to;
  Share share;
};

struct ExampleKey {
  std::string key;
  std::vector<std::string> before, after;  ///< owners
};

struct Diff {
  std::string before, after;        ///< fingerprints
  Share differs;                    ///< of hash space: where the owner lists are not the same list
  Share primary_moved;              ///< of hash space: where the first owner is another node
  Share moved;                      ///< newly held copies, 0…replicas
  Share least;                      ///< Σ max(0, after - before) of effective shares: no change moves less
  std::vector<Transfer> transfers;  ///< sorted by from, then to
  std::vector<std::string> donors;  ///< sorted
  /// Where the first owner is another node that held a copy before, as a replica that is promoted: from the
  /// first owner before to the one after. No copy moves for it. Sorted by from, then to.
  std::vector<Transfer> promotions;
  std::vector<ExampleKey> example_keys;  ///< up to 3
  struct NodeShare {
    std::string name;
    Share before, after;  ///< effective
    Share gained, given;  ///< copies newly held, copies sent to others
    /// In how many ranges, one stream each; 0 where sampled. A range ends at a token of either map.
    std::uint64_t ranges_gained = 0, ranges_given = 0;
  };
  std::vector<NodeShare> nodes;    ///< union of both maps, sorted by name
  std::optional<Sampled> sampled;  ///< set where the two maps could not be compared region by region
};

/// Exact when both are enumerable over the same key preparation, key hash and positions (or over remainders
/// of the same hash with a common multiple of at most 2^24); else by `sample_keys` seeded keys.
Diff diff(const Placement& before, const Placement& after, std::uint64_t seed,
          std::uint64_t sample_keys = 1'000'000);

struct NewNode {
  std::string name, address, host, rack, zone;
  std::optional<double> weight;     ///< nullopt: 1
  std::vector<std::string> tokens;  ///< as the system writes them, or 0x and hex; for given tokens
};
struct Change {
  std::vector<NewNode> add;
  std::vector<std::string> remove;
  std::vector<std::pair<std::string, double>> weight;
  /// Old name -> new node in its place in the list. It inherits what is left empty: rack, zone, weight, given
  /// tokens; with the same name also label, and address and host where no address is given.
  std::vector<std::pair<std::string, NewNode>> replace;
  PartRules parts = {};
  bool empty() const {
    return add.empty() && remove.empty() && weight.empty() && replace.empty() && parts.empty();
  }
};
/// The map after the change (added, replaced, reweighted, removed, in this order), epoch + 1 where there is
/// one. A node added to a map of given tokens without tokens of its own gets as many as the median node,
/// hashed from its name, and a warning. Errors name the argument. A change that leaves fewer nodes than
/// replicas is an error even where the map itself tolerates that. `parts` is set where parts are handed out.
Result<ClusterMap> apply(const ClusterMap& map, const Change& change, std::vector<Finding>& warnings,
                         std::optional<PartsMoved>* parts = nullptr);

struct CostOptions {
  double data_bytes = 0;      ///< one copy of everything; 0: unknown
  double node_bandwidth = 0;  ///< bytes/s that a node sends or receives; 0: unknown
  double joiner_bandwidth =
      0;  ///< bytes/s that a node which is not in the map before can take; 0: node_bandwidth
  double rack_bandwidth = 0;  ///< bytes/s in and out of a rack, what stays within it aside; 0: unknown
  std::optional<double> utilisation;  ///< mean disk use before, 0…1
  double session_overhead = 0;        ///< seconds that each range's stream costs beside its bytes
  std::uint64_t parallel = 1;         ///< streams of one node at once
};

struct NodeFlow {
  std::string name;
  double bytes_out = 0, bytes_in = 0;
  std::uint64_t sessions = 0;  ///< ranges that it sends or receives, whichever are more
  double transfer_seconds = 0, overhead_seconds = 0;
  double seconds = 0;      ///< at its own limits: both
  double send_rate = 0;    ///< bytes/s while the change runs at the pace of its slowest node
  double budget_used = 0;  ///< send_rate / node_bandwidth
  std::optional<double> utilisation_before, utilisation_after;
};

struct Plan {
  Diff diff;
  std::vector<NodeFlow> flows;  ///< sorted by name; nodes that send or receive, all nodes with utilisation
  double bytes = 0, seconds = 0;
  std::string bottleneck;  ///< the node or "rack r1" that sets the pace; empty where unknown
  Balance balance_before, balance_after;
  std::vector<Finding> warnings;
};
/// The change at once; plan_steps() of arcwise/steps.hpp carries it out a few nodes at a time.
Plan plan(const ClusterMap& before, const ClusterMap& after, const Change& change, const CostOptions& cost,
          std::uint64_t seed);

}  // namespace arcwise
