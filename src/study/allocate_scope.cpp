#include "study/allocate_scope.hpp"

#include <algorithm>
#include <set>

#include "model/build.hpp"

namespace arcwise {
namespace {

// The group that the map will count it in.
std::string group_of(const NewNode& joiner, Across across) {
  Node node;
  node.name = joiner.name;
  node.address = joiner.address;
  node.host = joiner.host;
  node.rack = joiner.rack;
  node.zone = joiner.zone;
  if (node.host.empty()) node.host = default_host(node);
  return group_name(node, across);
}

std::uint32_t copies_in(const ReplicaPolicy& policy, const std::string& zone) {
  if (policy.per_zone.empty()) return policy.count;
  for (const ZoneCount& z : policy.per_zone)
    if (z.zone == zone) return z.count;
  return 0;
}

/// Which members, in which groups, hold how many copies.
struct Shape {
  bool own_group_only = false;
  bool by_group = false;  ///< else every node is a group
  std::uint32_t copies = 1;
};

Result<Shape> shape_of(std::uint32_t copies, std::size_t groups, bool known, bool by_node,
                       Allocator allocator, const std::string& name) {
  if (copies <= 1) return Shape{};
  const std::size_t counted = allocator == Allocator::cassandra ? (known ? groups : 1) : groups + !known;
  if (by_node || counted == 1) return Shape{false, false, copies};
  if (counted > copies) return Shape{false, true, copies};
  if (counted < copies && allocator == Allocator::cassandra)
    return Error{ErrorKind::input,
                 {},
                 name,
                 "Cassandra chooses no tokens where a data center has more than one rack and fewer than "
                 "copies: " +
                     std::to_string(counted) + " racks, " + std::to_string(copies) + " copies",
                 "give the node a rack that has none yet, or take another --algorithm"};
  return Shape{true, false, 1};
}

}  // namespace

// A ring of 0…2^127, as RandomPartitioner's, is cut off at its one last position.
RingScale::RingScale(const TokenSpace& space) : bits_(0) {
  u128 rest = (space.last & (space.last - 1)) == 0 && space.last > 1 ? space.last - 1 : space.last;
  for (; rest > 0; rest >>= 1) ++bits_;
}

std::uint64_t RingScale::to_ring(Token token) const {
  return static_cast<std::uint64_t>(bits_ <= 64 ? token.value << (64 - bits_) : token.value >> (bits_ - 64));
}

Token RingScale::to_token(std::uint64_t at) const {
  return {bits_ <= 64 ? u128{at} >> (64 - bits_) : u128{at} << (bits_ - 64)};
}

Result<AllocationScope> scope_of(const ClusterMap& map, const NewNode& node, Allocator allocator) {
  const ReplicaPolicy& policy = map.replicas();
  const std::uint32_t copies = copies_in(policy, node.zone);
  const std::string own = group_of(node, policy.across);
  std::vector<NodeIndex> members;
  std::set<std::string> groups;
  for (NodeIndex n = 0; n < map.nodes().size(); ++n) {
    const Node& other = map.nodes()[n];
    if (other.state == NodeState::joining) continue;
    if (!policy.per_zone.empty() && other.zone != node.zone) continue;
    members.push_back(n);
    groups.insert(group_name(other, policy.across));
  }
  const bool known = groups.count(own) > 0;
  const auto shape =
      shape_of(copies, groups.size(), known, policy.across == Across::node, allocator, node.name);
  if (!shape) return shape.error();

  AllocationScope scope;
  groups.insert(own);
  const auto number = [&](const std::string& group) {
    return static_cast<std::uint32_t>(std::distance(groups.begin(), groups.find(group)));
  };
  const RingScale scale(map.space());
  scope.ring.replicas = shape->copies;
  for (NodeIndex n : members) {
    const Node& other = map.nodes()[n];
    const std::string group = group_name(other, policy.across);
    if (shape->own_group_only && group != own) continue;
    const std::uint32_t unit = scope.ring.units();
    scope.ring.group.push_back(shape->by_group ? number(group) : unit);
    scope.ring.weight.push_back(other.weight);
    for (Token t : other.tokens) scope.ring.tokens.push_back({scale.to_ring(t), unit});
    scope.node_of.push_back(n);
  }
  std::sort(scope.ring.tokens.begin(), scope.ring.tokens.end(),
            [](const HeldToken& a, const HeldToken& b) { return a.at < b.at; });
  scope.joiner.group = shape->by_group ? number(own) : scope.ring.units();
  scope.joiner.weight = node.weight.value_or(1);
  scope.joiner.first = key_hash(KeyHashId::xxh3, node.name);
  return scope;
}

}  // namespace arcwise
