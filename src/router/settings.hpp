// Pools from what places keys: an unchanged nutcracker.yml, or a map with addresses.
//
// Layer: router.
#pragma once

#include "router/config.hpp"

namespace arcwise::router {

/// A map's nodes are the servers.
Result<Pool> pool_of_map(const Cluster& cluster, Protocol protocol, const std::string& listen);

}  // namespace arcwise::router
