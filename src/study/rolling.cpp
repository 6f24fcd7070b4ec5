// Groups for a rolling restart: a colouring of the graph in which two nodes are joined when they share a
// range.
#include <algorithm>
#include <map>
#include <numeric>

#include "arcwise/risk.hpp"
#include "model/build.hpp"
#include "study/rack_text.hpp"
#include "study/risk_count.hpp"

namespace arcwise {
namespace {

using Groups = std::vector<std::vector<NodeIndex>>;

class CoOwners {
 public:
  CoOwners(const ReplicaSets& sets, std::size_t nodes) : share_(nodes, NodeSet(nodes)), degree_(nodes, 0) {
    for (const auto& [a, b] : co_owners(sets)) {
      share_[a].insert(b);
      share_[b].insert(a);
      ++degree_[a], ++degree_[b];
    }
  }
  bool with_any(NodeIndex node, const std::vector<NodeIndex>& group) const {
    return std::any_of(group.begin(), group.end(), [&](NodeIndex n) { return share_[node].contains(n); });
  }
  std::uint32_t degree(NodeIndex node) const { return degree_[node]; }

 private:
  std::vector<NodeSet> share_;
  std::vector<std::uint32_t> degree_;
};

Groups racks_of(const ClusterMap& map, const std::vector<NodeIndex>& nodes) {
  std::map<std::string, std::vector<NodeIndex>> racks;
  for (NodeIndex n : nodes) racks[group_name(map.nodes()[n], Across::rack)].push_back(n);
  Groups out;
  for (auto& [name, members] : racks) out.push_back(std::move(members));
  return out;
}

bool may_restart_together(const std::vector<NodeIndex>& group, const CoOwners& co_owners) {
  return std::none_of(group.begin(), group.end(), [&](NodeIndex n) { return co_owners.with_any(n, group); });
}

Groups node_by_node(const std::vector<NodeIndex>& nodes, const CoOwners& co_owners) {
  std::vector<NodeIndex> order = nodes;
  std::stable_sort(order.begin(), order.end(),
                   [&](NodeIndex a, NodeIndex b) { return co_owners.degree(a) > co_owners.degree(b); });
  Groups out;
  for (NodeIndex node : order) {
    const auto free = std::find_if(out.begin(), out.end(),
                                   [&](const auto& group) { return !co_owners.with_any(node, group); });
    if (free == out.end())
      out.push_back({node});
    else
      free->push_back(node);
  }
  return out;
}

RollingGroup described(const std::vector<NodeIndex>& group, const ReplicaSets& sets, const Level& level,
                       const ClusterMap& map) {
  NodeSet away(map.nodes().size());
  for (NodeIndex n : group) away.insert(n);
  std::vector<Share> cost(map.nodes().size());
  Share short_already;
  for (const auto& set : sets.sets) {
    const auto owners = sets.owners(set);
    const auto alive = static_cast<std::uint32_t>(
        std::count_if(owners.begin(), owners.end(), [&](NodeIndex n) { return !away.contains(n); }));
    const std::uint32_t needed = level.needed(owners.size());
    if (alive < needed) short_already += set.share;
    if (alive != needed) continue;
    for (NodeIndex n : owners)
      if (!away.contains(n)) cost[n] += set.share;
  }
  RollingGroup out;
  Share sum;
  std::uint64_t others = 0;
  for (NodeIndex n : sets.nodes) {
    const std::string& name = map.nodes()[n].name;
    if (away.contains(n)) {
      out.nodes.push_back(name);
      continue;
    }
    const Share share = cost[n] + short_already;
    ++others;
    sum += share;
    out.further.harmless += share.units == 0;
    if (share > out.further.worst_share ||
        (share == out.further.worst_share && share.units != 0 && name < out.further.worst)) {
      out.further.worst = name;
      out.further.worst_share = share;
    }
  }
  if (others) out.further.mean_share = sum.value() / static_cast<double>(others);
  std::sort(out.nodes.begin(), out.nodes.end());
  return out;
}

std::string rack_name(const Node& node) {
  return "rack " + rack_text(node);
}

}  // namespace

Rolling rolling(const Placement& placement, const Level& level) {
  const ClusterMap& map = placement.map();
  const ReplicaSets sets = replica_sets(placement);
  const CoOwners co_owners(sets, map.nodes().size());
  const Groups racks = racks_of(map, sets.nodes);
  const bool by_rack = racks.size() > 1 && std::all_of(racks.begin(), racks.end(), [&](const auto& rack) {
                         return may_restart_together(rack, co_owners);
                       });
  Groups groups = node_by_node(sets.nodes, co_owners);
  const bool racks_serve = by_rack && racks.size() <= groups.size();
  if (racks_serve) groups = racks;

  Rolling out;
  out.sampled = sets.sampled;
  for (const auto& set : sets.sets) out.least_groups = std::max<std::uint64_t>(out.least_groups, set.size);
  for (const auto& group : groups) {
    out.groups.push_back(described(group, sets, level, map));
    if (racks_serve && !map.nodes()[group[0]].rack.empty())
      out.groups.back().all_of = rack_name(map.nodes()[group[0]]);
  }
  std::sort(out.groups.begin(), out.groups.end(),
            [](const RollingGroup& a, const RollingGroup& b) { return a.nodes < b.nodes; });
  return out;
}

}  // namespace arcwise
