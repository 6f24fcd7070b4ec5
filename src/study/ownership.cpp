// One pass over the regions, and the figures made of it.
#include "arcwise/ownership.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "model/build.hpp"

namespace arcwise {
namespace {

/// Owner sets of all regions, order ignored, kept side by side in one vector: `stride` nodes each, ascending,
/// the missing ones no_node. 12 bytes a region with three replicas.
class OwnerSets {
 public:
  OwnerSets(std::size_t stride, std::size_t regions) : stride_(stride) { members_.reserve(stride * regions); }

  void add(std::span<const NodeIndex> owners) {
    const auto start = members_.insert(members_.end(), owners.begin(), owners.end());
    std::sort(start, members_.end());
    members_.resize(members_.size() + stride_ - owners.size(), no_node);
  }

  std::uint64_t distinct() const {
    std::vector<std::uint32_t> order(members_.size() / stride_);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
    const auto set = [&](std::uint32_t i) {
      return members_.begin() + static_cast<std::ptrdiff_t>(i * stride_);
    };
    const auto width = static_cast<std::ptrdiff_t>(stride_);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::lexicographical_compare(set(a), set(a) + width, set(b), set(b) + width);
    });
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < order.size(); ++i)
      count += i == 0 || !std::equal(set(order[i]), set(order[i]) + width, set(order[i - 1]));
    return count;
  }

 private:
  std::size_t stride_;
  std::vector<NodeIndex> members_;
};

}  // namespace

Ownership ownership(const Placement& placement, const NodeMask& mask) {
  const ClusterMap& map = placement.map();
  Ownership result;
  result.nodes.resize(map.nodes().size());
  result.ring_entries = placement.entry_count();
  result.regions = placement.region_count();
  for (std::size_t i = 0; i < placement.entry_count(); ++i)
    if (const NodeIndex n = placement.entry(i).node; n != no_node) ++result.nodes[n].tokens;

  std::array<NodeIndex, max_replicas> buffer;
  OwnerSets sets(placement.max_owners(), placement.region_count());
  for (std::size_t i = 0; i < placement.region_count(); ++i) {
    const Share share = share_of(map.domain(), placement.region(i));
    const std::size_t count = placement.region_owners(i, mask, buffer);
    if (count == 0) {
      result.unowned += share;
      continue;
    }
    result.nodes[buffer[0]].share += share;
    for (std::size_t o = 0; o < count; ++o) {
      result.nodes[buffer[o]].effective += share;
      result.held += share;
    }
    sets.add({buffer.data(), count});
  }
  result.replica_sets = sets.distinct();
  result.replicas = result.held.value();

  const std::vector<double> targets = target_shares(map, result.replicas, mask);
  for (std::size_t n = 0; n < targets.size(); ++n) result.nodes[n].target = targets[n];
  result.balance = balance_of(result.nodes);
  return result;
}

Balance balance_of(const std::vector<NodeOwnership>& nodes) {
  Balance balance;
  std::size_t entitled = 0;
  double squares = 0;
  for (const NodeOwnership& node : nodes) {
    if (node.target <= 0) continue;
    const double ratio = node.ratio();
    balance.max_over_target = std::max(balance.max_over_target, ratio);
    balance.min_over_target = entitled == 0 ? ratio : std::min(balance.min_over_target, ratio);
    squares += (ratio - 1) * (ratio - 1);
    ++entitled;
  }
  if (entitled == 0) return balance;
  balance.stddev_over_target = std::sqrt(squares / static_cast<double>(entitled));
  if (balance.max_over_target > 0) balance.usable_capacity = 1 / balance.max_over_target;
  return balance;
}

std::vector<GroupOwnership> group_ownership(const ClusterMap& map, const Ownership& ownership, Across level) {
  const bool zoned =
      std::any_of(map.nodes().begin(), map.nodes().end(), [](const Node& n) { return !n.zone.empty(); });
  std::map<std::string, GroupOwnership> groups;
  for (std::size_t n = 0; n < map.nodes().size(); ++n) {
    const Node& node = map.nodes()[n];
    const NodeOwnership& own = ownership.nodes[n];
    GroupOwnership& group = groups[group_name(node, level)];
    group.name = level != Across::rack ? group_name(node, level)
                 : zoned               ? node.zone + '/' + node.rack
                                       : node.rack;
    ++group.nodes;
    group.share += own.share;
    group.effective += own.effective;
    group.target += own.target;
  }
  std::vector<GroupOwnership> sorted;
  sorted.reserve(groups.size());
  for (auto& [identity, group] : groups) sorted.push_back(std::move(group));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const GroupOwnership& a, const GroupOwnership& b) { return a.name < b.name; });
  return sorted;
}

}  // namespace arcwise
