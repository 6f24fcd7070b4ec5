// Envoy: ring_hash and maglev.
#pragma once

#include <vector>

#include "place/methods.hpp"

namespace arcwise {

/// A host's share of the cluster: by weight; with the setting `locality_weights` its zone's share first.
struct EnvoyHost {
  NodeIndex node;
  double share;
};

/// Hosts that get traffic: in list order, or zone by zone in the order of the zones' names where zones have
/// weights; a zone whose weight is 0 or not given is left out.
std::vector<EnvoyHost> envoy_hosts(const ClusterMap& map);

/// Points LABEL_0, LABEL_1, … in shares of the ring size: as many as give the smallest host a whole number.
void envoy_points(const ClusterMap& map, std::vector<RingPoint>& out);

/// Hosts take slots in turn, each in the order of its own permutation, light ones in fewer rounds.
void envoy_maglev_slots(const ClusterMap& map, std::vector<NodeIndex>& owner_of_slot);

}  // namespace arcwise
