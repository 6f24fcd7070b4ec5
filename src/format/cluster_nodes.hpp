// Redis Cluster and Valkey: the answer of CLUSTER NODES, and the file nodes.conf.
//
// Layer: format.
#pragma once

#include "format/redis_view.hpp"

namespace arcwise {

Result<RedisNodes> read_cluster_nodes(const Source& source);
bool is_cluster_nodes_line(std::string_view line);

}  // namespace arcwise
