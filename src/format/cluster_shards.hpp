// Redis Cluster (7.0 and later) and Valkey: the answer of CLUSTER SHARDS.
//
// Layer: format. Each shard is a map {slots: [first, last, …], nodes: [{id, port, ip, role, health, …}, …]}.
#pragma once

#include "format/redis_view.hpp"

namespace arcwise {

Result<RedisNodes> read_cluster_shards(const Source& source);
bool is_cluster_shards(std::string_view text);

}  // namespace arcwise
