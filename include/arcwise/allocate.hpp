// Allocation: which tokens a node should take, so that ownership stays even as the cluster grows.
//
// Layer: study. No token that the map has is moved. Pure: the same map and request give the same tokens.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arcwise/change.hpp"

namespace arcwise {

enum class Allocator : std::uint8_t {
  arcwise,    ///< its own search: weights, racks, any ring of tokens
  cassandra,  ///< Cassandra's two allocators, token for token (Murmur3Partitioner)
  random      ///< tokens drawn at random, as a cluster without an allocator has them
};
std::string_view to_string(Allocator allocator);
std::optional<Allocator> find_allocator(std::string_view name);

struct AllocateRequest {
  NewNode node;                         ///< its `tokens` are ignored
  std::optional<std::uint32_t> tokens;  ///< nullopt: as the median node has for its weight
  Allocator allocator = Allocator::arcwise;
  std::uint64_t seed = 1;  ///< of random tokens
  /// What the asker believes the map to be; another map refuses. Tokens chosen on a stale view stay bad for
  /// as long as the node lives.
  std::optional<std::string> fingerprint;
  std::optional<std::uint64_t> epoch;
};

struct Allocation {
  std::vector<Token> tokens;           ///< ascending
  std::string fingerprint;             ///< of the map that they were chosen for
  std::optional<std::uint64_t> epoch;  ///< of the same
  ClusterMap after;                    ///< with the node and these tokens
  Balance balance_before, balance_after;
  std::vector<Finding> warnings;
};
/// Refused where the view is stale or another node is still joining. An error where the map has no tokens
/// that could be chosen.
Result<Allocation> allocate(const ClusterMap& map, const AllocateRequest& request);

}  // namespace arcwise
