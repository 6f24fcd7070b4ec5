#include "place/envoy.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "hash/xxh.hpp"
#include "place/points_text.hpp"

namespace arcwise {
namespace {

// weight * zone's share / sum of weights, in this order of double arithmetic.
void add_hosts(const ClusterMap& map, const std::vector<NodeIndex>& nodes, double zone_share,
               std::vector<EnvoyHost>& out) {
  std::uint64_t sum = 0;
  for (NodeIndex n : nodes) sum += static_cast<std::uint64_t>(map.nodes()[n].weight);
  for (NodeIndex n : nodes) out.push_back({n, map.nodes()[n].weight * zone_share / static_cast<double>(sum)});
}

double smallest(const std::vector<EnvoyHost>& hosts) {
  return std::min_element(hosts.begin(), hosts.end(),
                          [](const EnvoyHost& a, const EnvoyHost& b) { return a.share < b.share; })
      ->share;
}

double largest(const std::vector<EnvoyHost>& hosts) {
  return std::max_element(hosts.begin(), hosts.end(),
                          [](const EnvoyHost& a, const EnvoyHost& b) { return a.share < b.share; })
      ->share;
}

}  // namespace

std::vector<EnvoyHost> envoy_hosts(const ClusterMap& map) {
  std::vector<EnvoyHost> out;
  const auto weights = map.placement().shares("locality_weights");
  if (weights.empty()) {
    add_hosts(map, owning_nodes(map), 1, out);
    return out;
  }
  std::map<std::string, std::vector<NodeIndex>> zones;
  for (NodeIndex n : owning_nodes(map)) zones[map.nodes()[n].zone].push_back(n);
  const auto weight = [&](const std::string& zone) {
    for (const auto& [name, number] : weights)
      if (name == zone) return number;
    return std::uint64_t{0};
  };
  std::uint64_t sum = 0;
  for (const auto& [zone, nodes] : zones) sum += weight(zone);
  for (const auto& [zone, nodes] : zones)
    if (weight(zone) > 0)
      add_hosts(map, nodes, static_cast<double>(weight(zone)) / static_cast<double>(sum), out);
  return out;
}

// What is left of a fraction is carried to the next host, so that where shares are not whole numbers of
// points the order of the hosts decides who gets the odd one. Worked example: 3 points for two equal hosts
// are scaled to 4, two each; a largest size of 3 gives the first two and the second one.
void envoy_points(const ClusterMap& map, std::vector<RingPoint>& out) {
  const PlacementSettings& placement = map.placement();
  const KeyHashId hash =
      placement.text("hash_function") == "MURMUR_HASH_2" ? KeyHashId::murmur2_64_envoy : KeyHashId::xxh64;
  const std::vector<EnvoyHost> hosts = envoy_hosts(map);
  const double least = smallest(hosts);
  const double scale =
      std::min(std::ceil(least * static_cast<double>(placement.integer("minimum_ring_size"))) / least,
               static_cast<double>(placement.integer("maximum_ring_size")));
  double made = 0, wanted = 0;
  for (const EnvoyHost& host : hosts) {
    NumberedText text(map.nodes()[host.node].label, '_');
    wanted += scale * host.share;
    for (std::uint64_t i = 0; made < wanted; ++i, ++made)
      out.push_back({{key_hash(hash, text.at(i))}, host.node});
  }
}

void envoy_maglev_slots(const ClusterMap& map, std::vector<NodeIndex>& owner_of_slot) {
  struct Row {
    NodeIndex node;
    double share, target;
    std::uint64_t next, skip;
  };
  const auto size = static_cast<std::uint64_t>(map.space().last) + 1;
  std::vector<EnvoyHost> hosts = envoy_hosts(map);
  std::stable_sort(hosts.begin(), hosts.end(), [&](const EnvoyHost& a, const EnvoyHost& b) {
    return map.nodes()[a.node].label < map.nodes()[b.node].label;
  });
  const double most = largest(hosts);
  std::vector<Row> rows;
  for (const EnvoyHost& host : hosts) {
    const std::string& label = map.nodes()[host.node].label;
    rows.push_back({host.node, host.share, 0, xxh64(label, 0) % size, xxh64(label, 1) % (size - 1) + 1});
  }
  owner_of_slot.assign(size, no_node);
  std::uint64_t filled = 0;
  for (double round = 1; filled < size; ++round) {
    for (Row& row : rows) {
      if (filled == size) break;
      if (round * row.share < row.target) continue;
      row.target += most;
      while (owner_of_slot[row.next] != no_node) row.next = (row.next + row.skip) % size;
      owner_of_slot[row.next] = row.node;
      ++filled;
    }
  }
}

}  // namespace arcwise
