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

inline constexpr std::uint32_t most_allocated_tokens = 1536;  ///< of one node, as in Cassandra

/// What the asker believes the map to be; another map refuses. Tokens chosen on a stale view stay bad for as
/// long as the node lives.
struct ExpectedMap {
  std::optional<std::string> fingerprint;
  std::optional<std::uint64_t> epoch;
};

struct AllocateRequest {
  NewNode node;                         ///< its `tokens` are ignored
  std::optional<std::uint32_t> tokens;  ///< nullopt: as the median node has for its weight
  Allocator allocator = Allocator::arcwise;
  std::uint64_t seed = 1;  ///< of random tokens
  ExpectedMap expected;
  /// So much of what the join itself moves may be moved beside it, by shifting tokens that are there already.
  double extra_movement = 0;
  std::optional<std::string> relieve;  ///< Arcwise's own only: take half of what it holds
};

struct Allocation {
  std::vector<Token> tokens;           ///< ascending
  std::string fingerprint;             ///< of the map that they were chosen for
  std::optional<std::uint64_t> epoch;  ///< of the same
  ClusterMap after;                    ///< with the node and these tokens
  Balance balance_before, balance_after;
  std::vector<Finding> warnings;
  struct Shift {
    std::string node;
    Token from, to;
  };
  std::vector<Shift> shifts;           ///< of tokens that are there already; empty without extra movement
  double moved = 0, moved_beside = 0;  ///< to the joiner, and by shifts, in copies of everything
  struct Relief {
    std::string node;
    double before = 0, after = 0;  ///< what it holds, in copies of everything
    /// The least that one joiner can leave it with. A new node in front of its tokens pushes it back by one
    /// place, so that it loses what it held as the last owner, and no more.
    double least = 0;
  };
  std::optional<Relief> relief;
};
/// Refused where the view is stale or another node is still joining. An error where the map has no tokens
/// that could be chosen.
Result<Allocation> allocate(const ClusterMap& map, const AllocateRequest& request);

/// A twin for every node, in its rack and of its weight, at the middle of each of its arcs.
struct Doubling {
  struct Twin {
    std::string of, name;
    std::vector<Token> tokens;
  };
  std::vector<Twin> twins;  ///< in the order of the map's nodes
  std::string fingerprint;
  std::optional<std::uint64_t> epoch;
  ClusterMap after;
  Balance balance_before, balance_after;
};
/// The twin of `n1` is called `n1` and the suffix. Arcs are those of the rack where every rack holds one
/// copy, else of the data center.
Result<Doubling> bisect(const ClusterMap& map, const std::string& suffix, const ExpectedMap& expected);

/// Tokens for a cluster that is yet to be, on a ring of signed 64 bits.
struct OfflineRequest {
  std::vector<std::uint32_t> racks;  ///< how many nodes each has
  std::uint32_t tokens = 16;
  std::uint32_t replicas = 3;
  bool will_grow = false;  ///< leave the ring as growth one by one would, so that the next joins stay even
};
/// A map of recipe cassandra-murmur3 with the nodes node0, node1, … in rack0, rack1, …, dealt to racks in
/// turn as generatetokens does. As many racks as copies, one rack, or more racks than copies.
Result<ClusterMap> allocate_offline(const OfflineRequest& request);

/// A cluster that grows from nothing, one node at a time, by one allocator.
struct GrowthScenario {
  std::uint32_t nodes = 100;
  std::uint32_t tokens = 16;
  std::uint32_t replicas = 3;
  bool racks = false;  ///< as many racks as copies, joined in turn; else one rack
  Allocator allocator = Allocator::arcwise;
  /// Beyond so many nodes two join at once, each on the view without the other.
  std::optional<std::uint32_t> stale_join;
  std::uint64_t seed = 1;  ///< of random tokens
};
struct GrowthStep {
  std::uint32_t nodes = 0;
  double most = 0, least = 0;  ///< of what nodes hold over what is fair for them (in their rack, with racks)
};
/// One step a size; with racks only sizes where all have as many nodes.
std::vector<GrowthStep> simulate_growth(const GrowthScenario& scenario);

}  // namespace arcwise
