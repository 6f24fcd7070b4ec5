// Target shares: what weights entitle each node to, within what the replica policy allows at all.
#include <algorithm>

#include "arcwise/ownership.hpp"
#include "place/policy.hpp"

namespace arcwise {
namespace {

/// Copies that are spread over some nodes only.
struct Pool {
  double copies = 0;
  std::vector<NodeIndex> members;
};

// In proportion to weight, at most one copy each. Worked example, 2 copies over weights 6, 1, 1: the first
// would get 1.5, holds 1, and the other copy is halved between the light ones: 1, 0.5, 0.5. Heaviest first,
// so that the first node below one copy ends the capping: all lighter ones are below it too. Weights that are
// all 0 entitle all alike.
void spread(Pool pool, const std::vector<Node>& nodes, std::vector<double>& target) {
  std::sort(pool.members.begin(), pool.members.end(), [&](NodeIndex a, NodeIndex b) {
    return nodes[a].weight != nodes[b].weight ? nodes[a].weight > nodes[b].weight : a < b;
  });
  std::vector<double> weight_from(pool.members.size() + 1);
  for (std::size_t i = pool.members.size(); i > 0; --i)
    weight_from[i - 1] = weight_from[i] + nodes[pool.members[i - 1]].weight;
  std::size_t i = 0;
  for (; i < pool.members.size() && nodes[pool.members[i]].weight > 0; ++i) {
    if (pool.copies * nodes[pool.members[i]].weight < weight_from[i]) break;
    target[pool.members[i]] = 1;
    pool.copies = std::max(0.0, pool.copies - 1);
  }
  const double total = weight_from[i];
  const auto left = static_cast<double>(pool.members.size() - i);
  for (; i < pool.members.size(); ++i)
    target[pool.members[i]] = pool.copies * (total > 0 ? nodes[pool.members[i]].weight / total : 1 / left);
}

// A table lists owners instead of deriving them. Slots are assigned, so a node without slots lacks some;
// elsewhere a node that no range lists holds nothing.
Pool table_pool(const ClusterMap& map, double held, const NodeMask& mask) {
  std::vector<bool> listed(map.nodes().size(), map.placement().slots > 0);
  for (const TableRow& row : map.placement().table)
    for (NodeIndex n : row.owners) listed[n] = true;
  Pool pool{held, {}};
  for (NodeIndex n = 0; n < map.nodes().size(); ++n)
    if (listed[n] && map.nodes()[n].state != NodeState::joining && !mask.skips(n)) pool.members.push_back(n);
  return pool;
}

// One pool a zone with a count of its own, or one a group where every group holds exactly one copy: three
// copies across three racks put one in each rack, however many nodes share it.
std::vector<Pool> policy_pools(const ClusterMap& map, const NodeMask& mask) {
  const ReplicaRule rule = ReplicaRule::of(map);
  std::vector<Pool> pools;
  for (std::size_t b = 0; b < rule.want.size(); ++b) {
    const auto bucket = static_cast<std::uint8_t>(b);
    std::vector<Pool> groups;
    Pool all;
    for (std::size_t g = 0; g < rule.members.size(); ++g) {
      if (rule.group_bucket[g] != bucket) continue;
      Pool group{1, {}};
      for (NodeIndex n : rule.members[g])
        if (!mask.skips(n)) group.members.push_back(n);
      if (group.members.empty()) continue;
      all.members.insert(all.members.end(), group.members.begin(), group.members.end());
      groups.push_back(std::move(group));
    }
    const std::size_t copies =
        std::min<std::size_t>(rule.want[b], rule.repeat ? all.members.size() : groups.size());
    all.copies = static_cast<double>(copies);
    if (copies == groups.size())
      pools.insert(pools.end(), groups.begin(), groups.end());
    else
      pools.push_back(std::move(all));
  }
  return pools;
}

}  // namespace

std::vector<double> target_shares(const ClusterMap& map, double held, const NodeMask& mask) {
  std::vector<double> target(map.nodes().size());
  if (map.placement().recipe->points == PointRule::table) {
    spread(table_pool(map, held, mask), map.nodes(), target);
    return target;
  }
  std::vector<Pool> pools = policy_pools(map, mask);
  double copies = 0;
  for (const Pool& pool : pools) copies += pool.copies;
  for (Pool& pool : pools) {
    pool.copies *= held / copies;
    spread(std::move(pool), map.nodes(), target);
  }
  return target;
}

}  // namespace arcwise
