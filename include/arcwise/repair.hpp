// Repair: which ranges to bring in step once tokens have changed, and how many a node has to repair.
//
// Layer: study. For Cassandra and ScyllaDB with vnodes. A range needs repair where a node owns it that did
// not own it all along: that node got its copy from one other, and whatever this one lacked it lacks too.
// Ranges that only lost owners, or whose owners changed places, need none. A token that shifts changes the
// owners of what lies between its old place and its new one, and nothing else. A name at another address is
// another machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arcwise/placement.hpp"

namespace arcwise {

/// Whether this map's system repairs ranges of a ring: recipes cassandra-murmur3, cassandra-random,
/// cassandra-ranges and scylladb-murmur3.
bool repairs_ranges(const ClusterMap& map);

/// Lies within one range of the ring to come: nodetool refuses one that reaches over a token, even where the
/// owners beyond it are the same.
struct RepairRange {
  Region region;
  NodeIndex node =
      no_node;  ///< of the last map: its first owner that had the range all along, else its first
  std::vector<NodeIndex> gained;  ///< of the last map, ascending: owners that did not
};
/// The fewest ranges, each once, ascending by `upto`. `stages`: the placements from before the change to
/// after it, those between its steps included; at least one. Empty where no range is to be repaired, and for
/// other systems.
std::vector<RepairRange> repair_ranges(const std::vector<Placement>& stages);

/// What one nodetool takes: from `after` (exclusive) up to `upto`, where the ring's end is not passed.
struct RepairCommand {
  std::string after, upto;  ///< as the partitioner writes tokens
  std::string node, command;
};
/// A range that wraps becomes two. `keyspace`: empty for the shell's "$KEYSPACE".
std::vector<RepairCommand> repair_commands(const ClusterMap& map, const std::vector<RepairRange>& ranges,
                                           const std::string& keyspace);

/// How many ranges each node has, by NodeIndex; a repair opens a session, and builds a tree, for each.
struct RangesHeld {
  std::uint64_t primary = 0;  ///< as first owner: those of `nodetool repair -pr`
  std::uint64_t all = 0;      ///< as any owner: those of `nodetool repair`
};
std::vector<RangesHeld> ranges_held(const Placement& placement);

}  // namespace arcwise
