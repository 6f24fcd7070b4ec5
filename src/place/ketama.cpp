#include "place/ketama.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "hash/md5.hpp"

namespace arcwise {

std::uint32_t ketama_digests(std::uint32_t weight, std::uint32_t total_weight, std::uint32_t servers) {
  const float share = static_cast<float>(weight) / static_cast<float>(total_weight);
  const float digests = share * 160.0F / 4.0F * static_cast<float>(servers);
  return static_cast<std::uint32_t>(std::floor(static_cast<float>(static_cast<double>(digests) + 1e-10)));
}

namespace {

// twemproxy keeps its servers sorted by label: shorter first, then bytewise.
std::vector<NodeIndex> by_label_length(const ClusterMap& map) {
  std::vector<NodeIndex> order = owning_nodes(map);
  std::stable_sort(order.begin(), order.end(), [&](NodeIndex a, NodeIndex b) {
    const std::string& x = map.nodes()[a].label;
    const std::string& y = map.nodes()[b].label;
    return x.size() != y.size() ? x.size() < y.size() : x < y;
  });
  return order;
}

// Four points a digest: its 32-bit words, least significant byte first.
void md5_points(const std::string& text, NodeIndex n, std::vector<RingPoint>& out) {
  const auto digest = md5(text);
  for (std::size_t word = 0; word < 4; ++word) {
    const std::uint8_t* b = digest.data() + 4 * word;
    const std::uint32_t point = std::uint32_t{b[0]} | std::uint32_t{b[1]} << 8 | std::uint32_t{b[2]} << 16 |
                                std::uint32_t{b[3]} << 24;
    out.push_back({{point}, n});
  }
}

void twemproxy_points(const ClusterMap& map, std::vector<RingPoint>& out) {
  const std::vector<NodeIndex> order = by_label_length(map);
  std::uint32_t total = 0;
  for (NodeIndex n : order) total += static_cast<std::uint32_t>(map.nodes()[n].weight);
  for (NodeIndex n : order) {
    const Node& node = map.nodes()[n];
    const std::uint32_t digests = ketama_digests(static_cast<std::uint32_t>(node.weight), total,
                                                 static_cast<std::uint32_t>(order.size()));
    for (std::uint32_t k = 0; k < digests; ++k) md5_points(node.label + '-' + std::to_string(k), n, out);
  }
}

// Counts depend on the total weight, so a change of one node moves points of the others: nothing is monotone.
constexpr Traits ketama_traits{.enumerable = true, .weighted = true, .order_free = true};

constexpr std::array<Method, 1> methods{{
    {.name = "ketama-twemproxy", .traits = ketama_traits, .ring = twemproxy_points},
}};

}  // namespace

std::span<const Method> ketama_methods() {
  return methods;
}

}  // namespace arcwise
