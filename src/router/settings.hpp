// Pools from what places keys: an unchanged nutcracker.yml, or a map with addresses.
//
// Layer: router.
#pragma once

#include "router/config.hpp"

namespace arcwise::router {

/// Why nobody can connect to a node. Where that stands is not known here.
std::optional<Error> check_node(const Node& node);
/// A map's nodes are the servers.
Result<Pool> pool_of_map(const Cluster& cluster, Protocol protocol, const std::string& listen);

}  // namespace arcwise::router
