// What is asked of listed partitions and slots beside the weights of nodes, and how much of it at once.
//
// Layer: study. For maps that list who holds each part and hand parts out anew: partitions, slots, Redis
// Cluster, Swift, Couchbase.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace arcwise {

struct PartRules {
  /// Parts first…last, numbered from 0.
  struct Rule {
    std::uint32_t first = 0, last = 0;
    std::string node;
  };
  std::vector<Rule> pins;        ///< these parts have a copy on this node
  std::vector<Rule> exclusions;  ///< these have none there
  struct Drain {
    std::string node;
    double by = 1;  ///< how much of what it holds it gives up now; 1: everything
  };
  std::vector<Drain> drains;             ///< nodes that stay in the map, as leaving
  std::optional<std::uint64_t> at_most;  ///< so many copies move now, the rest later
  bool rebalance = false;                ///< parts are handed out anew though no node changes
  /// A circumstance, not a wish: nodes that are down now. They take nothing, and parts that they have a copy
  /// of stay as they are, unless such a node leaves.
  std::vector<std::string> down;

  bool empty() const {
    return pins.empty() && exclusions.empty() && drains.empty() && !at_most && !rebalance;
  }
};

/// How listed parts were handed out anew.
struct PartsMoved {
  std::uint64_t copies = 0;            ///< all of them
  std::uint64_t moved = 0;             ///< now
  std::uint64_t later = 0;             ///< what at_most and gradual drains leave for later plans
  std::uint64_t least = 0;             ///< no way of doing all of it moves fewer
  std::uint64_t fewest = 0, most = 0;  ///< on a node that holds its share
  std::uint64_t uneven = 0;            ///< copies beside the shares, which pins or exclusions force
  std::uint64_t together = 0;  ///< copies too near others of their partition, or of a ring's neighbours
};

}  // namespace arcwise
