// Redis Cluster and Valkey: the answer of CLUSTER SLOTS.
//
// Layer: format. Each range is a list [first, last, master, replica…], each node a list [endpoint, port, id,
// {hostname, ip}]. It has no health, and neither failed replicas nor masters without slots.
#pragma once

#include "format/redis_view.hpp"

namespace arcwise {

Result<RedisNodes> read_cluster_slots(const Source& source);
bool is_cluster_slots(std::string_view text);

}  // namespace arcwise
