// Rows of nginx, HAProxy and Envoy.
#include <array>

#include "model/recipe_rows.hpp"

namespace arcwise {
namespace {

using Notation = TokenSpace::Notation;
using Kind = SettingInfo::Kind;

constexpr std::array haproxy_hashes{
    KeyHashId::sdbm,      KeyHashId::sdbm_avalanche,     KeyHashId::djb2,  KeyHashId::djb2_avalanche,
    KeyHashId::wt6,       KeyHashId::wt6_avalanche,      KeyHashId::crc32, KeyHashId::crc32_avalanche,
    KeyHashId::decimal32, KeyHashId::decimal32_avalanche};

constexpr SettingInfo balance{.name = "balance",
                              .kind = Kind::choice,
                              .preset = "value",
                              .meaning =
                                  "what a key is: a value that is hashed as it is, a URI up to its "
                                  "question mark, or a client's address (balance source, hash src)",
                              .choices = "value uri source hash-src"};
constexpr SettingInfo uri_len{.name = "uri_len",
                              .kind = Kind::integer,
                              .preset = "0",
                              .most = 1e6,
                              .meaning = "with balance uri: only so many bytes; 0: all"};
constexpr SettingInfo uri_depth{.name = "uri_depth",
                                .kind = Kind::integer,
                                .preset = "0",
                                .most = 1e6,
                                .meaning = "with balance uri: only so many directories; 0: all"};
constexpr SettingInfo hash_key{.name = "hash_key",
                               .kind = Kind::choice,
                               .preset = "id",
                               .meaning =
                                   "what identifies a server: its number, its address, or its label "
                                   "(guid); its number stands in for what it has not",
                               .choices = "id id32 addr addr-port guid"};

constexpr std::array map_based_settings{balance, uri_len, uri_depth};
constexpr std::array consistent_settings{balance, uri_len, uri_depth, hash_key};

constexpr Recipe haproxy_consistent(std::string_view name, std::string_view used_by,
                                    std::string_view method) {
  return {.name = name,
          .used_by = used_by,
          .method = method,
          .key_prep = KeyPrep::balance,
          .hash = KeyHashId::sdbm_avalanche,
          .hashes = haproxy_hashes,
          .ring_bits = 32,
          .label = LabelRule::none,
          .lookup = LookupRule::nearest,
          .ties = TieRule::by_list_order,
          .zero_weight = true,
          .whole_weight = true,
          .heaviest = 256,
          .fixed_tokens = 16,
          .settings = consistent_settings};
}

constexpr SettingInfo locality_weights{
    .name = "locality_weights",
    .kind = Kind::shares,
    .preset = "",
    .meaning = "weights of zones, as `eu=1, us=2`: a zone's hosts share its part; empty: zones do not count"};
constexpr SettingInfo hash_function{.name = "hash_function",
                                    .kind = Kind::choice,
                                    .preset = "XX_HASH",
                                    .meaning = "hash of the points; keys are always hashed by xxh64",
                                    .choices = "XX_HASH MURMUR_HASH_2"};

constexpr std::array ring_hash_settings{SettingInfo{.name = "minimum_ring_size",
                                                    .kind = Kind::integer,
                                                    .preset = "1024",
                                                    .least = 1,
                                                    .most = 8388608,
                                                    .meaning = "at least so many points"},
                                        SettingInfo{.name = "maximum_ring_size",
                                                    .kind = Kind::integer,
                                                    .preset = "8388608",
                                                    .least = 1,
                                                    .most = 8388608,
                                                    .meaning = "at most so many points"},
                                        hash_function, locality_weights};

constexpr std::array maglev_settings{SettingInfo{.name = "table_size",
                                                 .kind = Kind::prime,
                                                 .preset = "65537",
                                                 .least = 2,
                                                 .most = 5000011,
                                                 .meaning = "slots of the table, a prime number"},
                                     locality_weights};

constexpr std::array rows{
    Recipe{.name = "nginx-hash",
           .used_by =
               "nginx `hash KEY`: 15 bits of CRC-32 modulo the total weight, hashed again for a server "
               "that is down",
           .method = "nginx-rehash",
           .hash = KeyHashId::crc32_15bit,
           .notation = Notation::decimal,
           .slots = SlotCount::weights,
           .label = LabelRule::none,
           .ties = TieRule::by_list_order,
           .whole_weight = true},
    Recipe{.name = "nginx-consistent",
           .used_by = "nginx `hash KEY consistent`, Perl Cache::Memcached::Fast with ketama_points 160",
           .method = "nginx-points",
           .hash = KeyHashId::crc32,
           .ring_bits = 32,
           .ties = TieRule::by_list_order,
           .whole_weight = true,
           .fixed_tokens = 160},
    Recipe{.name = "haproxy-map-based",
           .used_by = "HAProxy by default: `hash-type map-based`, a table of servers by weight",
           .method = "haproxy-slots",
           .key_prep = KeyPrep::balance,
           .hash = KeyHashId::sdbm,
           .hashes = haproxy_hashes,
           .notation = Notation::decimal,
           .slots = SlotCount::weights_reduced,
           .label = LabelRule::none,
           .ties = TieRule::by_list_order,
           .zero_weight = true,
           .whole_weight = true,
           .heaviest = 256,
           .settings = map_based_settings},
    haproxy_consistent("haproxy-consistent",
                       "HAProxy `hash-type consistent`: up to 2.9, and since the repair of 3.0's change",
                       "haproxy-points"),
    haproxy_consistent("haproxy-consistent-3.0",
                       "HAProxy 3.0 to early 3.3 `hash-type consistent`: numbered servers stand elsewhere",
                       "haproxy-3.0-points"),
    Recipe{.name = "envoy-ring-hash",
           .used_by = "Envoy and what is built on it, such as Istio, with ring_hash",
           .method = "envoy-points",
           .hash = KeyHashId::xxh64,
           .ring_bits = 64,
           .ties = TieRule::by_list_order,
           .whole_weight = true,
           .settings = ring_hash_settings},
    Recipe{.name = "envoy-maglev",
           .used_by = "Envoy and what is built on it, such as Istio, with maglev",
           .method = "envoy-maglev",
           .hash = KeyHashId::xxh64,
           .notation = Notation::decimal,
           .slots = SlotCount::setting,
           .ties = TieRule::by_list_order,
           .whole_weight = true,
           .settings = maglev_settings},
};

}  // namespace

std::span<const Recipe> proxy_rows() {
  return rows;
}

}  // namespace arcwise
