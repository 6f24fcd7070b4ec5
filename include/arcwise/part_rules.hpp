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

  bool empty() const {
    return pins.empty() && exclusions.empty() && drains.empty() && !at_most && !rebalance;
  }
};

}  // namespace arcwise
