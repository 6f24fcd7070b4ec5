// Partitioners: systems whose own arithmetic takes a key to a token or a numbered partition. Who holds it is
// in the map: tokens, ranges, or a table of partitions.
//
// Layer: place. Pure and noexcept.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "place/key_rules.hpp"

namespace arcwise {

/// Elasticsearch and OpenSearch: routing_num_shards that an index of so many shards gets by itself, so that
/// it can be split up to 1,024 shards: shards * 2^max(1, 10 - ceil(log2 shards)).
std::uint64_t elasticsearch_routing_shards(std::uint64_t shards) noexcept;

/// floorMod(hash + offset, routing_shards) / (routing_shards / shards). Worked example: hash -675079799 and 8
/// shards out of 1,024: floorMod is 457, each shard has 128, so shard 3.
std::uint64_t elasticsearch_shard(std::int32_t hash, std::uint32_t offset, std::uint64_t routing_shards,
                                  std::uint64_t shards) noexcept;

/// Citus: which of `shards` equal shards holds a hash in ring order (top bit flipped). Each has floor(2^32 /
/// shards) hashes; the last one takes what is left over.
std::uint64_t citus_shard(std::uint32_t ring_hash, std::uint64_t shards) noexcept;

std::span<const KeyRuleInfo> partitioner_key_rules();

}  // namespace arcwise
