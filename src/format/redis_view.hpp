// One node's view of a Redis or Valkey cluster, whichever command printed it.
//
// Layer: format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
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

struct RedisNode {
  Mark at;
  std::string id;
  std::string ip;        ///< empty: not known
  std::string hostname;  ///< empty: none announced
  std::uint16_t port = 0, bus_port = 0;
  bool myself = false, master = false, replica = false;
  bool failed = false, suspected = false, loading = false, no_address = false, handshake = false,
       connected = true;
  std::string master_id;  ///< of a replica
  struct Slots {
    Mark at;
    std::uint32_t first = 0, last = 0;
  };
  std::vector<Slots> slots;
  std::vector<OpenSlot> open;
  std::vector<std::string> unknown_flags;
};

/// Nodes in the order of their ids: a text's own order is a hash table's and differs from node to node.
using RedisNodes = std::vector<RedisNode>;

bool is_redis_id(std::string_view text);  ///< 40 hexadecimal digits
std::string redis_slots_text(std::uint32_t first, std::uint32_t last);
void sort_by_id(RedisNodes& nodes);
const RedisNode* find_node(const RedisNodes& nodes, std::string_view id);  ///< in a sorted list

/// Views of one cluster, from one or several of its nodes. The first that lists every node is the map
/// (CLUSTER SLOTS leaves out failed replicas and masters without slots); the others are compared with it.
Result<Cluster> import_redis(const Inputs& inputs);

}  // namespace arcwise
