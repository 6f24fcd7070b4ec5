// Adds up, piece by piece of hash space, what changes hands between two maps.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arcwise/change.hpp"

namespace arcwise {

/// Nodes of two maps under common numbers: number 0 is nobody (its name is empty), the rest ascend by name.
struct NodeUnion {
  std::vector<std::string> names;
  std::vector<std::uint32_t> before, after;  ///< by NodeIndex of each map

  NodeUnion(const ClusterMap& before, const ClusterMap& after);
};

class Tally {
 public:
  explicit Tally(std::size_t numbers) : nodes_(numbers) {}

  /// A piece of hash space with its owners before and after. Cost: owners², a handful. `ranges`: how many
  /// ranges it counts for, 0 for the rest of one that was added before, and for a sampled key.
  void add(std::span<const std::uint32_t> before, std::span<const std::uint32_t> after, Share share,
           std::uint32_t ranges);
  /// Everything but fingerprints, examples and `sampled`.
  void fill(const NodeUnion& nodes, Diff& out);
  /// Half the 95 % interval of `moved` when each piece was one of `keys` sampled keys.
  double error_95(std::uint64_t keys) const;

 private:
  struct PerNode {
    Share before, after, gained, given;
    std::uint64_t ranges_gained = 0, ranges_given = 0;
  };
  // Shares by (from, to), packed; the first `merged` are sorted and unique.
  struct Pairs {
    std::vector<std::pair<std::uint64_t, Share>> list;
    std::size_t merged = 0;
    void add(std::uint32_t from, std::uint32_t to, Share share);
    void merge();
  };

  std::vector<PerNode> nodes_;
  Pairs transfers_, promotions_;
  std::vector<std::uint32_t> gained_, lost_;  ///< of the piece at hand
  Share differs_, primary_moved_, moved_;
  double moved_squares_ = 0;
};

}  // namespace arcwise
