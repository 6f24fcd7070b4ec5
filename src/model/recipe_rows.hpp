// The families of recipe rows; recipe.cpp puts them in one table.
#pragma once

#include <span>

#include "arcwise/map.hpp"

namespace arcwise {

std::span<const Recipe> own_rows();
std::span<const Recipe>
ketama_rows();  ///< libketama, libmemcached, twemproxy and the clients that follow them
std::span<const Recipe> proxy_rows();  ///< nginx, HAProxy, Envoy
std::span<const Recipe>
chooser_rows();  ///< placements that hash the key with each node or by index: mcrouter, pymemcache
std::span<const Recipe> store_rows();  ///< Cassandra, Riak, Swift, Ceph, partitioners

}  // namespace arcwise
