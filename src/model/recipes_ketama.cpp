// Rows of libketama, libmemcached, twemproxy, memcached's proxy and the client libraries that follow them.
#include <array>

#include "model/recipe_rows.hpp"

namespace arcwise {
namespace {

using Notation = TokenSpace::Notation;
using Kind = SettingInfo::Kind;

constexpr std::array libmemcached_hashes{
    KeyHashId::one_at_a_time,    KeyHashId::md5_ketama,     KeyHashId::crc32_15bit,
    KeyHashId::fnv1_64_low32,    KeyHashId::fnv1a_64_low32, KeyHashId::fnv1_32,
    KeyHashId::fnv1a_32,         KeyHashId::hsieh,          KeyHashId::murmur2_seed_len,
    KeyHashId::murmur3_seed_len, KeyHashId::jenkins,
};

constexpr std::array twemproxy_hashes{
    KeyHashId::one_at_a_time, KeyHashId::md5_ketama,    KeyHashId::crc16_32,         KeyHashId::crc32_15bit,
    KeyHashId::crc32,         KeyHashId::fnv1_64_low32, KeyHashId::fnv1a_64_low32,   KeyHashId::fnv1_32,
    KeyHashId::fnv1a_32,      KeyHashId::hsieh,         KeyHashId::murmur2_seed_len, KeyHashId::jenkins,
};

// spymemcached and xmemcached: over the characters of a Java string.
constexpr std::array java_hashes{
    KeyHashId::java_string_hash, KeyHashId::crc32_15bit,   KeyHashId::fnv1_64_utf16,
    KeyHashId::fnv1a_64_utf16,   KeyHashId::fnv1_32_utf16, KeyHashId::fnv1a_32_utf16,
    KeyHashId::md5_ketama,
};

constexpr std::array proxy_hashes{KeyHashId::md5_ketama, KeyHashId::xxh3};
constexpr std::array hashring_hashes{KeyHashId::md5_ketama, KeyHashId::sha1_le32};

constexpr SettingInfo byte_sign{
    .name = "byte_sign",
    .kind = Kind::choice,
    .preset = "signed",
    .meaning = "how the programs were built to see bytes of 0x80 and more: signed on x86, unsigned on ARM",
    .choices = "signed unsigned"};
constexpr SettingInfo prefix{
    .name = "prefix",
    .kind = Kind::text,
    .preset = "",
    .meaning =
        "a namespace that is hashed before the key (HASH_WITH_PREFIX_KEY); beyond 250 bytes together "
        "the hash is 0"};
constexpr SettingInfo sort_hosts{.name = "sort_hosts",
                                 .kind = Kind::flag,
                                 .preset = "false",
                                 .meaning = "servers are sorted by host name, then port (SORT_HOSTS)"};
constexpr SettingInfo point_hash{
    .name = "point_hash",
    .kind = Kind::key_hash,
    .preset = "",
    .meaning = "the key hash that was set when the ring was built, where keys were given another one later"};

constexpr std::array libmemcached_settings{byte_sign, prefix, sort_hosts};
constexpr std::array libmemcached_ring_settings{byte_sign, prefix, sort_hosts, point_hash};
constexpr std::array twemproxy_settings{byte_sign};
constexpr std::array xmemcached_libmemcached_settings{
    SettingInfo{.name = "byte_sign",
                .kind = Kind::choice,
                .preset = "unsigned",
                .meaning = "Java adds bytes without their sign",
                .choices = "unsigned"}};

constexpr SettingInfo hashring_setting(std::string_view name, std::string_view preset, double least,
                                       double most, std::string_view meaning) {
  return {.name = name,
          .kind = Kind::integer,
          .preset = preset,
          .least = least,
          .most = most,
          .meaning = meaning};
}
constexpr std::string_view replicas_meaning = "points of each digest (`replicas`, or 3 by `compatibility`)";
constexpr std::string_view port_meaning =
    "servers at this port are hashed without it (`default port`); 0: none";
constexpr std::array hashring_settings{hashring_setting("replicas", "4", 1, 4, replicas_meaning),
                                       hashring_setting("default_port", "0", 0, 65535, port_meaning)};
constexpr std::array hash_ring_settings{hashring_setting("replicas", "3", 1, 4, replicas_meaning),
                                        hashring_setting("default_port", "0", 0, 65535, port_meaning)};
constexpr std::array npm_memcached_settings{
    hashring_setting("replicas", "4", 1, 4, replicas_meaning),
    hashring_setting("default_port", "11211", 0, 65535, port_meaning)};

constexpr std::array memcached_rows{
    Recipe{.name = "libketama",
           .used_by = "libketama and its bindings: shares of 160 points a server, port always hashed",
           .method = "ketama-libketama",
           .hash = KeyHashId::md5_ketama,
           .ring_bits = 32,
           .ties = TieRule::by_list_order,
           .whole_weight = true},
    Recipe{
        .name = "libmemcached-modula",
        .used_by = "libmemcached and PHP memcached by default: hash mod number of servers, weights ignored",
        .method = "modula-libmemcached",
        .hash = KeyHashId::one_at_a_time,
        .hashes = libmemcached_hashes,
        .notation = Notation::decimal,
        .slots = SlotCount::nodes,
        .label = LabelRule::libmemcached,
        .ties = TieRule::by_list_order,
        .zero_weight = true,
        .whole_weight = true,
        .places_unweighted = true,
        .settings = libmemcached_settings},
    Recipe{.name = "libmemcached-consistent",
           .used_by =
               "libmemcached CONSISTENT and KETAMA, PHP DISTRIBUTION_CONSISTENT: 100 points a server by "
               "the key hash, weights ignored",
           .method = "hundred-libmemcached",
           .hash = KeyHashId::one_at_a_time,
           .hashes = libmemcached_hashes,
           .ring_bits = 32,
           .label = LabelRule::libmemcached,
           .ties = TieRule::by_list_order,
           .zero_weight = true,
           .whole_weight = true,
           .places_unweighted = true,
           .settings = libmemcached_ring_settings},
    Recipe{.name = "libmemcached-ketama-weighted",
           .used_by = "libmemcached KETAMA_WEIGHTED, PHP LIBKETAMA_COMPATIBLE, pylibmc ketama_weighted",
           .method = "ketama-libmemcached",
           .hash = KeyHashId::md5_ketama,
           .hashes = libmemcached_hashes,
           .ring_bits = 32,
           .label = LabelRule::libmemcached,
           .ties = TieRule::by_list_order,
           .zero_weight = true,
           .whole_weight = true,
           .places_unweighted = true,
           .settings = libmemcached_settings},
    Recipe{.name = "libmemcached-spy",
           .used_by = "libmemcached CONSISTENT_KETAMA_SPY alone: 100 points a server by the key hash",
           .method = "hundred-libmemcached",
           .hash = KeyHashId::one_at_a_time,
           .hashes = libmemcached_hashes,
           .ring_bits = 32,
           .label = LabelRule::libmemcached_spy,
           .ties = TieRule::by_list_order,
           .zero_weight = true,
           .whole_weight = true,
           .places_unweighted = true,
           .settings = libmemcached_ring_settings},
    Recipe{.name = "libmemcached-spy-weighted",
           .used_by = "libmemcached KETAMA_WEIGHTED, then CONSISTENT_KETAMA_SPY: as spymemcached before 2.5",
           .method = "ketama-libmemcached",
           .hash = KeyHashId::md5_ketama,
           .hashes = libmemcached_hashes,
           .ring_bits = 32,
           .label = LabelRule::libmemcached_spy,
           .ties = TieRule::by_list_order,
           .zero_weight = true,
           .whole_weight = true,
           .places_unweighted = true,
           .settings = libmemcached_settings},
    Recipe{
        .name = "twemproxy-ketama",
        .used_by = "twemproxy (nutcracker) with distribution ketama; its own default hash is fnv1a_64_low32",
        .method = "ketama-twemproxy",
        .key_prep = KeyPrep::tag_pair,
        .hash = KeyHashId::md5_ketama,
        .hashes = twemproxy_hashes,
        .ring_bits = 32,
        .label = LabelRule::twemproxy,
        .ties = TieRule::by_list_order,
        .whole_weight = true,
        .empty_key_is_zero = true,
        .settings = twemproxy_settings},
    Recipe{.name = "twemproxy-modula",
           .used_by =
               "twemproxy (nutcracker) with distribution modula: servers sorted by name length, then name",
           .method = "modula-twemproxy",
           .key_prep = KeyPrep::tag_pair,
           .hash = KeyHashId::fnv1a_64_low32,
           .hashes = twemproxy_hashes,
           .notation = Notation::decimal,
           .slots = SlotCount::weights,
           .label = LabelRule::twemproxy,
           .ties = TieRule::by_list_order,
           .whole_weight = true,
           .empty_key_is_zero = true,
           .settings = twemproxy_settings},
    Recipe{.name = "twemproxy-random",
           .used_by = "twemproxy (nutcracker) with distribution random: no key has an owner",
           .method = "modula-twemproxy",
           .key_prep = KeyPrep::tag_pair,
           .hash = KeyHashId::fnv1a_64_low32,
           .hashes = twemproxy_hashes,
           .label = LabelRule::twemproxy,
           .whole_weight = true,
           .no_placement =
               "twemproxy's random distribution draws a server for each request: no key has an owner",
           .settings = twemproxy_settings},
    Recipe{.name = "memcached-proxy-ketama",
           .used_by = "memcached's proxy, ring_hash with omode ketama: 160 points a server, no weights",
           .method = "ketama-memcached-proxy",
           .hash = KeyHashId::md5_ketama,
           .hashes = proxy_hashes,
           .ring_bits = 32,
           .ties = TieRule::by_list_order},
    Recipe{.name = "memcached-proxy-twemproxy",
           .used_by = "memcached's proxy, ring_hash with omode twemproxy: port 11211 is not hashed",
           .method = "ketama-memcached-proxy",
           .hash = KeyHashId::md5_ketama,
           .hashes = proxy_hashes,
           .ring_bits = 32,
           .label = LabelRule::drop_11211,
           .ties = TieRule::by_list_order},
    Recipe{.name = "memcached-proxy-evcache",
           .used_by = "memcached's proxy, ring_hash with omode evcache: address/address:port",
           .method = "ketama-memcached-proxy",
           .hash = KeyHashId::md5_ketama,
           .hashes = proxy_hashes,
           .ring_bits = 32,
           .label = LabelRule::evcache,
           .ties = TieRule::by_list_order},
};

constexpr Recipe spymemcached_ring(std::string_view name, std::string_view used_by, LabelRule label) {
  return {.name = name,
          .used_by = used_by,
          .method = "ketama-spymemcached",
          .hash = KeyHashId::md5_ketama,
          .hashes = java_hashes,
          .ring_bits = 32,
          .label = label,
          .ties = TieRule::by_reverse_order};
}

constexpr Recipe xmemcached_ring(std::string_view name, std::string_view used_by, LabelRule label) {
  return {.name = name,
          .used_by = used_by,
          .method = "ketama-xmemcached",
          .hash = KeyHashId::md5_ketama,
          .hashes = java_hashes,
          .ring_bits = 32,
          .label = label,
          .ties = TieRule::by_list_order,
          .whole_weight = true,
          .fixed_tokens = 160};
}

constexpr Recipe hashring_ring(std::string_view name, std::string_view used_by,
                               std::span<const SettingInfo> settings) {
  return {.name = name,
          .used_by = used_by,
          .method = "ketama-hashring",
          .hash = KeyHashId::md5_ketama,
          .hashes = hashring_hashes,
          .ring_bits = 32,
          .label = LabelRule::drop_default_port,
          .ties = TieRule::by_list_order,
          .zero_weight = true,
          .default_tokens = 40,
          .shares_tokens = true,
          .bucket_is_tokens = true,
          .settings = settings};
}

constexpr Recipe by_list(std::string_view name, std::string_view used_by, KeyHashId hash,
                         std::span<const KeyHashId> hashes = {}) {
  return {.name = name,
          .used_by = used_by,
          .method = "modula-libmemcached",
          .hash = hash,
          .hashes = hashes,
          .notation = Notation::decimal,
          .slots = SlotCount::nodes,
          .ties = TieRule::by_list_order};
}

constexpr Recipe by_weighted_list(std::string_view name, std::string_view used_by, KeyHashId hash,
                                  std::span<const KeyHashId> hashes = {}) {
  Recipe row = by_list(name, used_by, hash, hashes);
  row.method = "list-index";
  row.slots = SlotCount::weights;
  row.whole_weight = true;
  return row;
}

constexpr Recipe spymemcached_weighted() {
  Recipe row = spymemcached_ring("spymemcached-ketama-weighted",
                                 "spymemcached, weighted ketama with the LIBMEMCACHED node key format",
                                 LabelRule::java_host);
  row.method = "ketama-spymemcached-weighted";
  row.whole_weight = true;
  return row;
}

constexpr std::array client_rows{
    spymemcached_ring("spymemcached-ketama", "spymemcached with its ketama locator: 160 points a server",
                      LabelRule::java_socket),
    spymemcached_ring("spymemcached-ketama-libmemcached",
                      "spymemcached, ketama with the LIBMEMCACHED node key format", LabelRule::java_host),
    spymemcached_weighted(),
    by_list("spymemcached-arraymod", "spymemcached by default: hash mod number of servers",
            KeyHashId::java_string_hash, java_hashes),
    xmemcached_ring("xmemcached-ketama", "xmemcached's ketama locator: 160 points for each unit of weight",
                    LabelRule::java_socket_slash),
    xmemcached_ring("xmemcached-ketama-nginx",
                    "xmemcached's ketama locator in its nginx mode: address, no port where it is 11211",
                    LabelRule::java_address),
    xmemcached_ring("xmemcached-ketama-gwhalin", "xmemcached's ketama locator in its gwhalin mode: host:port",
                    LabelRule::name),
    Recipe{.name = "xmemcached-libmemcached",
           .used_by = "xmemcached's libmemcached locator: 100 points a server by one_at_a_time",
           .method = "hundred-libmemcached",
           .hash = KeyHashId::one_at_a_time,
           .ring_bits = 32,
           .label = LabelRule::java_host,
           .ties = TieRule::by_list_order,
           .settings = xmemcached_libmemcached_settings},
    by_weighted_list("xmemcached-array",
                     "xmemcached by default: hash mod number of servers, repeated by weight",
                     KeyHashId::java_string_hash, java_hashes),
    Recipe{.name = "uhashring-ketama",
           .used_by = "Python uhashring with hash_fn ketama",
           .method = "ketama-uhashring",
           .hash = KeyHashId::md5_ketama,
           .ring_bits = 32,
           .lookup = LookupRule::after,
           .ties = TieRule::by_reverse_order,
           .zero_weight = true,
           .whole_weight = true,
           .default_tokens = 40,
           .shares_tokens = true},
    Recipe{
        .name = "uhashring",
        .used_by = "Python uhashring by default: a 128-bit ring of MD5, 160 points for each unit of weight",
        .method = "ring-uhashring",
        .hash = KeyHashId::md5_128,
        .ring_bits = 128,
        .lookup = LookupRule::after,
        .ties = TieRule::by_reverse_order,
        .zero_weight = true,
        .whole_weight = true,
        .default_tokens = 160},
    hashring_ring("hashring", "npm hashring: shares of 40 digests a server in double precision",
                  hashring_settings),
    hashring_ring("hashring-hash-ring",
                  "npm hashring with compatibility hash_ring: three points a digest, as Python's hash_ring",
                  hash_ring_settings),
    hashring_ring("npm-memcached", "npm memcached: hashring that leaves out port 11211",
                  npm_memcached_settings),
    Recipe{.name = "go-ketama",
           .used_by = "Go go-ketama: libketama's points",
           .method = "ketama-libketama",
           .hash = KeyHashId::md5_ketama,
           .ring_bits = 32,
           .ties = TieRule::by_list_order,
           .zero_weight = true,
           .whole_weight = true},
    by_list("gomemcache", "Go gomemcache: CRC-32 of the key's first 256 bytes mod number of addresses",
            KeyHashId::crc32_first256),
    by_weighted_list("python-memcached", "Python python-memcached: 15 bits of CRC-32 mod number of buckets",
                     KeyHashId::crc32_15bit_nonzero),
    Recipe{.name = "dalli",
           .used_by = "Ruby dalli: SHA-1 points, the last one at or before the key's CRC-32",
           .method = "ring-dalli",
           .hash = KeyHashId::crc32,
           .ring_bits = 32,
           .label = LabelRule::dalli,
           .lookup = LookupRule::at_or_before,
           .ties = TieRule::by_list_order,
           .zero_weight = true,
           .whole_weight = true},
};

constexpr auto rows = [] {
  std::array<Recipe, memcached_rows.size() + client_rows.size()> all{};
  std::size_t i = 0;
  for (const Recipe& row : memcached_rows) all[i++] = row;
  for (const Recipe& row : client_rows) all[i++] = row;
  return all;
}();

}  // namespace

std::span<const Recipe> ketama_rows() {
  return rows;
}

}  // namespace arcwise
