// The orders in which memcached's clients and proxies keep their servers.
#pragma once

#include <vector>

#include "place/methods.hpp"

namespace arcwise {

/// twemproxy sorts by label: the shorter first, then bytewise.
std::vector<NodeIndex> twemproxy_order(const ClusterMap& map);

/// libmemcached keeps list order; with the setting `sort_hosts` it sorts by host name, then port.
std::vector<NodeIndex> libmemcached_order(const ClusterMap& map);

}  // namespace arcwise
