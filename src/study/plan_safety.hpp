// Inside the study layer: who really holds each range while a step runs.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "arcwise/risk.hpp"
#include "arcwise/steps.hpp"
#include "study/tally.hpp"

namespace arcwise {

/// Takes in the pieces of two maps, as for_each_piece() visits them. `gone`: machines that a replacement has
/// taken out; `down`: nodes that hold nothing now.
class SafetyTally {
 public:
  SafetyTally(const NodeUnion& nodes, const ClusterMap& before, const ClusterMap& after,
              const std::set<std::string>& gone, const std::set<std::string>& down);
  void add(std::span<const std::uint32_t> before, std::span<const std::uint32_t> after, Share share);
  StepSafety take() const;

  /// Ranges whose first owner did not hold them before: where a cache misses.
  Share cold() const { return cold_; }
  Share first_before(std::uint32_t node) const { return first_before_[node]; }
  Share first_after(std::uint32_t node) const { return first_after_[node]; }

 private:
  using Numbers = std::vector<std::uint32_t>;
  struct Phase {
    SafetyPhase seen;
    bool any = false;
    std::vector<Share> breaks;  ///< by number: ranges that lose their quorum with it
  };
  void count(Phase& phase, std::size_t owners, const Numbers& holders, std::span<const std::uint32_t> racks,
             std::span<const std::uint32_t> hosts, Share share);
  SafetyPhase judged(const Phase& phase) const;

  const NodeUnion& nodes_;
  Level level_;
  std::vector<bool> gone_, down_;  ///< by number
  std::vector<std::uint32_t> racks_before_, racks_after_, hosts_before_, hosts_after_;
  std::vector<Share> first_before_, first_after_;
  Numbers held_before_, held_during_, held_after_;  ///< of the piece at hand
  std::size_t racks_had_ = 0, hosts_had_ = 0;
  Phase before_, during_, after_;
  Share lost_, cold_, unfillable_;
};

}  // namespace arcwise
