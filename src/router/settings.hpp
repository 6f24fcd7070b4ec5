// What a router is to serve: an unchanged nutcracker.yml, or a map with addresses.
//
// Layer: router.
#pragma once

#include <string>
#include <vector>

#include "arcwise/format.hpp"
#include "router/pool.hpp"

namespace arcwise::router {

/// Every pool of a nutcracker.yml.
Result<std::vector<Pool>> pools_of_nutcracker(const Source& source);
/// A map's nodes are the servers.
Result<Pool> pool_of_map(const ClusterMap& map, Protocol protocol, const std::string& listen);

}  // namespace arcwise::router
