// Tokens for a cluster that is yet to be: equal arcs where nodes are known once for all, else the ring that
// growth one by one would leave.
#include <algorithm>
#include <numeric>
#include <set>

#include "arcwise/allocate.hpp"
#include "study/allocate_ring.hpp"

namespace arcwise {
namespace {

using Order = std::vector<std::uint32_t>;  // units, each once

// Unit numbers in steps that differ from round to round, so that a node's neighbours differ too.
Order order_of_round(std::uint32_t units, std::uint32_t round, std::uint32_t shift) {
  std::uint32_t step = 1 + round % units;
  while (std::gcd(step, units) != 1) step = step % units + 1;
  Order out;
  for (std::uint64_t i = 0; i < units; ++i)
    out.push_back(static_cast<std::uint32_t>((shift + i * step) % units));
  return out;
}

using Groups = std::vector<std::uint32_t>;  // of each unit

// Whether any `copies` tokens in a row are of different groups where the round follows the one before it:
// then every token has copies of exactly as many arcs as there are copies.
bool fits(const Order& before, const Order& round, const Groups& group, std::size_t copies) {
  Order both(before.end() - static_cast<std::ptrdiff_t>(std::min(copies - 1, before.size())), before.end());
  both.insert(both.end(), round.begin(), round.end());
  for (std::size_t i = 0; i < both.size(); ++i)
    for (std::size_t back = 1; back < copies && back <= i; ++back)
      if (group[both[i]] == group[both[i - back]]) return false;
  return true;
}

// Rounds of all units at equal distances. Rounds differ, so that a node's neighbours do, where copies stay on
// different groups, also around the end; the plain order, racks in turn, does that if any does.
std::vector<Order> rounds_of(const Groups& group, std::uint32_t tokens, std::uint32_t copies) {
  const auto units = static_cast<std::uint32_t>(group.size());
  std::vector<Order> rounds{order_of_round(units, 0, 0)};
  for (std::uint32_t number = 1; number < tokens; ++number) {
    Order chosen = rounds.front();
    for (std::uint32_t shift = 0; shift < units; ++shift) {
      const Order tried = order_of_round(units, number, shift);
      if (!fits(rounds.back(), tried, group, copies)) continue;
      if (number + 1 == tokens && !fits(tried, rounds.front(), group, copies)) continue;
      chosen = tried;
      break;
    }
    rounds.push_back(std::move(chosen));
  }
  for (std::size_t i = 0; i < rounds.size(); ++i)
    if (!fits(rounds[i], rounds[(i + 1) % rounds.size()], group, copies))
      return std::vector<Order>(tokens, rounds.front());
  return rounds;
}

std::vector<std::vector<std::uint64_t>> equal_arcs(const Groups& group, std::uint32_t tokens,
                                                   std::uint32_t copies, std::uint64_t first) {
  std::vector<std::vector<std::uint64_t>> out(group.size());
  const u128 all = u128{group.size()} * tokens;
  u128 place = 0;
  for (const Order& round : rounds_of(group, tokens, copies))
    for (std::uint32_t unit : round)
      out[unit].push_back(first + static_cast<std::uint64_t>((place++ << 64) / all));
  return out;
}

// The groups of the units in the order in which they join.
std::vector<std::vector<std::uint64_t>> grown(const Groups& groups, std::uint32_t tokens,
                                              std::uint32_t replicas, std::uint64_t first) {
  AllocationRing ring;
  ring.replicas = replicas;
  std::vector<std::vector<std::uint64_t>> out;
  for (std::uint32_t group : groups) {
    out.push_back(arcwise_tokens(ring, {group, 1, tokens, first}));
    ring.join(group, 1, out.back());
  }
  return out;
}

// node i joins the next rack that has room, racks taking turns.
std::vector<std::uint32_t> deal(std::vector<std::uint32_t> room) {
  std::vector<std::uint32_t> out;
  const std::uint64_t nodes = std::accumulate(room.begin(), room.end(), std::uint64_t{0});
  for (std::uint32_t rack = 0; out.size() < nodes;
       rack = (rack + 1) % static_cast<std::uint32_t>(room.size()))
    if (room[rack] > 0) {
      --room[rack];
      out.push_back(rack);
    }
  return out;
}

std::optional<Error> refused(const OfflineRequest& request) {
  const auto fault = [](std::uint64_t what, std::string why, std::string advice) {
    return Error{ErrorKind::input, {}, std::to_string(what), std::move(why), std::move(advice)};
  };
  std::uint64_t nodes = 0;
  for (std::uint32_t n : request.racks) {
    if (n == 0) return fault(n, "a rack without nodes", "leave it out");
    nodes += n;
  }
  if (nodes > 2000 || nodes * request.tokens > 1'000'000)
    return fault(nodes, "more nodes or tokens than are generated at once", "take at most 2,000 nodes");
  if (nodes < request.replicas)
    return fault(nodes, "fewer nodes than copies", "add nodes, or lower the replica count");
  if (request.racks.size() > 1 && request.racks.size() < request.replicas)
    return fault(request.racks.size(), "fewer racks than copies: which rack holds two is chance",
                 "take one rack, or as many as copies");
  return std::nullopt;
}

Result<ClusterMap> map_of(const OfflineRequest& request, const std::vector<std::uint32_t>& rack_of,
                          const std::vector<std::vector<std::uint64_t>>& chosen) {
  ClusterMap::Parts parts;
  parts.placement.recipe = find_recipe("cassandra-murmur3");
  parts.placement.hash = parts.placement.recipe->hash;
  parts.placement.given = true;
  parts.replicas = {request.replicas, Across::rack, WhenShort::repeat, {}};
  std::set<std::uint64_t> taken{0};  // Murmur3Partitioner's minimum
  for (std::size_t n = 0; n < rack_of.size(); ++n) {
    Node& node = parts.nodes.emplace_back();
    node.name = "node" + std::to_string(n);
    node.rack = "rack" + std::to_string(rack_of[n]);
    for (std::uint64_t at : chosen[n]) {
      while (!taken.insert(at).second) ++at;
      node.tokens.push_back({at});
    }
    std::sort(node.tokens.begin(), node.tokens.end());
  }
  return ClusterMap::build(std::move(parts));
}

}  // namespace

Result<ClusterMap> allocate_offline(const OfflineRequest& request) {
  if (auto error = refused(request)) return *error;
  const std::vector<std::uint32_t> rack_of = deal(request.racks);
  const auto racks = static_cast<std::uint32_t>(request.racks.size());
  const auto nodes = static_cast<std::uint32_t>(rack_of.size());
  const bool rack_rings = racks > 1 && racks == request.replicas;
  const bool equal_racks = std::all_of(request.racks.begin(), request.racks.end(),
                                       [&](std::uint32_t n) { return n == request.racks[0]; });
  std::vector<std::vector<std::uint64_t>> chosen(nodes);
  for (std::uint32_t ring = 0; ring < (rack_rings ? racks : 1); ++ring) {
    std::vector<std::uint32_t> members;
    Groups groups;
    for (std::uint32_t n = 0; n < nodes; ++n)
      if (!rack_rings || rack_of[n] == ring) members.push_back(n);
    for (std::uint32_t n : members) groups.push_back(racks > request.replicas ? rack_of[n] : n);
    const std::uint32_t copies = rack_rings ? 1 : request.replicas;
    // Rings of racks start apart, so that no two of their tokens meet.
    const auto first =
        static_cast<std::uint64_t>((u128{2 * ring + 1} << 63) / (u128{nodes} * request.tokens));
    // More racks than copies: racks can take turns only where all have the same size.
    const bool plain = racks <= request.replicas || equal_racks;
    auto tokens = request.will_grow || !plain ? grown(groups, request.tokens, copies, first)
                                              : equal_arcs(groups, request.tokens, copies, first);
    for (std::size_t i = 0; i < members.size(); ++i) chosen[members[i]] = std::move(tokens[i]);
  }
  return map_of(request, rack_of, chosen);
}

}  // namespace arcwise
