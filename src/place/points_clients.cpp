// Rings of client libraries: spymemcached, xmemcached, uhashring, npm hashring, dalli.
#include <algorithm>
#include <array>

#include "hash/sha1.hpp"
#include "place/ketama.hpp"
#include "place/points_text.hpp"

namespace arcwise {
namespace {

// 160 points for each unit of weight: 40 digests with the ketama hash, single hashes with any other.
void java_points(const ClusterMap& map, NodeIndex n, std::uint64_t units, std::vector<RingPoint>& out) {
  const KeyHashId hash = map.placement().hash;
  if (hash == KeyHashId::md5_ketama)
    md5_points(map.nodes()[n].label, 40 * units, n, out);
  else
    hash_points(hash, ByteSign::as_unsigned, map.nodes()[n].label, 160 * units, n, out);
}

void spymemcached_points(const ClusterMap& map, std::vector<RingPoint>& out) {
  for (NodeIndex n : owning_nodes(map)) java_points(map, n, 1, out);
}

// Servers that share a point are kept in a list sorted by their text, and the point's value modulo the list's
// length says which of them answers: of two at the odd point 497387493, the second.
void xmemcached_points(const ClusterMap& map, std::vector<RingPoint>& out) {
  for (NodeIndex n : owning_nodes(map))
    java_points(map, n, static_cast<std::uint64_t>(map.nodes()[n].weight), out);
  std::sort(out.begin(), out.end(), [&](const RingPoint& a, const RingPoint& b) {
    if (a.token != b.token) return a.token < b.token;
    const std::string& x = map.nodes()[a.node].label;
    const std::string& y = map.nodes()[b.node].label;
    return x != y ? x < y : a.node < b.node;
  });
  for (auto from = out.begin(); from != out.end();) {
    const auto to = std::find_if(from, out.end(), [&](const RingPoint& p) { return p.token != from->token; });
    const auto winner = static_cast<std::ptrdiff_t>(from->token.value % static_cast<u128>(to - from));
    std::rotate(from, from + winner, to);
    from = to;
  }
}

// Whole numbers: vnodes × servers × weight / total, rounded down once.
void uhashring_ketama_points(const ClusterMap& map, std::vector<RingPoint>& out) {
  const std::vector<NodeIndex> nodes = owning_nodes(map);
  std::uint64_t total = 0;
  for (NodeIndex n : nodes) total += static_cast<std::uint64_t>(map.nodes()[n].weight);
  if (total == 0) return;
  for (NodeIndex n : nodes) {
    const u128 product =
        u128{map.placement().tokens} * nodes.size() * static_cast<std::uint64_t>(map.nodes()[n].weight);
    md5_points(map.nodes()[n].label, static_cast<std::uint64_t>(product / total), n, out);
  }
}

// The whole MD5 digest as one number of 128 bits.
void uhashring_points(const ClusterMap& map, std::vector<RingPoint>& out) {
  for (NodeIndex n : owning_nodes(map)) {
    const Node& node = map.nodes()[n];
    NumberedText text(node.label);
    const std::uint64_t count = map.placement().tokens * static_cast<std::uint64_t>(node.weight);
    for (std::uint64_t k = 0; k < count; ++k)
      out.push_back({{wide_key_hash(KeyHashId::md5_128, text.at(k))}, n});
  }
}

// A weight of 0 is read as 1. A server with vnodes of its own (`bucket`) has that many digests whatever its
// weight, unless the number is the common one.
void hashring_points(const ClusterMap& map, std::vector<RingPoint>& out) {
  const PlacementSettings& placement = map.placement();
  const std::vector<NodeIndex> nodes = owning_nodes(map);
  const auto weight = [&](NodeIndex n) { return map.nodes()[n].weight == 0 ? 1 : map.nodes()[n].weight; };
  double total = 0;
  for (NodeIndex n : nodes) total += weight(n);
  const auto words = static_cast<std::size_t>(placement.integer("replicas"));
  for (NodeIndex n : nodes) {
    const std::uint64_t own = map.nodes()[n].bucket.value_or(0);
    const std::uint64_t digests = own && own != placement.tokens
                                      ? own
                                      : hashring_digests(weight(n), total, placement.tokens, nodes.size());
    NumberedText text(map.nodes()[n].label);
    for (std::uint64_t k = 0; k < digests; ++k) {
      if (placement.hash == KeyHashId::sha1_le32)
        word_points(sha1(text.at(k)), words, n, out);
      else
        word_points(md5(text.at(k)), words, n, out);
    }
  }
}

// NAME:INDEX; the count is floor(servers × 160 × weight / total) in exact arithmetic.
void dalli_points(const ClusterMap& map, std::vector<RingPoint>& out) {
  const std::vector<NodeIndex> nodes = owning_nodes(map);
  std::uint64_t total = 0;
  for (NodeIndex n : nodes) total += static_cast<std::uint64_t>(map.nodes()[n].weight);
  if (total == 0) return;
  for (NodeIndex n : nodes) {
    const u128 product = u128{160} * nodes.size() * static_cast<std::uint64_t>(map.nodes()[n].weight);
    NumberedText text(map.nodes()[n].label, ':');
    for (std::uint64_t k = 0; k < product / total; ++k)
      out.push_back({{key_hash(KeyHashId::sha1_be32, text.at(k))}, n});
  }
}

constexpr Traits shared_out{.enumerable = true, .weighted = true};
constexpr Traits pure{.enumerable = true,
                      .monotone_add = true,
                      .monotone_remove = true,
                      .any_order_removal = true,
                      .weighted = true,
                      .order_free = true,
                      .mask_is_removal = true};

constexpr Traits unweighted_in_list_order() {
  Traits t = pure;
  t.weighted = t.order_free = false;
  return t;
}

constexpr std::array<Method, 6> methods{{
    {.name = "ketama-spymemcached", .traits = unweighted_in_list_order(), .ring = spymemcached_points},
    {.name = "ketama-xmemcached", .traits = pure, .ring = xmemcached_points},
    {.name = "ketama-uhashring", .traits = shared_out, .ring = uhashring_ketama_points},
    {.name = "ring-uhashring", .traits = pure, .ring = uhashring_points},
    {.name = "ketama-hashring", .traits = shared_out, .ring = hashring_points},
    {.name = "ring-dalli", .traits = shared_out, .ring = dalli_points},
}};

}  // namespace

std::span<const Method> client_methods() {
  return methods;
}

}  // namespace arcwise
