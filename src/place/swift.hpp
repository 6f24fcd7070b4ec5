// OpenStack Swift: account/container/object paths to partitions, and the handoff devices of a partition.
//
// The map's table lists the devices of each partition. A device is a node; its region is the node's zone,
// its zone the node's rack, its server the node's host.
#pragma once

#include "place/key_rules.hpp"
#include "place/methods.hpp"

namespace arcwise {

extern const KeyRuleInfo swift_key_rule;

std::unique_ptr<const Partitioner> swift_partitions(const ClusterMap& map);

}  // namespace arcwise
