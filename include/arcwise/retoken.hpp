// Retoken: a node gives up its tokens and comes back with allocated ones; and why the number of tokens stays.
//
// Layer: study.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "arcwise/allocate.hpp"

namespace arcwise {

/// Nodes that are there refuse to start with another num_tokens than they have, and a newcomer with another
/// number takes another share than its peers.
struct TokenCountChange {
  std::string node;
  std::string zone;
  std::uint64_t before = 0;  ///< its own, or what its peers have for its weight
  std::uint64_t after = 0;
  bool joins = false;
};
/// The first node, in the order of `after`, whose number of tokens is another one. Nothing for systems other
/// than Cassandra and ScyllaDB, for a node whose peers (of its zone) have different numbers, and for the
/// first node of a zone: a new data center is where another number belongs.
std::optional<TokenCountChange> token_count_change(const ClusterMap& before, const ClusterMap& after);

struct RetokenRequest {
  std::string node;
  std::optional<std::uint32_t> tokens;  ///< nullopt: as its peers have
  Allocator allocator = Allocator::arcwise;
  std::uint64_t seed = 1;     ///< of random tokens
  double extra_movement = 0;  ///< as in AllocateRequest
};
struct Retoken {
  ClusterMap without;  ///< once the node has left
  Allocation joined;
};
/// Errors: an unknown node; one that cannot leave since too few nodes stay; those of allocate().
Result<Retoken> retoken(const ClusterMap& map, const RetokenRequest& request);

}  // namespace arcwise
