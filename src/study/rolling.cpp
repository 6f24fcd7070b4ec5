// Groups for a rolling restart: a colouring of the graph in which two nodes are joined when they share a
// range; nodes whose restart alone leaves a range short stand by themselves.
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

// Of nodes that share no range at most so many.
Groups node_by_node(const std::vector<NodeIndex>& nodes, const CoOwners& co_owners, std::uint64_t most) {
  std::vector<NodeIndex> order = nodes;
  std::stable_sort(order.begin(), order.end(),
                   [&](NodeIndex a, NodeIndex b) { return co_owners.degree(a) > co_owners.degree(b); });
  Groups out;
  for (NodeIndex node : order) {
    const auto free = std::find_if(out.begin(), out.end(), [&](const auto& group) {
      return group.size() < most && !co_owners.with_any(node, group);
    });
    if (free == out.end())
      out.push_back({node});
    else
      free->push_back(node);
  }
  return out;
}

// Nodes whose restart alone leaves some range short, or without anybody. Worked example, majority of three:
// with one owner down a range has two, just enough, and neither may go beside others.
NodeSet costly_alone(const ReplicaSets& sets, const Level& level, const NodeSet& down, std::size_t nodes) {
  NodeSet out(nodes);
  for (const auto& set : sets.sets) {
    const auto owners = sets.owners(set);
    const auto alive = static_cast<std::uint32_t>(
        std::count_if(owners.begin(), owners.end(), [&](NodeIndex n) { return !down.contains(n); }));
    if (alive != level.needed(owners.size()) && alive != 1) continue;
    for (NodeIndex n : owners)
      if (!down.contains(n)) out.insert(n);
  }
  return out;
}

// First owners, by node what they serve.
struct Masters {
  std::vector<Share> serves;
  std::uint64_t all = 0, may_restart = 0;
};

Masters masters_of(const Placement& placement, const NodeSet& down) {
  Masters out;
  out.serves.resize(placement.map().nodes().size());
  std::vector<NodeIndex> owners(placement.max_owners());
  for (std::size_t i = 0; i < placement.region_count(); ++i)
    if (placement.region_owners(i, {}, owners))
      out.serves[owners[0]] += share_of(placement.map().domain(), placement.region(i));
  std::uint64_t away = 0;
  for (NodeIndex n = 0; n < out.serves.size(); ++n) {
    if (out.serves[n].units == 0) continue;
    ++out.all;
    away += down.contains(n);
  }
  const std::uint64_t majority = out.all / 2 + 1;
  if (out.all >= majority + away) out.may_restart = out.all - majority - away;
  return out;
}

// One more node down, at its worst and on average.
void add_further(RollingGroup& out, const std::vector<Share>& cost, Share short_already,
                 const ReplicaSets& sets, const NodeSet& away, const ClusterMap& map) {
  Share sum;
  for (NodeIndex n : sets.nodes) {
    if (away.contains(n)) continue;
    const std::string& name = map.nodes()[n].name;
    const Share share = cost[n] + short_already;
    ++out.further.of;
    sum += share;
    out.further.harmless += share.units == 0;
    if (share > out.further.worst_share ||
        (share == out.further.worst_share && share.units != 0 && name < out.further.worst)) {
      out.further.worst = name;
      out.further.worst_share = share;
    }
  }
  if (out.further.of) out.further.mean_share = sum.value() / static_cast<double>(out.further.of);
}

RollingGroup described(const std::vector<NodeIndex>& group, const ReplicaSets& sets, const Level& level,
                       const NodeSet& down, const ClusterMap& map) {
  NodeSet away = down;
  RollingGroup out;
  for (NodeIndex n : group) {
    away.insert(n);
    out.nodes.push_back(map.nodes()[n].name);
  }
  std::sort(out.nodes.begin(), out.nodes.end());
  std::vector<Share> cost(map.nodes().size());
  Share short_already;
  for (const auto& set : sets.sets) {
    const auto owners = sets.owners(set);
    std::uint32_t alive = 0, alive_now = 0;
    for (NodeIndex n : owners) {
      alive += !away.contains(n);
      alive_now += !down.contains(n);
    }
    const std::uint32_t needed = level.needed(owners.size());
    if (alive < needed) short_already += set.share;
    if (alive < needed && alive_now >= needed) out.below_level += set.share;
    if (alive == 0 && alive_now > 0) out.lost += set.share;
    if (alive != needed) continue;
    for (NodeIndex n : owners)
      if (!away.contains(n)) cost[n] += set.share;
  }
  add_further(out, cost, short_already, sets, away, map);
  return out;
}

