#include "arcwise/collapse.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "model/build.hpp"

namespace arcwise {
namespace {

using Why = CollapsedRange::Why;

/// Numbers of the groups at one level; empty where there is but one, so that nothing could stand apart.
std::vector<std::uint32_t> groups_at(const ClusterMap& map, Across level) {
  std::set<std::string> names;
  for (const Node& node : map.nodes()) names.insert(group_name(node, level));
  std::vector<std::uint32_t> out;
  if (names.size() < 2) return out;
  for (const Node& node : map.nodes())
    out.push_back(
        static_cast<std::uint32_t>(std::distance(names.begin(), names.find(group_name(node, level)))));
  return out;
}

class Judge {
 public:
  Judge(const Placement& placement, const NodeSet& down)
      : placement_(placement),
        down_(down),
        wanted_(placement.map().replicas().count),
        hosts_(groups_at(placement.map(), Across::host)) {
    const Across across = placement.map().replicas().across;
    if (across == Across::rack || across == Across::zone) groups_ = groups_at(placement.map(), across);
  }
  std::uint32_t wanted() const { return wanted_; }

  std::vector<NodeIndex> up(std::size_t region) const {
    std::array<NodeIndex, max_replicas> found;
    const std::size_t n = placement_.region_owners(region, {}, found);
    std::vector<NodeIndex> out;
    for (std::size_t i = 0; i < n; ++i)
      if (!down_.contains(found[i])) out.push_back(found[i]);
    return out;
  }
  std::optional<Why> collapsed(const std::vector<NodeIndex>& up) const {
    if (up.size() < wanted_) return Why::few;
    if (wanted_ > 1 && (alike(up, hosts_) || alike(up, groups_))) return Why::together;
    return std::nullopt;
  }
  bool any_up(Token at) const { return !up(placement_.region_at({at.value})).empty(); }
  std::optional<Why> collapsed(Token at) const { return collapsed(up(placement_.region_at({at.value}))); }

 private:
  static bool alike(const std::vector<NodeIndex>& up, const std::vector<std::uint32_t>& group) {
    return !group.empty() &&
           std::all_of(up.begin(), up.end(), [&](NodeIndex n) { return group[n] == group[up[0]]; });
  }

  const Placement& placement_;
  const NodeSet& down_;
  std::uint32_t wanted_;
  std::vector<std::uint32_t> hosts_, groups_;
};

NodeSet carried_over(const NodeSet& down, const ClusterMap& from, const ClusterMap& to) {
  NodeSet out(to.nodes().size());
  for (NodeIndex n = 0; n < from.nodes().size(); ++n)
    if (const auto there = to.find(from.nodes()[n].name); there && down.contains(n)) out.insert(*there);
  return out;
}

}  // namespace

Collapsed collapsed_ranges(const Placement& placement, const NodeSet& down) {
  const Judge judge(placement, down);
  Collapsed out{judge.wanted(), {}, {}};
  for (std::size_t i = 0; i < placement.region_count(); ++i) {
    auto up = judge.up(i);
    const auto why = judge.collapsed(up);
    if (!why) continue;
    const Region region = placement.region(i);
    const Share share = share_of(placement.map().domain(), region);
    out.share += share;
    CollapsedRange* last = out.ranges.empty() ? nullptr : &out.ranges.back();
    if (last && last->region.upto == region.after && last->why == *why && last->up == up) {
      last->region.upto = region.upto;
      last->share += share;
    } else {
      out.ranges.push_back({region, share, *why, std::move(up)});
    }
  }
  return out;
}

std::vector<std::size_t> contain_first(const Placement& before, const NodeSet& down,
                                       const std::vector<std::optional<ClusterMap>>& alone) {
  std::vector<std::pair<Share, std::size_t>> replaced;
  for (std::size_t i = 0; i < alone.size(); ++i)
    replaced.emplace_back(alone[i] ? replaced_share(before, compile(*alone[i], before), down) : Share{}, i);
  std::sort(replaced.begin(), replaced.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? b.first < a.first : a.second < b.second;
  });
  std::vector<std::size_t> out;
  for (const auto& [share, i] : replaced) out.push_back(i);
  return out;
}

Share replaced_share(const Placement& before, const Placement& after, const NodeSet& down) {
  Share out;
  if (!before.traits().enumerable || !after.traits().enumerable || !before.hashes_alike(after) ||
      before.map().space() != after.map().space())
    return out;
  const NodeSet still_down = carried_over(down, before.map(), after.map());
  const Judge was(before, down), is(after, still_down);
  std::set<Token> ends;
  for (const Placement* placement : {&before, &after})
    for (std::size_t i = 0; i < placement->region_count(); ++i) ends.insert(placement->region(i).upto);
  if (ends.empty()) return out;
  Token last = *ends.rbegin();
  for (const Token end : ends) {
    // Where nobody is up there is nothing to copy from.
    if (was.collapsed(end) && was.any_up(end) && !is.collapsed(end))
      out += share_of(before.map().domain(), {last, end});
    last = end;
  }
  return out;
}

}  // namespace arcwise
