// Doubling: a twin for every node, at the middle of each of its arcs.
#include <map>

#include "arcwise/check.hpp"
#include "study/allocate_scope.hpp"

namespace arcwise {
namespace {

using Middles = std::map<NodeIndex, std::vector<std::uint64_t>>;

// The middles of all arcs of the ring that a node's rack shares.
Result<Middles> middles_around(const ClusterMap& map, const Node& node) {
  NewNode like;
  like.name = node.name;
  like.rack = node.rack;
  like.zone = node.zone;
  like.host = node.host;
  const auto scope = scope_of(map, like, Allocator::arcwise);
  if (!scope) return scope.error();
  Middles out;
  const auto& tokens = scope->ring.tokens;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::uint64_t before = tokens[i == 0 ? tokens.size() - 1 : i - 1].at;
    const std::uint64_t length = tokens[i].at - before;
    // A ring of one token is one arc: its middle lies opposite.
    const std::uint64_t half = length == 0 ? std::uint64_t{1} << 63 : length / 2;
    if (half == 0)
      return Error{ErrorKind::input,
                   {},
                   map.nodes()[scope->node_of[tokens[i].unit]].name,
                   "an arc of this node is one position long and cannot be halved",
                   "let single nodes join instead"};
    out[scope->node_of[tokens[i].unit]].push_back(before + half);
  }
  return out;
}

}  // namespace

Result<Doubling> bisect(const ClusterMap& map, const std::string& suffix, const ExpectedMap& expected) {
  const Placement before = compile(map);
  const Fingerprints prints = fingerprints(before);
  if (auto error = guard_allocation(map, prints.fingerprint, expected)) return *error;
  const auto given = with_given_tokens(map, suffix);
  if (!given) return given.error();
  const RingScale scale(map.space());
  Middles middles;
  std::vector<Doubling::Twin> twins;
  Change change;
  for (NodeIndex n = 0; n < given->nodes().size(); ++n) {
    const Node& node = given->nodes()[n];
    if (!middles.count(n)) {
      auto found = middles_around(*given, node);
      if (!found) return found.error();
      middles.merge(*found);
    }
    NewNode twin;
    twin.name = node.name + suffix;
    twin.rack = node.rack;
    twin.zone = node.zone;
    twin.weight = node.weight;
    Doubling::Twin& told = twins.emplace_back(Doubling::Twin{node.name, twin.name, {}});
    for (std::uint64_t at : middles[n]) {
      told.tokens.push_back(scale.to_token(at));
      twin.tokens.push_back(to_text(map.space(), told.tokens.back()));
    }
    change.add.push_back(std::move(twin));
  }
  std::vector<Finding> warnings;
  const auto after = apply(*given, change, warnings);
  if (!after) return after.error();
  return Doubling{std::move(twins), prints.fingerprint,        map.epoch(),
                  *after,           ownership(before).balance, ownership(compile(*after)).balance};
}

}  // namespace arcwise
