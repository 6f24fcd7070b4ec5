// Which nodes of a map make up the ring that a joining node's tokens compete on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arcwise/allocate.hpp"
#include "study/allocate_ring.hpp"

namespace arcwise {

/// Positions of any power of two, as 64 bits and back.
class RingScale {
 public:
  explicit RingScale(const TokenSpace& space);
  std::uint64_t to_ring(Token token) const;
  Token to_token(std::uint64_t at) const;

 private:
  unsigned bits_;
};

struct AllocationScope {
  AllocationRing ring;
  Joiner joiner;                   ///< without its number of tokens
  std::vector<NodeIndex> node_of;  ///< by unit
};
/// The data center where copies are counted per zone; the rack alone where every rack holds one copy; else
/// everything, with racks or nodes as groups. Cassandra places the first node of a rack as if there were no
/// racks, and refuses where racks are fewer than copies.
Result<AllocationScope> scope_of(const ClusterMap& map, const NewNode& node, Allocator allocator);

/// Refused: another map than expected, or a node that is still joining.
std::optional<Error> guard_allocation(const ClusterMap& map, const std::string& fingerprint,
                                      const ExpectedMap& expected);
/// A hashed ring with its tokens spelled out, so that nodes with chosen ones can stand beside; a ring of
/// given tokens as it is; an error for other maps.
Result<ClusterMap> with_given_tokens(const ClusterMap& map, const std::string& joiner);

}  // namespace arcwise
