#include "study/apply_spaced.hpp"

#include <algorithm>
#include <string>

namespace arcwise {
namespace {

Error fault(std::string what, std::string why, std::string advice) {
  return {ErrorKind::input, {}, std::move(what), std::move(why), std::move(advice)};
}

std::optional<Error> check_wanted(const ClusterMap::Parts& parts, const PartRules& rules) {
  const bool partial = std::any_of(rules.drains.begin(), rules.drains.end(),
                                   [](const PartRules::Drain& drain) { return drain.by < 1; });
  if (!rules.pins.empty() || !rules.exclusions.empty() || rules.at_most || partial)
    return fault(
        parts.cluster,
        "partitions of this ring keep their distance, which a pin, an exclusion or a part of the moves "
        "would break",
        "plan the whole change, or write the ring as it shall become in a second map: --to");
  for (const Node& node : parts.nodes)
    if (node.weight != parts.nodes.front().weight)
      return fault(node.name, "Riak knows no weights: every node claims as many partitions as the others",
                   "leave weights out");
  return std::nullopt;
}

PartsMoved told(const SpacedAssignment& done, std::size_t nodes) {
  std::vector<std::uint64_t> held(nodes, 0);
  for (NodeIndex n : done.owners) ++held[n];
  const auto [fewest, most] = std::minmax_element(held.begin(), held.end());
  return {done.owners.size(), done.moved, 0, done.least, *fewest, *most, 0, done.close};
}

std::string proof_of(const PartsMoved& done, std::uint32_t spacing) {
  return std::to_string(done.moved) + " of " + std::to_string(done.copies) + " partitions move, and " +
         (done.least == done.moved
              ? "that is the proven least"
              : "a longer search may find fewer; at least " + std::to_string(done.least) + " have to") +
         "; " +
         (done.together ? std::to_string(done.together) + " pairs of one node's partitions are closer than " +
                              std::to_string(spacing)
                        : "any " + std::to_string(spacing) + " in a row lie on different nodes") +
         "; nodes hold from " + std::to_string(done.fewest) + " to " + std::to_string(done.most);
}

}  // namespace

bool held_in_a_row(const PlacementSettings& placement) {
  return placement.recipe->name == "riak";
}

Result<PartsMoved> hand_out_spaced(ClusterMap::Parts& parts, const HandOut& wanted,
                                   std::vector<Finding>& notes) {
  if (auto error = check_wanted(parts, wanted.rules)) return *error;
  std::vector<NodeIndex> number(parts.nodes.size(), no_node), node_of;
  for (NodeIndex n = 0; n < parts.nodes.size(); ++n) {
    if (wanted.leaving.count(n) || parts.nodes[n].state != NodeState::normal) continue;
    number[n] = static_cast<NodeIndex>(node_of.size());
    node_of.push_back(n);
  }
  if (node_of.empty()) return fault("", "no node would hold anything", "keep one");
  std::vector<NodeIndex> previous;
  for (const TableRow& row : parts.placement.table) {
    const NodeIndex owner = row.owners.empty() ? no_node : number[row.owners.front()];
    previous.resize(static_cast<std::size_t>(row.upto.value) + 1, owner);
  }
  const auto nodes = static_cast<std::uint32_t>(node_of.size());
  const std::uint32_t spacing = std::min(parts.replicas.count + 1, nodes);
  const auto done = assign_spaced(previous, nodes, spacing);
  if (!done) return done.error();
  parts.placement.table.clear();
  for (std::size_t p = 0; p < done->owners.size(); ++p)
    parts.placement.table.push_back({{p}, {node_of[done->owners[p]]}});
  const PartsMoved out = told(*done, node_of.size());
  notes.push_back({Finding::Severity::info, "parts-moved", "", proof_of(out, spacing), ""});
  return out;
}

}  // namespace arcwise
