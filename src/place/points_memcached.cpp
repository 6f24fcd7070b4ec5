// Rings of libketama, libmemcached, twemproxy and memcached's own proxy.
#include <array>

#include "place/ketama.hpp"
#include "place/key_position.hpp"
#include "place/lists_memcached.hpp"
#include "place/points_text.hpp"

namespace arcwise {
namespace {

using DigestCount = std::uint32_t (*)(std::uint64_t weight, std::uint64_t total, std::uint64_t servers);

// Points by share: each node's digests depend on the whole list, so any change can move points of others.
void shared_points(const ClusterMap& map, const std::vector<NodeIndex>& order, std::uint64_t least_weight,
                   DigestCount count, std::vector<RingPoint>& out) {
  const auto weight = [&](NodeIndex n) {
    return std::max(least_weight, static_cast<std::uint64_t>(map.nodes()[n].weight));
  };
  std::uint64_t total = 0;
  for (NodeIndex n : order) total += weight(n);
  for (NodeIndex n : order) md5_points(map.nodes()[n].label, count(weight(n), total, order.size()), n, out);
}

void libketama_points(const ClusterMap& map, std::vector<RingPoint>& out) {
  shared_points(map, owning_nodes(map), 0, libketama_digests, out);
}

// A weight of 0 becomes 1.
void libmemcached_points(const ClusterMap& map, std::vector<RingPoint>& out) {
  shared_points(map, libmemcached_order(map), 1, ketama_digests, out);
}

void twemproxy_points(const ClusterMap& map, std::vector<RingPoint>& out) {
  shared_points(map, twemproxy_order(map), 0, ketama_digests, out);
}

void spymemcached_weighted_points(const ClusterMap& map, std::vector<RingPoint>& out) {
  shared_points(map, owning_nodes(map), 0, ketama_digests, out);
}

// The weighted flag is off: 100 points a server, each the hash of its text by the key hash that was set when
// the ring was built.
void libmemcached_plain_points(const ClusterMap& map, std::vector<RingPoint>& out) {
  const PlacementSettings& placement = map.placement();
  const KeyHashId hash = find_key_hash(placement.text("point_hash")).value_or(placement.hash);
  for (NodeIndex n : libmemcached_order(map))
    hash_points(hash, byte_sign(placement), map.nodes()[n].label, 100, n, out);
}

// No weights: obuckets / 4 digests for everybody.
void memcached_proxy_points(const ClusterMap& map, std::vector<RingPoint>& out) {
  for (NodeIndex n : owning_nodes(map)) md5_points(map.nodes()[n].label, 40, n, out);
}

constexpr Traits shared_out{.enumerable = true, .weighted = true};
constexpr Traits fixed_count{.enumerable = true,
                             .monotone_add = true,
                             .monotone_remove = true,
                             .any_order_removal = true,
                             .mask_is_removal = true};

constexpr Traits sorted_first() {
  Traits t = shared_out;
  t.order_free = true;
  return t;
}

constexpr std::array<Method, 6> methods{{
    {.name = "ketama-libketama", .traits = shared_out, .ring = libketama_points},
    {.name = "ketama-libmemcached", .traits = shared_out, .ring = libmemcached_points},
    {.name = "ketama-twemproxy", .traits = sorted_first(), .ring = twemproxy_points},
    {.name = "ketama-spymemcached-weighted", .traits = shared_out, .ring = spymemcached_weighted_points},
    {.name = "hundred-libmemcached", .traits = fixed_count, .ring = libmemcached_plain_points},
    {.name = "ketama-memcached-proxy", .traits = fixed_count, .ring = memcached_proxy_points},
}};

}  // namespace

std::span<const Method> memcached_methods() {
  return methods;
}

}  // namespace arcwise