std::string rack_name(const Node& node) {
  return "rack " + rack_text(node);
}

// Whoever is not a master first: a master that has restarted is a replica, and one of its replicas a master.
Groups replicas_first(const std::vector<NodeIndex>& nodes, const Masters& masters, const CoOwners& co_owners,
                      std::vector<NodeIndex>& alone) {
  std::vector<NodeIndex> first, then;
  for (NodeIndex n : nodes) (masters.serves[n].units ? then : first).push_back(n);
  Groups out = node_by_node(first, co_owners, nodes.size());
  if (masters.may_restart == 0) {
    alone.insert(alone.end(), then.begin(), then.end());
    return out;
  }
  for (auto& group : node_by_node(then, co_owners, masters.may_restart)) out.push_back(std::move(group));
  return out;
}

// Racks where all of them may go as a whole and they are no more than other groups.
bool racks_serve(const Groups& racks, const Groups& groups, const CoOwners& co_owners) {
  return racks.size() > 1 && racks.size() <= groups.size() &&
         std::all_of(racks.begin(), racks.end(),
                     [&](const auto& rack) { return may_restart_together(rack, co_owners); });
}

void count_masters(RollingGroup& out, const std::vector<NodeIndex>& group, const Masters& masters) {
  Share serves;
  for (NodeIndex n : group) {
    out.masters += masters.serves[n].units != 0;
    serves += masters.serves[n];
  }
  if (out.masters > masters.may_restart && serves > out.below_level) out.below_level = serves;
}

void describe_down(Rolling& out, const ReplicaSets& sets, const Level& level, const NodeSet& down,
                   const ClusterMap& map) {
  for (NodeIndex n = 0; n < map.nodes().size(); ++n)
    if (down.contains(n)) out.down.push_back(map.nodes()[n].name);
  std::sort(out.down.begin(), out.down.end());
  for (const auto& set : sets.sets) {
    const auto owners = sets.owners(set);
    out.least_groups = std::max<std::uint64_t>(out.least_groups, set.size);
    if (std::count_if(owners.begin(), owners.end(), [&](NodeIndex n) { return !down.contains(n); }) <
        static_cast<std::ptrdiff_t>(level.needed(owners.size())))
      out.below_now += set.share;
  }
}

}  // namespace

Rolling rolling(const Placement& placement, const Level& level, const NodeSet& down_now) {
  const ClusterMap& map = placement.map();
  NodeSet down(map.nodes().size());
  for (NodeIndex n = 0; n < map.nodes().size(); ++n)
    if (down_now.contains(n)) down.insert(n);
  const ReplicaSets sets = replica_sets(placement);
  const CoOwners co_owners(sets, map.nodes().size());
  const NodeSet costly = costly_alone(sets, level, down, map.nodes().size());
  std::vector<NodeIndex> together, alone;
  for (NodeIndex n : sets.nodes)
    if (!down.contains(n)) (costly.contains(n) ? alone : together).push_back(n);

  Rolling out;
  out.sampled = sets.sampled;
  describe_down(out, sets, level, down, map);
  const bool promotes = map.placement().recipe->promotes && placement.traits().enumerable;
  const Masters masters = promotes ? masters_of(placement, down) : Masters{};
  Groups groups = promotes ? replicas_first(together, masters, co_owners, alone)
                           : node_by_node(together, co_owners, together.size());
  const Groups racks = racks_of(map, together);
  const bool by_rack = !promotes && racks_serve(racks, groups, co_owners);
  if (by_rack) groups = racks;
  const bool whole_racks = by_rack && alone.empty() && down.empty();
  for (NodeIndex n : alone) groups.push_back({n});
  for (const auto& group : groups) {
    out.groups.push_back(described(group, sets, level, down, map));
    if (promotes) count_masters(out.groups.back(), group, masters);
    if (whole_racks && !map.nodes()[group[0]].rack.empty())
      out.groups.back().all_of = rack_name(map.nodes()[group[0]]);
  }
  if (promotes) out.masters = Rolling::Masters{masters.all, masters.may_restart};
  std::sort(out.groups.begin(), out.groups.end(), [](const RollingGroup& a, const RollingGroup& b) {
    const bool x = a.masters > 0, y = b.masters > 0;
    return x != y ? y : a.nodes < b.nodes;
  });
  return out;
}

}  // namespace arcwise
