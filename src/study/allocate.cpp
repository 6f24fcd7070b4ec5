// A join with chosen tokens: guards, the ring, the rule, and the map after it.
#include "arcwise/allocate.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "arcwise/check.hpp"
#include "study/allocate_scope.hpp"
#include "study/allocate_shift.hpp"
#include "study/newcomer.hpp"
#include "study/rng.hpp"

namespace arcwise {
namespace {

struct Name {
  Allocator allocator;
  std::string_view name;
};
constexpr Name names[] = {
    {Allocator::arcwise, "arcwise"}, {Allocator::cassandra, "cassandra"}, {Allocator::random, "random"}};

std::uint32_t usual_tokens(const AllocationScope& scope, const ClusterMap& map, double weight) {
  std::vector<double> per_weight;
  const auto add = [&](const Node& n) {
    if (n.weight > 0 && !n.tokens.empty())
      per_weight.push_back(static_cast<double>(n.tokens.size()) / n.weight);
  };
  for (NodeIndex n : scope.node_of) add(map.nodes()[n]);
  if (per_weight.empty())
    for (const Node& n : map.nodes()) add(n);
  if (per_weight.empty()) return 16;
  std::sort(per_weight.begin(), per_weight.end());
  const double wanted = std::floor(per_weight[(per_weight.size() - 1) / 2] * weight + 0.5);
  return static_cast<std::uint32_t>(std::clamp(wanted, 1.0, double{most_allocated_tokens}));
}

std::vector<std::uint64_t> random_tokens(const Joiner& joiner, std::uint64_t seed) {
  Rng rng(seed ^ joiner.first);
  std::vector<std::uint64_t> out(joiner.tokens);
  for (std::uint64_t& at : out) at = rng.next();
  return out;
}

Result<std::vector<std::uint64_t>> choose(const ClusterMap& map, const AllocationScope& scope,
                                          const AllocateRequest& request) {
  if (request.allocator == Allocator::random) return random_tokens(scope.joiner, request.seed);
  if (request.allocator == Allocator::arcwise) return arcwise_tokens(scope.ring, scope.joiner);
  if (map.space() != TokenSpace::signed_64())
    return Error{
        ErrorKind::input,
        {},
        request.node.name,
        "Cassandra's allocators compute with the tokens of Murmur3Partitioner, and this ring has others",
        "take another --algorithm"};
  return cassandra_tokens(scope.ring, scope.joiner);
}

std::optional<Error> relieve(const ClusterMap& map, const std::string& name, const AllocateRequest& request,
                             AllocationScope& scope) {
  if (request.allocator != Allocator::arcwise)
    return Error{ErrorKind::input,
                 {},
                 name,
                 "only Arcwise's own algorithm can relieve one node",
                 "leave out --algorithm"};
  const auto node = map.find(name);
  if (!node) return Error{ErrorKind::input, {}, name, "the map has no node of this name", "look at `status`"};
  const auto at = std::find(scope.node_of.begin(), scope.node_of.end(), *node);
  if (at == scope.node_of.end())
    return Error{ErrorKind::input,
                 {},
                 name,
                 "this node shares no ring with the new one, which cannot relieve it",
                 "put the new node into its rack, '" + map.nodes()[*node].rack + "'"};
  scope.joiner.relieved = static_cast<std::uint32_t>(at - scope.node_of.begin());
  return std::nullopt;
}

// The joiner is the last of the ring's units and of the map's nodes.
std::optional<Error> shift(Allocation& out, AllocationScope& scope, const AllocateRequest& request) {
  if (request.extra_movement <= 0) return std::nullopt;
  const RingScale scale(out.after.space());
  std::vector<std::uint64_t> chosen;
  for (Token t : out.tokens) chosen.push_back(scale.to_ring(t));
  scope.ring.join(scope.joiner.group, scope.joiner.weight, chosen);
  scope.node_of.push_back(static_cast<NodeIndex>(out.after.nodes().size() - 1));
  const Shifted shifted = shift_tokens(scope.ring, request.extra_movement * held_by_unit(scope.ring).back());
  out.moved_beside = shifted.moved;
  ClusterMap::Parts parts = out.after.parts();
  for (const TokenShift& s : shifted.shifts) {
    Node& node = parts.nodes[scope.node_of[s.unit]];
    const Token from = scale.to_token(s.from), to = scale.to_token(s.to);
    const auto at = std::find(node.tokens.begin(), node.tokens.end(), from);
    if (at == node.tokens.end() || from == to) continue;
    *at = to;
    out.shifts.push_back({node.name, from, to});
  }
  for (Node& node : parts.nodes) std::sort(node.tokens.begin(), node.tokens.end());
  auto map = ClusterMap::build(std::move(parts));
  if (!map) return map.error();
  out.after = *map;
  out.tokens = out.after.nodes().back().tokens;
  return std::nullopt;
}

// A position that another node has gives way to the next free one, as in Cassandra.
std::vector<Token> free_tokens(const ClusterMap& map, const std::vector<std::uint64_t>& chosen) {
  std::set<Token> taken;
  for (const Node& n : map.nodes()) taken.insert(n.tokens.begin(), n.tokens.end());
  if (map.space() == TokenSpace::signed_64())
    taken.insert({0});  // Murmur3Partitioner's minimum, no node's token
  const RingScale scale(map.space());
  std::vector<Token> out;
  for (std::uint64_t at : chosen) {
    Token token = scale.to_token(at);
    while (!taken.insert(token).second) token.value = token.value == map.space().last ? 0 : token.value + 1;
    out.push_back(token);
  }
  std::sort(out.begin(), out.end());
  return out;
}

// What it held, what it is left with, and what it would be at best.
Allocation::Relief relief_of(NodeIndex node, const Ownership& before, const Ownership& after, double most,
                             const ClusterMap& map) {
  const double held = before.nodes[node].effective.value();
  return {map.nodes()[node].name, held, after.nodes[node].effective.value(), std::max(held / 2, held - most)};
}

std::string epoch_text(std::optional<std::uint64_t> epoch) {
  return epoch ? "epoch " + std::to_string(*epoch) : std::string("no epoch");
}

}  // namespace

std::optional<Error> guard_allocation(const ClusterMap& map, const std::string& fingerprint,
                                      const ExpectedMap& expected) {
  constexpr std::string_view look_again = "read the map again: tokens chosen on a stale view stay bad";
  if (expected.fingerprint && *expected.fingerprint != fingerprint)
    return Error{ErrorKind::refused,
                 {},
                 *expected.fingerprint,
                 "the map is another one than expected: its fingerprint is " + fingerprint,
                 std::string(look_again)};
  if (expected.epoch && expected.epoch != map.epoch())
    return Error{ErrorKind::refused,
                 {},
                 std::to_string(*expected.epoch),
                 "the map is another one than expected: it has " + epoch_text(map.epoch()),
                 std::string(look_again)};
  for (const Node& n : map.nodes())
    if (n.state == NodeState::joining)
      return Error{ErrorKind::refused,
                   {},
                   n.name,
                   "this node is still joining, and its tokens would be chosen against",
                   "wait until it owns its ranges; one that will not come belongs out of the map"};
  return std::nullopt;
}

// A hashed ring with its tokens spelled out, so that nodes with chosen ones can stand beside.
Result<ClusterMap> with_given_tokens(const ClusterMap& map, const std::string& joiner) {
  const PlacementSettings& placement = map.placement();
  if (placement.given || placement.recipe->points == PointRule::given) return map;
  if (!placement.recipe->given_allowed)
    return Error{ErrorKind::input,
                 {},
                 joiner,
                 "recipe " + std::string(placement.recipe->name) +
                     " makes positions itself: there are no tokens to choose",
                 "tokens are chosen for recipe ring and for the rings of Cassandra and ScyllaDB"};
  ClusterMap::Parts parts = map.parts();
  parts.placement.given = true;
  const Placement compiled = compile(map);
  for (std::size_t i = 0; i < compiled.entry_count(); ++i) {
    const Placement::Entry entry = compiled.entry(i);
    if (i > 0 && compiled.entry(i - 1).token == entry.token) continue;  // lost its position to the one before
    parts.nodes[entry.node].tokens.push_back(entry.token);
  }
  return ClusterMap::build(std::move(parts));
}

std::string_view to_string(Allocator allocator) {
  for (const Name& n : names)
    if (n.allocator == allocator) return n.name;
  return "";
}

std::optional<Allocator> find_allocator(std::string_view name) {
  for (const Name& n : names)
    if (n.name == name) return n.allocator;
  return std::nullopt;
}

Result<Allocation> allocate(const ClusterMap& map, const AllocateRequest& request) {
  const Placement before = compile(map);
  const Fingerprints prints = fingerprints(before);
  if (auto error = guard_allocation(map, prints.fingerprint, request.expected)) return *error;
  const auto given = with_given_tokens(map, request.node.name);
  if (!given) return given.error();
  NewNode joiner = request.node;
  std::vector<Finding> settled;  // apply() finds the same
  if (auto error = settle_place(*given, joiner, settled)) return *error;
  auto scope = scope_of(*given, joiner, request.allocator);
  if (!scope) return scope.error();
  scope->joiner.tokens =
      request.tokens ? *request.tokens : usual_tokens(*scope, *given, request.node.weight.value_or(1));
  if (request.relieve)
    if (auto error = relieve(*given, *request.relieve, request, *scope)) return *error;
  const auto chosen = choose(*given, *scope, request);
  if (!chosen) return chosen.error();

  const std::vector<Token> tokens = free_tokens(*given, *chosen);
  Change change;
  change.add.push_back(request.node);
  change.add.back().tokens.clear();
  for (Token t : tokens) change.add.back().tokens.push_back(to_text(map.space(), t));
  std::vector<Finding> warnings;
  const auto after = apply(*given, change, warnings);
  if (!after) return after.error();
  const Ownership owned_before = ownership(before);
  Allocation out{tokens, prints.fingerprint,  map.epoch(), *after, owned_before.balance,
                 {},     std::move(warnings), {},          0,      0,
                 {}};
  const std::uint32_t relieved = scope->joiner.relieved;
  const double most =
      request.relieve ? most_relief(scope->ring, relieved, scope->joiner.group) : 0;  // before it has joined
  if (auto error = shift(out, *scope, request)) return *error;
  const Ownership own = ownership(compile(out.after));
  out.balance_after = own.balance;
  out.moved = own.nodes.back().effective.value();
  if (request.relieve) out.relief = relief_of(scope->node_of[relieved], owned_before, own, most, out.after);
  return out;
}

}  // namespace arcwise
