#include "place/ketama.hpp"

#include <algorithm>
#include <cmath>

#include "hash/md5.hpp"

namespace arcwise {

std::uint32_t ketama_digests(std::uint32_t weight, std::uint32_t total_weight, std::uint32_t servers) {
  const float share = static_cast<float>(weight) / static_cast<float>(total_weight);
  const float digests = share * 160.0F / 4.0F * static_cast<float>(servers);
  return static_cast<std::uint32_t>(std::floor(static_cast<float>(static_cast<double>(digests) + 1e-10)));
}

void ketama_weighted_points(const ClusterMap& map, std::vector<RingPoint>& out) {
  std::vector<NodeIndex> order;
  std::uint32_t total = 0;
  for (std::size_t n = 0; n < map.nodes().size(); ++n) {
    if (map.nodes()[n].state == NodeState::joining) continue;
    order.push_back(static_cast<NodeIndex>(n));
    total += static_cast<std::uint32_t>(map.nodes()[n].weight);
  }
  std::stable_sort(order.begin(), order.end(), [&](NodeIndex a, NodeIndex b) {
    const std::string& x = map.nodes()[a].label;
    const std::string& y = map.nodes()[b].label;
    return x.size() != y.size() ? x.size() < y.size() : x < y;
  });
  for (NodeIndex n : order) {
    const Node& node = map.nodes()[n];
    const std::uint32_t digests = ketama_digests(static_cast<std::uint32_t>(node.weight), total,
                                                 static_cast<std::uint32_t>(order.size()));
    for (std::uint32_t k = 0; k < digests; ++k) {
      const auto digest = md5(node.label + '-' + std::to_string(k));
      for (std::size_t word = 0; word < 4; ++word) {
        const std::uint8_t* b = digest.data() + 4 * word;
        const std::uint32_t point = std::uint32_t{b[0]} | std::uint32_t{b[1]} << 8 |
                                    std::uint32_t{b[2]} << 16 | std::uint32_t{b[3]} << 24;
        out.push_back({{point}, n});
      }
    }
  }
}

}  // namespace arcwise
