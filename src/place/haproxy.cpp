#include "place/haproxy.hpp"

#include <numeric>
#include <set>
#include <string_view>

#include "hash/bytes.hpp"
#include "hash/haproxy.hpp"
#include "hash/xxh.hpp"
#include "place/ip_address.hpp"

namespace arcwise {
namespace {

constexpr std::uint32_t points_per_weight = 16;
constexpr std::uint32_t ids_apart = 4096;

using IdKey = std::uint32_t (*)(std::uint32_t id);

std::uint32_t spaced(std::uint32_t id) {
  return id * ids_apart;
}

// IPv4 in the byte order in which it travels, read as if it were the machine's own: 10.0.0.1 is 0x0100000a.
std::uint32_t address_key(const IpAddress& address, std::uint32_t seed) {
  if (address.size == 4) return full_hash(seed + bytes::load_le32(address.bytes.data()));
  return xxh32(address.view(), seed);
}

// Where the node has not what the setting asks for, its id stands in.
std::uint32_t server_key(const Node& node, std::uint32_t id, std::string_view hash_key, IdKey id_key) {
  if (hash_key == "id32") return full_hash(__builtin_bswap32(id));
  if (hash_key == "guid" && !node.label.empty()) return xxh32(node.label, 0);
  if (hash_key == "addr" || hash_key == "addr-port") {
    const auto endpoint = ip_endpoint(node.address.empty() ? node.name : node.address);
    if (endpoint)
      return address_key(endpoint->address, hash_key == "addr-port" ? full_hash(endpoint->port) : 0);
  }
  return id_key(id);
}

void consistent_points(const ClusterMap& map, IdKey id_key, std::vector<RingPoint>& out) {
  const std::vector<std::uint32_t> ids = haproxy_ids(map);
  const std::string_view hash_key = map.placement().text("hash_key");
  for (NodeIndex n : owning_nodes(map)) {
    const Node& node = map.nodes()[n];
    const std::uint32_t key = server_key(node, ids[n], hash_key, id_key);
    const std::uint32_t count = points_per_weight * static_cast<std::uint32_t>(node.weight);
    for (std::uint32_t i = 0; i < count; ++i) out.push_back({{full_hash(key + i)}, n});
  }
}

}  // namespace

std::vector<std::uint32_t> haproxy_ids(const ClusterMap& map) {
  std::set<std::uint32_t> taken;
  for (const Node& node : map.nodes())
    if (node.bucket) taken.insert(static_cast<std::uint32_t>(*node.bucket));
  std::vector<std::uint32_t> ids;
  std::uint32_t next = 1;
  for (const Node& node : map.nodes()) {
    if (node.bucket) {
      ids.push_back(static_cast<std::uint32_t>(*node.bucket));
    } else {
      while (taken.contains(next)) ++next;
      taken.insert(next);
      ids.push_back(next);
    }
    ++next;
  }
  return ids;
}

void haproxy_points(const ClusterMap& map, std::vector<RingPoint>& out) {
  consistent_points(map, spaced, out);
}

void haproxy_30_points(const ClusterMap& map, std::vector<RingPoint>& out) {
  consistent_points(map, full_hash, out);
}

// Every round adds each server's weight to its score and takes the first of those whose whole turns are most.
// Worked example: weights 3 and 1 give a, a, a, b; only in the fourth round has b, with a score of 4, two
// turns to a's one.
void haproxy_slots(const ClusterMap& map, std::vector<NodeIndex>& owner_of_slot) {
  const std::vector<NodeIndex> nodes = owning_nodes(map);
  std::uint64_t divisor = 0;
  for (NodeIndex n : nodes) divisor = std::gcd(divisor, static_cast<std::uint64_t>(map.nodes()[n].weight));
  std::vector<std::int64_t> weights, scores(nodes.size(), 0);
  for (NodeIndex n : nodes)
    weights.push_back(static_cast<std::int64_t>(map.nodes()[n].weight) / static_cast<std::int64_t>(divisor));
  const std::int64_t total = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  for (std::int64_t slot = 0; slot < total; ++slot) {
    std::int64_t most = 0;
    std::size_t best = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      scores[i] += weights[i];
      const std::int64_t turns = (scores[i] + total) / total;
      if (weights[i] > 0 && turns > most) {
        most = turns;
        best = i;
      }
    }
    scores[best] -= total;
    owner_of_slot.push_back(nodes[best]);
  }
}

}  // namespace arcwise
