#include "place/scheme.hpp"

#include <algorithm>
#include <array>

#include "hash/bytes.hpp"
#include "hash/crc.hpp"
#include "hash/haproxy.hpp"
#include "hash/md5.hpp"
#include "hash/sha1.hpp"
#include "place/haproxy.hpp"
#include "place/ip_address.hpp"
#include "place/key_position.hpp"
#include "place/lists_memcached.hpp"
#include "place/nginx.hpp"
#include "place/points_text.hpp"

namespace arcwise {
namespace {

constexpr std::uint64_t most_digests = 8192;

Identity label(const ClusterMap& map, NodeIndex n) {
  return {"text", map.nodes()[n].label};
}

// nginx hashes a zero byte between host and port.
Identity nginx_identity(const ClusterMap& map, NodeIndex n) {
  const NginxServer server = nginx_server(map.nodes()[n].label);
  return {"text", std::string(server.host) + '\0' + std::string(server.port)};
}

// As server_key() chooses: what the setting asks for, else the number.
Identity haproxy_identity(const ClusterMap& map, NodeIndex n) {
  const Node& node = map.nodes()[n];
  const std::string_view wanted = map.placement().text("hash_key");
  if (wanted == "guid" && !node.label.empty()) return {"text", node.label};
  if (wanted == "addr" || wanted == "addr-port")
    if (const auto at = ip_endpoint(node.address.empty() ? node.name : node.address))
      return {"address",
              std::string(at->address.view()) + (wanted == "addr" ? "" : ":" + std::to_string(at->port))};
  return {"number", std::to_string(haproxy_ids(map)[n])};
}

Identity buckets(const ClusterMap& map, NodeIndex n) {
  std::string numbers;
  for (std::uint32_t bucket : map.nodes()[n].buckets)
    numbers += (numbers.empty() ? "" : ", ") + std::to_string(bucket);
  return {"buckets", numbers};
}

template <char separator>
std::string numbered(const ClusterMap& map, NodeIndex n, std::uint64_t i) {
  return map.nodes()[n].label + separator + std::to_string(i);
}

std::string nginx_point(const ClusterMap& map, NodeIndex n, std::uint64_t i) {
  const std::string base = nginx_identity(map, n).bytes;
  std::uint32_t point = 0;
  std::string previous(4, '\0');
  for (std::uint64_t k = 0; k < i; ++k) {
    point = crc32(previous, crc32(base));
    bytes::store_le32(previous.data(), point);
  }
  return base + previous;
}

std::string pymemcache_score(const ClusterMap& map, NodeIndex n, std::uint64_t) {
  return map.nodes()[n].label + "-KEY";
}

PointHash own_hash(const ClusterMap&) {
  return {"xxh3", KeyHashId::xxh3};
}
PointHash md5_words(const ClusterMap&) {
  return {"MD5", KeyHashId::md5_ketama, 4};
}
PointHash key_hash_once(const ClusterMap& map) {
  const PlacementSettings& placement = map.placement();
  const KeyHashId id = find_key_hash(placement.text("point_hash")).value_or(placement.hash);
  return {info(id).name, id, 1, byte_sign(placement)};
}
PointHash java_hash(const ClusterMap& map) {
  const KeyHashId id = map.placement().hash;
  if (id == KeyHashId::md5_ketama) return md5_words(map);
  return {info(id).name, id, 1, ByteSign::as_unsigned};
}
PointHash hashring_hash(const ClusterMap& map) {
  const auto words = static_cast<std::size_t>(map.placement().integer("replicas"));
  if (map.placement().hash == KeyHashId::sha1_le32) return {"SHA-1", KeyHashId::sha1_le32, words};
  return {"MD5", KeyHashId::md5_ketama, words};
}
PointHash md5_whole(const ClusterMap&) {
  return {"MD5, whole", KeyHashId::md5_128};
}
PointHash sha1_first(const ClusterMap&) {
  return {"SHA-1, first 32 bits", KeyHashId::sha1_be32};
}
PointHash crc32_once(const ClusterMap&) {
  return {"CRC-32", KeyHashId::crc32};
}
PointHash avalanche(const ClusterMap&) {
  return {"HAProxy's avalanche", std::nullopt};
}
PointHash envoy_hash(const ClusterMap& map) {
  if (map.placement().text("hash_function") == "MURMUR_HASH_2")
    return {"MurmurHash64A", KeyHashId::murmur2_64_envoy};
  return {"xxHash64", KeyHashId::xxh64};
}
PointHash maglev_hash(const ClusterMap&) {
  return {"xxHash64, twice", std::nullopt};
}
PointHash rendezvous_hash(const ClusterMap&) {
  return {"MurmurHash64A", std::nullopt};
}
PointHash murmur3_hash(const ClusterMap&) {
  return {"MurmurHash3", std::nullopt};
}

std::string_view by_length(const ClusterMap&) {
  return "sorted by length, then bytes";
}
std::string_view by_host(const ClusterMap& map) {
  return map.placement().flag("sort_hosts") ? "sorted by host name, then port" : "";
}

// Each server as often as its weight says, in the scheme's own order.
void by_weight(const ClusterMap& map, std::vector<NodeIndex>& out) {
  for (NodeIndex n : owning_nodes(map)) out.insert(out.end(), token_count(map.nodes()[n].weight, 1), n);
}

std::string haproxy_point(const ClusterMap& map, NodeIndex n, std::uint64_t i) {
  const Identity identity = haproxy_identity(map, n);
  if (identity.kind != "number") return identity.bytes + " + " + std::to_string(i);
  return std::to_string(haproxy_ids(map)[n] * 4096U + static_cast<std::uint32_t>(i));
}

std::string haproxy_30_point(const ClusterMap& map, NodeIndex n, std::uint64_t i) {
  const Identity identity = haproxy_identity(map, n);
  if (identity.kind != "number") return identity.bytes + " + " + std::to_string(i);
  return std::to_string(full_hash(haproxy_ids(map)[n]) + static_cast<std::uint32_t>(i));
}

constexpr std::string_view shared_out = "shares out the points of all servers";
constexpr std::string_view multiplies = "multiplies a server's points";
constexpr std::string_view repeats = "repeats a server in the list";
constexpr std::string_view remainder = "the hash modulo the length of a list of servers";
constexpr std::string_view furc = "the furc hash of the key over a list of servers";
constexpr std::string_view more_turns = "gives a server more turns to take a slot";
constexpr std::string_view listed = "owners listed range by range";

constexpr Scheme ring(std::string_view method, PointHash (*hash)(const ClusterMap&),
                      std::string_view weights) {
  return {.method = method,
          .finds = finds_on_ring,
          .identity = label,
          .pattern = "ID-i",
          .point = numbered<'-'>,
          .hash = hash,
          .weights = weights};
}

constexpr Scheme ring_of(std::string_view method, std::string_view pattern,
                         std::string (*point)(const ClusterMap&, NodeIndex, std::uint64_t),
                         PointHash (*hash)(const ClusterMap&), std::string_view weights,
                         Identity (*identity)(const ClusterMap&, NodeIndex) = label,
                         std::string_view finds = finds_on_ring) {
  return {.method = method,
          .finds = finds,
          .identity = identity,
          .pattern = pattern,
          .point = point,
          .hash = hash,
          .weights = weights};
}

constexpr Scheme in_order(Scheme scheme, std::vector<NodeIndex> (*order)(const ClusterMap&),
                          std::string_view (*sorting)(const ClusterMap&)) {
  scheme.order = order;
  scheme.sorting = sorting;
  return scheme;
}

constexpr Scheme list(std::string_view method, std::string_view finds, std::string_view weights) {
  return {.method = method, .finds = finds, .by_place = true, .weights = weights};
}

constexpr Scheme ring_without_weights(std::string_view method) {
  return ring(method, md5_words, {});
}

constexpr Scheme nginx_list() {
  Scheme scheme = list("nginx-rehash", remainder, repeats);
  scheme.slots = by_weight;
  return scheme;
}

constexpr Scheme scored(std::string_view method, std::string_view finds, PointHash (*hash)(const ClusterMap&),
                        std::string_view weights = {}) {
  return {.method = method, .finds = finds, .identity = label, .hash = hash, .weights = weights};
}

constexpr Scheme pymemcache() {
  Scheme scheme = scored("pymemcache-rendezvous", "the largest hash of node and key", murmur3_hash);
  scheme.pattern = "ID-KEY";
  scheme.point = pymemcache_score;
  return scheme;
}

const std::array schemes{
    ring_of("hashed-name", "ID:i", numbered<':'>, own_hash, multiplies),
    Scheme{.method = "given", .finds = finds_on_ring},
    list("list-index", remainder, repeats),
    Scheme{.method = "table", .finds = listed},
    Scheme{.method = "partitions", .finds = listed},

    scored("rendezvous", "the shortest waiting time drawn for node and key", own_hash,
           "shortens a server's times"),
    ring_of("multi-probe", "ID:i", numbered<':'>, own_hash, multiplies, label,
            "the token nearest to one of many probes"),
    Scheme{.method = "maglev",
           .finds = "a Maglev table, turns in the order of names",
           .identity = label,
           .hash = maglev_hash,
           .weights = more_turns},
    Scheme{.method = "jump", .finds = "jump over numbered buckets", .identity = buckets},
    Scheme{.method = "jump-back", .finds = "JumpBackHash over numbered buckets", .identity = buckets},
    Scheme{.method = "anchor", .finds = "AnchorHash over numbered buckets", .identity = buckets},
    Scheme{.method = "memento", .finds = "jump over numbered buckets", .identity = buckets},

    ring("ketama-libketama", md5_words, shared_out),
    in_order(ring("ketama-libmemcached", md5_words, shared_out), libmemcached_order, by_host),
    in_order(ring("ketama-twemproxy", md5_words, shared_out), twemproxy_order, by_length),
    ring("ketama-spymemcached-weighted", md5_words, shared_out),
    in_order(ring("hundred-libmemcached", key_hash_once, {}), libmemcached_order, by_host),
    ring_without_weights("ketama-memcached-proxy"),
    ring("ketama-spymemcached", java_hash, {}),
    ring("ketama-xmemcached", java_hash, multiplies),
    ring("ketama-uhashring", md5_words, shared_out),
    ring("ring-uhashring", md5_whole, multiplies),
    ring("ketama-hashring", hashring_hash, shared_out),
    ring_of("ring-dalli", "ID:i", numbered<':'>, sha1_first, shared_out),
    in_order(list("modula-libmemcached", remainder, {}), libmemcached_order, by_host),
    in_order(list("modula-twemproxy", remainder, repeats), twemproxy_order, by_length),

    ring_of("nginx-points", "ID and the point before", nginx_point, crc32_once, multiplies, nginx_identity),
    nginx_list(),
    ring_of("haproxy-points", "ID × 4096 + i", haproxy_point, avalanche, multiplies, haproxy_identity),
    ring_of("haproxy-3.0-points", "avalanche of ID + i", haproxy_30_point, avalanche, multiplies,
            haproxy_identity),
    list("haproxy-slots", remainder, "gives a server more turns in the table"),
    ring_of("envoy-points", "ID_i", numbered<'_'>, envoy_hash, shared_out),
    Scheme{.method = "envoy-maglev",
           .finds = "a Maglev table",
           .identity = label,
           .hash = maglev_hash,
           .weights = more_turns},

    list("mcrouter-ch3", furc, {}),
    list("mcrouter-weighted-ch3", furc, "is the chance to keep a key, else it is hashed again"),
    list("mcrouter-weighted-ch4", furc, "is the chance to keep a key, else its next bits choose"),
    list("mcrouter-crc32", remainder, {}),
    scored("mcrouter-rendezvous", "the largest mix of the hashes of tag and key", rendezvous_hash),
    scored("mcrouter-weighted-rendezvous", "the largest weight over the logarithm of such a mix",
           rendezvous_hash, "scales a server's score"),
    pymemcache(),

    Scheme{.method = "riak", .finds = "partitions that nodes claimed"},
    Scheme{.method = "swift", .finds = "partitions with their devices listed"},
    Scheme{.method = "ceph", .finds = "straws drawn down a CRUSH tree", .weights = "lengthens a straw"},
};

template <class Digest>
std::vector<Token> words_of(const Digest& digest, std::size_t words) {
  std::vector<RingPoint> points;
  word_points(digest, words, 0, points);
  std::vector<Token> out;
  for (const RingPoint& p : points) out.push_back(p.token);
  return out;
}

}  // namespace

const Scheme* find_scheme(std::string_view method) {
  for (const Scheme& scheme : schemes)
    if (scheme.method == method) return &scheme;
  return nullptr;
}

const Scheme& scheme_of(const ClusterMap& map) {
  return *find_scheme(map.placement().given ? "given" : map.placement().recipe->method);
}

std::vector<Token> point_positions(const ClusterMap& map, const PointHash& hash, std::string_view bytes) {
  if (!hash.id) return {};
  if (hash.id == KeyHashId::md5_ketama && hash.words > 1) return words_of(md5(bytes), hash.words);
  if (hash.id == KeyHashId::sha1_le32 && hash.words > 1) return words_of(sha1(bytes), hash.words);
  const u128 value = wide_key_hash(*hash.id, bytes, hash.sign);
  // Arcwise's own points keep the top bits on a narrower ring.
  return {{hash.id == KeyHashId::xxh3 ? value >> (64 - std::min<unsigned>(64, map.space().bits)) : value}};
}

std::optional<std::string> point_bytes_at(const ClusterMap& map, NodeIndex node, Token token) {
  const Scheme& scheme = scheme_of(map);
  if (!scheme.point || !scheme.hash) return std::nullopt;
  const PointHash hash = scheme.hash(map);
  for (std::uint64_t i = 0; i < most_digests && hash.id; ++i) {
    std::string bytes = scheme.point(map, node, i);
    for (const Token& t : point_positions(map, hash, bytes))
      if (t == token) return bytes;
  }
  return std::nullopt;
}

}  // namespace arcwise
