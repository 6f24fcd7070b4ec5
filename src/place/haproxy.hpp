// HAProxy: `hash-type consistent` and `hash-type map-based`.
#pragma once

#include <cstdint>
#include <vector>

#include "place/methods.hpp"

namespace arcwise {

/// The number of every server, by node: `id N` on its line is the node's bucket; the others get the first
/// number that nobody has, from a counter that starts at 1 and goes on by one at every line. Worked example:
/// lines "a", "b id 1", "c", "d id 5", "e" are 2, 1, 4, 5, 6.
std::vector<std::uint32_t> haproxy_ids(const ClusterMap& map);

/// 16 points for each unit of weight: full_hash(key + i), with the key that the setting `hash_key` names.
void haproxy_points(const ClusterMap& map, std::vector<RingPoint>& out);
/// As released in 3.0 and until it was put right: the default key is full_hash(id), not id * 4096.
void haproxy_30_points(const ClusterMap& map, std::vector<RingPoint>& out);

/// The table of `map-based`: smooth weighted rounds over the weights, reduced by their divisor.
void haproxy_slots(const ClusterMap& map, std::vector<NodeIndex>& owner_of_slot);

}  // namespace arcwise
