// ScyllaDB: which shard of a node serves a token, and where a table's tablets end.
//
// Layer: place. Pure. Tokens are in ring order (top bit flipped), as everywhere.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "arcwise/placement.hpp"

namespace arcwise {

/// Of `shards` (at least 1), after the top `ignore_msb` bits (at most 63) of the token are cut off, so that
/// one vnode's keys are spread over all shards.
std::uint32_t scylladb_shard(Token token, std::uint32_t shards, std::uint32_t ignore_msb) noexcept;

/// The shard of every owner of this position, by the settings shards and ignore_msb of the map's recipe;
/// nullopt for recipes without them.
std::optional<std::uint32_t> scylladb_shard(const ClusterMap& map, KeyHash position);

/// The last tokens of `count` equal tablets, ascending. Counts that are no power of two are as of the
/// versions that allow them.
std::vector<Token> scylladb_tablets(std::uint64_t count);

}  // namespace arcwise
