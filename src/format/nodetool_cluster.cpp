#include "format/nodetool_cluster.hpp"

#include <algorithm>
#include <set>

#include "format/nodetool_replicas.hpp"

namespace arcwise {
namespace {

using Live = SeenNode::Live;
using State = SeenNode::State;

std::string text_of(Live live) {
  switch (live) {
    case Live::up:
      return "up";
    case Live::down:
      return "down";
    case Live::excluded:
      return "excluded";
    case Live::unknown:
    case Live::unsaid:
      break;
  }
  return "of unknown status";
}

std::string text_of(State state) {
  switch (state) {
    case State::leaving:
      return "leaving";
    case State::joining:
      return "joining";
    case State::moving:
      return "moving";
    case State::normal:
    case State::unsaid:
      break;
  }
  return "normal";
}

// What base and side say of one node, where they disagree.
std::vector<std::string> differences(const SeenNode& base, const SeenNode& side) {
  std::vector<std::string> out;
  const auto differ = [&](const std::string& field, const std::string& a, const std::string& b) {
    if (a != b) out.push_back(field + " " + a + " and " + b);
  };
  if (!base.zone.empty() && !side.zone.empty()) differ("data center", base.zone, side.zone);
  if (!base.rack.empty() && !side.rack.empty()) differ("rack", base.rack, side.rack);
  if (base.live != Live::unsaid && side.live != Live::unsaid)
    differ("status", text_of(base.live), text_of(side.live));
  if (base.state != State::unsaid && side.state != State::unsaid)
    differ("state", text_of(base.state), text_of(side.state));
  if (base.tokens.empty()) return out;
  if (side.token_count && *side.token_count != base.tokens.size())
    out.push_back(std::to_string(base.tokens.size()) + " and " + std::to_string(*side.token_count) +
                  " tokens");
  const auto values = [](const SeenNode& node) {
    std::set<Token> tokens;
    for (const Marked<Token>& token : node.tokens) tokens.insert(token.value);
    return tokens;
  };
  if (!side.tokens.empty() && values(base) != values(side)) out.emplace_back("different tokens");
  return out;
}

void adopt(SeenNode& node, const SeenNode& side) {
  if (node.live == Live::unsaid || side.live == Live::down || side.live == Live::excluded)
    node.live = side.live;
  if (node.state == State::unsaid) node.state = side.state;
  if (!node.load_bytes) node.load_bytes = side.load_bytes;
  if (!node.owns) node.owns = side.owns;
  if (node.zone.empty()) node.zone = side.zone;
  if (node.rack.empty()) node.rack = side.rack;
}

void report_gone(const NodetoolView& base, const NodetoolView& side, const SeenNode& node,
                 std::vector<Finding>& findings) {
  const std::string holds =
      base.ranges.empty() ? std::to_string(node.tokens.size()) + " tokens" : "replicas of ranges";
  findings.push_back(
      {Finding::Severity::error, "gone-node", node.address,
       base.file + " gives " + node.address + " " + holds + ", but " + side.file + " does not list the node",
       "if it is gone, `nodetool removenode` (or assassinate) hands its ranges on; then repair them"});
}

void add_side(NodetoolView& base, const NodetoolView& side, std::vector<Finding>& findings) {
  for (SeenNode& node : base.nodes) {
    const auto at = side.find(node.address);
    if (!at) {
      report_gone(base, side, node, findings);
      continue;
    }
    for (const std::string& difference : differences(node, side.nodes[*at]))
      findings.push_back({Finding::Severity::warning, "views-differ", node.address,
                          base.file + " and " + side.file + " disagree: " + difference,
                          "take both outputs at the same time, from the same node"});
    adopt(node, side.nodes[*at]);
  }
  for (const SeenNode& node : side.nodes) {
    if (base.find(node.address)) continue;
    const bool keyspace = !base.ranges.empty();
    findings.push_back({keyspace ? Finding::Severity::info : Finding::Severity::warning,
                        keyspace ? "no-replica" : "views-differ", node.address,
                        side.file + " lists " + node.address + " (" + text_of(node.state) + "), which " +
                            (keyspace ? "holds no range in " : "has no token in ") + base.file,
                        keyspace ? "a data center without replicas of this keyspace, or a joining node"
                                 : "take both outputs at the same time"});
  }
}

void report_states(const NodetoolView& base, std::vector<Finding>& findings) {
  for (const SeenNode& node : base.nodes) {
    if (node.state == State::moving)
      findings.push_back({Finding::Severity::warning, "moving-node", node.address,
                          "the node is moving to another token; this is the ring before the move",
                          "look again when the move is done"});
    if (node.live == Live::unknown)
      findings.push_back({Finding::Severity::warning, "status-unknown", node.address,
                          "whether the node is up is not known; it is taken as up", "ask another node"});
    if (node.live == Live::excluded)
      findings.push_back({Finding::Severity::warning, "excluded-node", node.address,
                          "the node is excluded; it is taken as down", ""});
  }
}

std::vector<Node> nodes_of(const NodetoolView& view) {
  std::vector<Node> nodes;
  for (const SeenNode& seen : view.nodes) {
    Node node;
    node.name = node.address = seen.address;
    node.zone = seen.zone;
    node.rack = seen.rack;
    if (seen.state == State::leaving) node.state = NodeState::leaving;
    // A listed endpoint holds its ranges whatever else is said of it.
    if (seen.state == State::joining && view.ranges.empty()) node.state = NodeState::joining;
    for (const Marked<Token>& token : seen.tokens) node.tokens.push_back(token.value);
    nodes.push_back(std::move(node));
  }
  return nodes;
}

Observed observe(const NodetoolView& view, bool owns_effective) {
  Observed out;
  out.format = std::string(view.format);
  out.down = NodeSet(view.nodes.size());
  for (std::size_t i = 0; i < view.nodes.size(); ++i) {
    const SeenNode& node = view.nodes[i];
    if (node.live == Live::down || node.live == Live::excluded) out.down.insert(static_cast<NodeIndex>(i));
    out.load_bytes.push_back(node.load_bytes);
    out.printed_share.push_back(node.owns);
  }
  const auto unset = [](const auto& values) {
    return std::none_of(values.begin(), values.end(), [](const auto& v) { return v.has_value(); });
  };
  if (unset(out.load_bytes)) out.load_bytes.clear();
  if (!owns_effective) out.printed_share.clear();
  return out;
}

Error no_tokens(const NodetoolView& view) {
  return {ErrorKind::input, view.nodes.front().at, view.nodes.front().address,
          "`nodetool status` of a cluster with vnodes does not list the tokens",
          "bring the output of `nodetool ring` too, or of `nodetool describering KEYSPACE`"};
}

}  // namespace

Result<Cluster> nodetool_cluster(NodetoolView base, std::span<const NodetoolView> beside,
                                 const LoadOptions& options) {
  if (!base.lists_tokens) return no_tokens(base);
  std::vector<Finding> findings = std::move(base.findings);
  for (const NodetoolView& side : beside) add_side(base, side, findings);
  report_states(base, findings);

  ClusterMap::Parts parts;
  parts.nodes = nodes_of(base);
  bool owns_effective = false;
  if (base.ranges.empty()) {
    parts.placement.recipe = find_recipe(base.recipe);
    parts.placement.given = true;
    DerivedPolicy derived = policy_of_owns(base.nodes, options, findings);
    owns_effective = derived.owns_effective;
    parts.replicas = derived.policy;
    parts.placement.hash = parts.placement.recipe->hash;
    if (owns_effective && !options.across && !options.replicas)
      parts.replicas = strategy_of_owns(parts, base.nodes, findings);
  } else {
    parts.placement.recipe = find_recipe("cassandra-ranges");
    parts.placement.hash = parts.placement.recipe->hash;
    parts.replicas = policy_of_ranges(base, options, findings);
    auto table = ring_of_ranges(base.ranges, findings);
    if (!table) return table.error();
    parts.placement.table = std::move(*table);
  }
  auto map = ClusterMap::build(std::move(parts), {base.file, 0, 0});
  if (!map) return map.error();
  Observed observed = observe(base, owns_effective);
  observed.findings = std::move(findings);
  return Cluster{std::move(*map), std::move(observed)};
}

}  // namespace arcwise
