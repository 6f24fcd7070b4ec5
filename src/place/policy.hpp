// The replica policy compiled for one map, and the selector that applies it to a stream of candidates.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "arcwise/placement.hpp"

namespace arcwise {

/// A policy over node numbers. A *group* is what owners must differ in (node, host, rack or zone); a *bucket*
/// is what has a count of its own: each listed zone with per_zone, else everything.
struct ReplicaRule {
  static constexpr std::uint8_t unlisted = 255;

  std::uint32_t count = 1;      ///< owners in all
  std::uint32_t reachable = 1;  ///< owners there can be at all, without a mask
  bool repeat = false;
  bool distinct_nodes_only = true;              ///< groups are single nodes and there is one bucket
  std::vector<std::uint32_t> group;             ///< by node
  std::vector<std::uint8_t> bucket;             ///< by node; `unlisted` holds nothing
  std::vector<std::uint32_t> want;              ///< by bucket
  std::vector<std::uint32_t> repeats;           ///< by bucket: groups may repeat so often, without a mask
  std::vector<std::vector<NodeIndex>> members;  ///< by group
  std::vector<std::uint8_t> group_bucket;       ///< by group

  static ReplicaRule of(const ClusterMap& map);
  /// Groups of a bucket with an unmasked node; counts no further than `enough`.
  std::uint32_t groups_alive(std::uint8_t bucket, const NodeMask& mask, std::uint32_t enough) const noexcept;
  std::uint32_t nodes_alive(std::uint8_t bucket, const NodeMask& mask, std::uint32_t enough) const noexcept;
  /// Owners there can be at all under this mask: where a walk may stop.
  std::uint32_t reachable_with(const NodeMask& mask) const noexcept;
  std::uint32_t repeats_with(std::uint8_t bucket, const NodeMask& mask) const noexcept;
};

/// Takes candidates one at a time. All its state is the owners taken so far, in the caller's buffer.
///
/// How many owners there can be under a mask takes a look at every node. It is asked only of a walk that has
/// been refused so many candidates that it may be looking for owners that there are not, or at once by who
/// wants to know each candidate of the walk and none behind it.
class Selector {
 public:
  enum class Limit : std::uint8_t { when_needed, at_once };
  Selector(const ReplicaRule& rule, const NodeMask& mask, std::span<NodeIndex> out,
           Limit limit = Limit::when_needed) noexcept;
  Verdict offer(NodeIndex node) noexcept;
  /// Stop at so many owners, if that is fewer than the policy asks for.
  void limit(std::size_t most) noexcept { limit_ = most < limit_ ? most : limit_; }
  bool full() const noexcept { return size_ == limit_; }
  std::size_t size() const noexcept { return size_; }

 private:
  static constexpr unsigned patience = 64;

  bool has(NodeIndex node) const noexcept;
  Verdict judge(NodeIndex node) noexcept;
  bool may_repeat(std::uint8_t bucket) noexcept;
  void learn_limit() noexcept;

  const ReplicaRule& rule_;
  const NodeMask& mask_;
  std::span<NodeIndex> out_;
  std::size_t size_ = 0;
  std::size_t limit_;
  bool masked_;
  unsigned refused_ = 0;
  bool repeats_known_ = false;
  std::array<std::uint32_t, max_policy_zones> repeats_left_;
};

}  // namespace arcwise
