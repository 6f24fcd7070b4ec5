// A random ring: every node's tokens drawn uniformly. What chance alone makes of node and token counts.
//
// Layer: study. Cost of a draw: about ten nanoseconds a token; no logarithms, so that every machine draws the
// same.
#pragma once

#include <cstdint>
#include <vector>

#include "arcwise/placement.hpp"
#include "study/rng.hpp"

namespace arcwise {

class RandomRing {
 public:
  /// tokens[n]: how many node n has; at least one in all.
  explicit RandomRing(const std::vector<std::uint64_t>& tokens);

  /// New tokens for every node.
  void draw(Rng& rng);

  std::size_t size() const { return points_.size(); }
  NodeIndex node(std::size_t i) const { return points_[i].node; }
  /// What the i-th token owns: the arc from the token before it.
  Share arc(std::size_t i) const {
    const std::int64_t before = i == 0 ? points_.back().at - Share::one : points_[i - 1].at;
    return {points_[i].at - before};
  }

 private:
  struct Point {
    std::int64_t at;  ///< 0…2^53 - 1, so that arcs are exact shares and add up to 1
    NodeIndex node;
  };
  std::vector<NodeIndex> labels_;      ///< by token in drawing order
  std::vector<std::int64_t> drawn_;    ///< by token in drawing order
  std::vector<std::uint32_t> starts_;  ///< by bucket of leading bits
  unsigned bucket_shift_;
  std::vector<Point> points_;  ///< ascending
};

/// The smallest value with at least the fraction q of all values at or below it. values: not empty.
double quantile(std::vector<double> values, double q);

}  // namespace arcwise
