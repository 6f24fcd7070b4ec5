// One pass over the regions, or over sampled keys, and the figures made of it.
#include "arcwise/ownership.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "model/build.hpp"
#include "study/sample_keys.hpp"

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

/// Adds up piece by piece of hash space.
class Ledger {
 public:
  Ledger(const Placement& placement, std::size_t pieces)
      : placement_(placement), sets_(placement.max_owners(), pieces) {
    result_.nodes.resize(placement.map().nodes().size());
    result_.ring_entries = placement.entry_count();
    result_.regions = placement.region_count();
    for (std::size_t i = 0; i < placement.entry_count(); ++i)
      if (const NodeIndex n = placement.entry(i).node; n != no_node) ++result_.nodes[n].tokens;
  }

  void add(std::span<const NodeIndex> owners, Share share) {
    if (owners.empty()) {
      result_.unowned += share;
      return;
    }
    result_.nodes[owners.front()].share += share;
    for (NodeIndex n : owners) {
      result_.nodes[n].effective += share;
      result_.held += share;
    }
    sets_.add(owners);
  }

  Ownership finish(const NodeMask& mask) {
    result_.replica_sets = sets_.distinct();
    result_.replicas = result_.held.value();
    const std::vector<double> targets = target_shares(placement_.map(), result_.replicas, mask);
    for (std::size_t n = 0; n < targets.size(); ++n) result_.nodes[n].target = targets[n];
    result_.balance = balance_of(result_.nodes);
    return std::move(result_);
  }

 private:
  const Placement& placement_;
  OwnerSets sets_;
  Ownership result_;
};

// A chooser may look at every node for every key: a million keys up to 256 nodes, fewer beyond. A power of
// two, so that each key stands for an equal share.
std::uint64_t keys_for(std::size_t nodes) {
  std::uint64_t keys = std::uint64_t{1} << 20;
  while (keys > 4096 && keys * nodes > std::uint64_t{1} << 28) keys /= 2;
  return keys;
}

}  // namespace

Ownership ownership(const Placement& placement, const NodeMask& mask, std::uint64_t seed) {
  if (!placement.traits().enumerable)
    return sampled_ownership(placement, mask, seed, keys_for(placement.map().nodes().size()));
  std::array<NodeIndex, max_replicas> owners;
  Ledger ledger(placement, placement.region_count());
  for (std::size_t i = 0; i < placement.region_count(); ++i)
    ledger.add({owners.data(), placement.region_owners(i, mask, owners)},
               share_of(placement.map().domain(), placement.region(i)));
  return ledger.finish(mask);
}

Ownership sampled_ownership(const Placement& placement, const NodeMask& mask, std::uint64_t seed,
                            std::uint64_t keys) {
  std::array<NodeIndex, max_replicas> owners;
  Ledger ledger(placement, static_cast<std::size_t>(keys));
  SampleKeys sample(seed);
  const HashDomain domain{keys - 1};
  for (std::uint64_t k = 0; k < keys; ++k) {
    const std::string_view key = sample.next();
    ledger.add({owners.data(), placement.owners({key, placement.hash(key), mask}, owners)},
               share_of(domain, {{k == 0 ? keys - 1 : k - 1}, {k}}));
  }
  Ownership result = ledger.finish(mask);
  double variance = 0;
  for (const NodeOwnership& node : result.nodes)
    variance = std::max(variance, node.effective.value() * (1 - node.effective.value()));
  result.sampled = Sampled{keys, 1.96 * std::sqrt(variance / static_cast<double>(keys))};
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
  std::map<std::pair<std::string, std::string>, GroupOwnership> groups;  // by name, then by identity
  for (std::size_t n = 0; n < map.nodes().size(); ++n) {
    const Node& node = map.nodes()[n];
    const NodeOwnership& own = ownership.nodes[n];
    const std::string identity = group_name(node, level);
    const std::string name = level != Across::rack ? identity
                             : zoned               ? node.zone + '/' + node.rack
                                                   : node.rack;
    GroupOwnership& group = groups[{name, identity}];
    group.name = name;
    ++group.nodes;
    group.share += own.share;
    group.effective += own.effective;
    group.target += own.target;
  }
  std::vector<GroupOwnership> sorted;
  sorted.reserve(groups.size());
  for (auto& [key, group] : groups) sorted.push_back(std::move(group));
  return sorted;
}

}  // namespace arcwise
