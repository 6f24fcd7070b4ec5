#include "arcwise/retoken.hpp"

#include <algorithm>
#include <cmath>

#include "arcwise/repair.hpp"

namespace arcwise {
namespace {

// What the others of its zone have for a node of this weight; nothing where they differ or there are none.
std::optional<std::uint64_t> usual_count(const ClusterMap& map, const Node& node) {
  std::optional<double> per_weight;
  for (const Node& peer : map.nodes()) {
    if (peer.name == node.name || peer.zone != node.zone || peer.tokens.empty() || peer.weight <= 0) continue;
    const double here = static_cast<double>(peer.tokens.size()) / peer.weight;
    if (per_weight && *per_weight != here) return std::nullopt;
    per_weight = here;
  }
  if (!per_weight) return std::nullopt;
  return static_cast<std::uint64_t>(std::max(1.0, std::floor(*per_weight * node.weight + 0.5)));
}

NewNode same_again(const Node& node) {
  return {node.name, node.address, node.host, node.rack, node.zone, node.weight, {}};
}

}  // namespace

std::optional<TokenCountChange> token_count_change(const ClusterMap& before, const ClusterMap& after) {
  if (!repairs_ranges(before) || !repairs_ranges(after)) return std::nullopt;
  for (const Node& node : after.nodes()) {
    if (node.tokens.empty()) continue;
    const auto was = before.find(node.name);
    const auto count =
        was ? std::optional<std::uint64_t>(before.nodes()[*was].tokens.size()) : usual_count(before, node);
    if (count && *count > 0 && *count != node.tokens.size())
      return TokenCountChange{node.name, node.zone, *count, node.tokens.size(), !was};
  }
  return std::nullopt;
}

Result<Retoken> retoken(const ClusterMap& map, const RetokenRequest& request) {
  const auto index = map.find(request.node);
  if (!index)
    return Error{ErrorKind::input, {}, request.node, "the map has no node of this name", "look at `status`"};
  Change leave;
  leave.remove.push_back(request.node);
  std::vector<Finding> warnings;
  const auto without = apply(map, leave, warnings);
  if (!without) return without.error();
  AllocateRequest join;
  join.node = same_again(map.nodes()[*index]);
  join.tokens = request.tokens;
  join.allocator = request.allocator;
  join.seed = request.seed;
  join.extra_movement = request.extra_movement;
  auto joined = allocate(*without, join);
  if (!joined) return joined.error();
  return Retoken{*without, std::move(*joined)};
}

}  // namespace arcwise
