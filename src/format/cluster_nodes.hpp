// Redis Cluster and Valkey: the answer of CLUSTER NODES, and the file nodes.conf.
//
// Layer: format.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "format/importer.hpp"

namespace arcwise {

inline constexpr std::uint32_t redis_slots = 16384;

/// `[slot->-id]` (away) or `[slot-<-id]`: a slot that is moving, as the node that printed the text sees it.
struct OpenSlot {
  Mark at;
  std::uint32_t slot = 0;
  bool away = false;
  std::string other;  ///< the id it goes to or comes from
};

struct ClusterNodeLine {
  Mark at;
  std::string id;
  std::string ip;        ///< empty: not known
  std::string hostname;  ///< empty: none announced
  std::uint16_t port = 0, bus_port = 0;
  bool myself = false, master = false, replica = false;
  bool failed = false, suspected = false, no_address = false, handshake = false, connected = true;
  std::string master_id;  ///< of a replica
  struct Slots {
    Mark at;
    std::uint32_t first = 0, last = 0;
  };
  std::vector<Slots> slots;
  std::vector<OpenSlot> open;
  std::vector<std::string> unknown_flags;
};

/// Node lines in the order of their ids: the text's own order is a hash table's and differs from node to
/// node.
Result<std::vector<ClusterNodeLine>> read_cluster_nodes(const Source& source);

bool is_cluster_nodes_line(std::string_view line);
/// The first source is the map; others, views of the same cluster from other nodes, are compared with it.
Result<Cluster> import_cluster_nodes(const Inputs& inputs);

}  // namespace arcwise
