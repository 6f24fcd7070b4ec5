#include "place/ring_change.hpp"

#include <algorithm>
#include <map>

namespace arcwise {
namespace {

bool same_rule(const PlacementSettings& a, const PlacementSettings& b) {
  return a.recipe == b.recipe && a.hash == b.hash && a.tokens == b.tokens && a.given == b.given &&
         a.settings == b.settings;
}

bool same_points(const Node& a, const Node& b, bool given) {
  return a.name == b.name && a.label == b.label &&
         (a.state == NodeState::joining) == (b.state == NodeState::joining) &&
         (given ? a.tokens == b.tokens : a.weight == b.weight);
}

}  // namespace

std::optional<RingChange> ring_change(const ClusterMap& before, const ClusterMap& after,
                                      const Method& method) {
  const PlacementSettings& placement = after.placement();
  if (!method.node_points || placement.recipe->ties != TieRule::by_name ||
      placement.recipe->lookup != LookupRule::at_or_after || !same_rule(before.placement(), placement))
    return std::nullopt;
  const std::vector<Node>& old = before.nodes();
  const std::vector<Node>& now = after.nodes();
  const auto same = [&](std::size_t i, std::size_t k) {
    return same_points(old[i], now[k], placement.given);
  };

  // Most often one node has been added at the end: the common beginning needs no search by name.
  std::size_t common = 0;
  while (common < old.size() && common < now.size() && same(common, common)) ++common;
  RingChange change{{}, false, {}, after};
  std::vector<bool> kept(now.size(), false);
  std::fill_n(kept.begin(), common, true);
  if (common < old.size()) {
    std::map<std::string_view, std::size_t> by_name;
    for (std::size_t k = common; k < now.size(); ++k) by_name.emplace(now[k].name, k);
    change.renumbered.assign(old.size(), no_node);
    for (std::size_t i = 0; i < common; ++i) change.renumbered[i] = static_cast<NodeIndex>(i);
    for (std::size_t i = common; i < old.size(); ++i) {
      const auto at = by_name.find(old[i].name);
      if (at == by_name.end() || !same(i, at->second)) {
        change.loses = true;
        continue;
      }
      change.renumbered[i] = static_cast<NodeIndex>(at->second);
      kept[at->second] = true;
    }
  }
  for (std::size_t k = common; k < now.size(); ++k)
    if (!kept[k] && now[k].state != NodeState::joining)
      method.node_points(after, static_cast<NodeIndex>(k), change.gained);
  std::sort(change.gained.begin(), change.gained.end(), [&](const RingPoint& a, const RingPoint& b) {
    return a.token != b.token ? a.token < b.token : now[a.node].name < now[b.node].name;
  });
  return change;
}

}  // namespace arcwise
