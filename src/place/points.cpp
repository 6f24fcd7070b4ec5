#include "place/points.hpp"

#include <algorithm>

#include "place/ketama.hpp"

namespace arcwise {
namespace {

// The label is NAME:INDEX. The index is digits only and follows the last colon, so no two (name, index) pairs
// make the same label: "a:1" with index 2 is "a:1:2", and "a" would need the index "1:2".
void hashed_name_points(const ClusterMap& map, std::vector<RingPoint>& out) {
  const unsigned drop = 64u - map.space().bits;
  std::string label;
  for (std::size_t n = 0; n < map.nodes().size(); ++n) {
    const Node& node = map.nodes()[n];
    if (node.state == NodeState::joining) continue;
    const std::uint64_t count = token_count(node.weight, map.placement().tokens);
    label = node.label + ':';
    const std::size_t stem = label.size();
    for (std::uint64_t i = 0; i < count; ++i) {
      label.resize(stem);
      label += std::to_string(i);
      out.push_back({{key_hash(KeyHashId::xxh3, label) >> drop}, static_cast<NodeIndex>(n)});
    }
  }
}

void given_points(const ClusterMap& map, std::vector<RingPoint>& out) {
  for (std::size_t n = 0; n < map.nodes().size(); ++n)
    if (map.nodes()[n].state != NodeState::joining)
      for (Token t : map.nodes()[n].tokens) out.push_back({t, static_cast<NodeIndex>(n)});
}

void list_index_points(const ClusterMap& map, std::vector<RingPoint>& out) {
  for (std::size_t n = 0; n < map.nodes().size(); ++n) {
    const Node& node = map.nodes()[n];
    if (node.state == NodeState::joining) continue;
    for (std::uint64_t i = token_count(node.weight, 1); i > 0; --i)
      out.push_back({{out.size()}, static_cast<NodeIndex>(n)});
  }
}

}  // namespace

std::vector<RingPoint> ring_points(const ClusterMap& map) {
  std::vector<RingPoint> points;
  const PlacementSettings& placement = map.placement();
  switch (placement.given ? PointRule::given : placement.recipe->points) {
    case PointRule::hashed_name:
      hashed_name_points(map, points);
      break;
    case PointRule::given:
      given_points(map, points);
      break;
    case PointRule::ketama_weighted:
      ketama_weighted_points(map, points);
      break;
    case PointRule::list_index:
      list_index_points(map, points);
      break;
    case PointRule::table:
      break;
  }
  const bool by_name = placement.recipe->ties == TieRule::by_name;
  std::stable_sort(points.begin(), points.end(), [&](const RingPoint& a, const RingPoint& b) {
    if (a.token != b.token) return a.token < b.token;
    return by_name && a.node != b.node && map.nodes()[a.node].name < map.nodes()[b.node].name;
  });
  return points;
}

}  // namespace arcwise
