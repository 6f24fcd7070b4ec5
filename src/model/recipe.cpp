#include <array>

#include "arcwise/map.hpp"

namespace arcwise {
namespace {

using Notation = TokenSpace::Notation;

constexpr std::array<Recipe, 7> table{{
    {.name = "ring",
     .used_by = "Arcwise: a ring of hashed or given tokens, any key hash",
     .key_prep = KeyPrep::none,
     .hash = KeyHashId::xxh3,
     .hash_open = true,
     .ring_bits = 0,
     .notation = Notation::hex,
     .points = PointRule::hashed_name,
     .given_allowed = true,
     .ties = TieRule::by_name,
     .default_tokens = 256},
    {.name = "modulo",
     .used_by = "the baseline everybody starts from: hash mod number of nodes",
     .key_prep = KeyPrep::none,
     .hash = KeyHashId::xxh3,
     .hash_open = true,
     .ring_bits = 0,
     .notation = Notation::decimal,
     .points = PointRule::list_index,
     .given_allowed = false,
     .ties = TieRule::by_list_order,
     .default_tokens = 0},
    {.name = "ranges",
     .used_by = "Arcwise: owners listed range by range, any key hash",
     .key_prep = KeyPrep::none,
     .hash = KeyHashId::xxh3,
     .hash_open = true,
     .ring_bits = 0,
     .notation = Notation::hex,
     .points = PointRule::table,
     .given_allowed = false,
     .ties = TieRule::by_name,
     .default_tokens = 0},
    {.name = "twemproxy-ketama",
     .used_by =
         "twemproxy with distribution ketama and hash md5; libmemcached KETAMA_WEIGHTED in server-name order",
     .key_prep = KeyPrep::tag_pair,
     .hash = KeyHashId::md5_ketama,
     .hash_open = false,
     .ring_bits = 32,
     .notation = Notation::hex,
     .points = PointRule::ketama_weighted,
     .given_allowed = false,
     .ties = TieRule::by_list_order,
     .default_tokens = 0},
    {.name = "cassandra-murmur3",
     .used_by = "Cassandra and ScyllaDB vnodes: Murmur3Partitioner, tokens as the cluster has them",
     .key_prep = KeyPrep::none,
     .hash = KeyHashId::murmur3_cassandra,
     .hash_open = false,
     .ring_bits = 64,
     .notation = Notation::signed_decimal,
     .points = PointRule::given,
     .given_allowed = true,
     .ties = TieRule::by_name,
     .default_tokens = 0},
    {.name = "cassandra-ranges",
     .used_by = "Cassandra and ScyllaDB: every range with the replicas that nodetool describering prints",
     .key_prep = KeyPrep::none,
     .hash = KeyHashId::murmur3_cassandra,
     .hash_open = false,
     .ring_bits = 64,
     .notation = Notation::signed_decimal,
     .points = PointRule::table,
     .given_allowed = false,
     .ties = TieRule::by_name,
     .default_tokens = 0},
    {.name = "redis-cluster",
     .used_by = "Redis Cluster and Valkey: 16384 slots, each with its master, then its replicas",
     .key_prep = KeyPrep::redis_tag,
     .hash = KeyHashId::crc16,
     .hash_open = false,
     .ring_bits = 16,
     .notation = Notation::decimal,
     .points = PointRule::table,
     .given_allowed = false,
     .ties = TieRule::by_name,
     .default_tokens = 0},
}};

}  // namespace

std::span<const Recipe> recipes() {
  return table;
}

const Recipe* find_recipe(std::string_view name) {
  for (const Recipe& row : table)
    if (row.name == name) return &row;
  return nullptr;
}

}  // namespace arcwise
