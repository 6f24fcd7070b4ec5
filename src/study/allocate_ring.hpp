// The ring on which the tokens of a joining node compete, and what choosing tokens means on it.
//
// Layer: study. A rule is a pure function: the same ring and joiner give the same tokens on every machine.
#pragma once

#include <cstdint>
#include <vector>

namespace arcwise {

struct HeldToken {
  std::uint64_t at;    ///< ring order, 0…2^64-1
  std::uint32_t unit;  ///< who holds it
  friend bool operator==(const HeldToken&, const HeldToken&) = default;
};

/// Units are nodes. A range is held by the first `replicas` distinct groups from its end on, as the first
/// unit of each. Where every group holds exactly one copy (racks as many as copies) each rack is a ring of
/// its own with one replica.
struct AllocationRing {
  std::uint32_t replicas = 1;
  std::vector<std::uint32_t> group;  ///< of each unit
  std::vector<double> weight;        ///< of each unit
  std::vector<HeldToken> tokens;     ///< ascending, distinct

  std::uint32_t units() const { return static_cast<std::uint32_t>(group.size()); }
  void insert(HeldToken token);
  /// The joiner as the next unit, with its tokens.
  void join(std::uint32_t joiner_group, double joiner_weight, const std::vector<std::uint64_t>& chosen);
  /// Without this unit and its tokens; those numbered after it move up by one.
  void leave(std::uint32_t unit);
};

struct Joiner {
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};

  std::uint32_t group = 0;
  double weight = 1;
  std::uint32_t tokens = 16;
  std::uint64_t first = 0;          ///< where the first token of an empty ring stands
  std::uint32_t relieved = nobody;  ///< the unit of which Arcwise's own takes half
};

/// What a unit holds, as a fraction of the ring: 0…1, summing to the number of replicas.
std::vector<double> held_by_unit(const AllocationRing& ring);
/// How much of it one joiner of this group can take at most: all of it where the two share a group; else what
/// the unit holds as the last owner, behind no unit of that group.
double most_relief(const AllocationRing& ring, std::uint32_t unit, std::uint32_t joiner_group);

// The rules. Each returns joiner.tokens positions, ascending, none of which the ring has.

/// Cassandra's allocators (4.x), token for token: the one for replicas where ring.replicas > 1, else the one
/// without.
std::vector<std::uint64_t> cassandra_tokens(const AllocationRing& ring, const Joiner& joiner);

/// Arcwise's own: any weights, one search for one and for several copies.
std::vector<std::uint64_t> arcwise_tokens(const AllocationRing& ring, const Joiner& joiner);

}  // namespace arcwise
