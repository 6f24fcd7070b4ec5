// Rules about what a node is to the system: a text, a place in a list, an address that a name resolves to.
#include <algorithm>
#include <array>
#include <map>

#include "model/build.hpp"
#include "place/ip_address.hpp"
#include "place/methods.hpp"
#include "study/lint.hpp"
#include "study/lint_text.hpp"
#include "study/numbers.hpp"
#include "study/sample_keys.hpp"

namespace arcwise {
namespace {

constexpr std::size_t asked_keys = 4096;

/// The same nodes in another list, for the question of first owners alone.
Result<ClusterMap> with_nodes(const ClusterMap& map, std::vector<Node> nodes) {
  ClusterMap::Parts parts = map.parts();
  parts.nodes = std::move(nodes);
  if (numbered_by_list(map.nodes(), map.placement()))
    for (Node& node : parts.nodes) node.buckets.clear();
  parts.replicas = {};
  return ClusterMap::build(std::move(parts));
}

const std::string* first_owner(const Placement& placement, std::string_view key) {
  std::array<NodeIndex, max_replicas> owners;
  if (placement.owners({key, placement.hash(key), {}}, owners) == 0) return nullptr;
  return &placement.map().nodes()[owners[0]].name;
}

/// Of the keys that `gone` (empty: nobody) did not own, the share whose first owner differs. 0 where the
/// nodes make no map.
double moved(const LintContext& c, std::vector<Node> nodes, const std::string& gone) {
  const auto map = with_nodes(c.map, std::move(nodes));
  if (!map) return 0;
  const Placement other = compile(*map);
  SampleKeys keys(1);
  std::size_t asked = 0, differ = 0;
  for (std::size_t i = 0; i < asked_keys; ++i) {
    const std::string_view key = keys.next();
    const std::string *here = first_owner(c.placement, key), *there = first_owner(other, key);
    if (!here || *here == gone) continue;
    ++asked;
    differ += !there || *here != *there;
  }
  return asked ? static_cast<double>(differ) / static_cast<double>(asked) : 0;
}

// A host name, not a path: "cache-1:11211", "localhost".
bool is_host_name(const Node& node) {
  const std::string& name = node.address.empty() ? node.name : node.address;
  return !name.starts_with('/') && !name.starts_with("unix:") && !ip_endpoint(name);
}

bool hashes_resolved_address(const PlacementSettings& placement) {
  switch (placement.recipe->label) {
    case LabelRule::java_socket:
    case LabelRule::java_socket_slash:
    case LabelRule::java_address:
      return true;
    default:
      return placement.recipe->method.starts_with("envoy") || placement.text("hash_key").starts_with("addr");
  }
}

}  // namespace

void lint_positional_identity(const LintContext& c, Findings& out) {
  constexpr double by_order = 0.01, by_removal = 0.2;
  const Recipe& recipe = *c.map.placement().recipe;
  // Import and plan write the numbers down, and then the list means nothing.
  if (recipe.keeps_removals) return;
  if (c.points() == PointRule::table || c.points() == PointRule::given || c.map.nodes().size() < 2) return;
  const Traits& traits = find_method(recipe.method)->traits;
  const bool numbered_nodes = recipe.points == PointRule::buckets;
  if (!numbered_nodes && traits.order_free && traits.any_order_removal) return;
  std::vector<Node> reversed(c.map.nodes().rbegin(), c.map.nodes().rend());
  std::vector<Node> fewer(c.map.nodes().begin() + 1, c.map.nodes().end());
  const std::string& first = c.map.nodes().front().name;
  const double order = moved(c, std::move(reversed), {}), removal = moved(c, std::move(fewer), first);
  if (order < by_order && removal < by_removal) return;
  std::string message = "nodes are known by their place in the list:";
  if (order >= by_order) message += " in reverse order " + percent(order) + " of keys have another owner";
  if (removal >= by_removal)
    message += std::string(order >= by_order ? ";" : "") + " without " + first + " " + percent(removal) +
               " of the keys of the others move";
  const bool numbered = recipe.label == LabelRule::none && find_method(recipe.method)->is_ring();
  out.push_back({{},
                 {},
                 std::string(recipe.name),
                 std::move(message),
                 numbered
                     ? "give every server a number of its own (`id`, here `bucket`), or hash addresses"
                     : "keep one order everywhere, replace a node in its place, add and remove at the end "
                       "only; or use a recipe that knows nodes by name"});
}

void lint_resolved_identity(const LintContext& c, Findings& out) {
  if (!hashes_resolved_address(c.map.placement())) return;
  std::vector<NodeIndex> nodes;
  for (std::size_t n = 0; n < c.map.nodes().size(); ++n)
    if (is_host_name(c.map.nodes()[n])) nodes.push_back(static_cast<NodeIndex>(n));
  if (nodes.empty()) return;
  out.push_back({{},
                 {},
                 c.map.nodes()[nodes.front()].name,
                 counted(nodes.size(), "node") +
                     " with a host name, where the system hashes the address that it resolves to: " +
                     names_text(c.map, nodes),
                 "write the address that the program sees, or let it hash the name"});
}

void lint_label_ambiguous(const LintContext& c, Findings& out) {
  if (!c.labels_hashed() || !c.is_ring()) return;
  std::vector<std::size_t> points(c.map.nodes().size());
  std::map<std::pair<NodeIndex, NodeIndex>, std::size_t> shared;
  const std::size_t entries = c.placement.entry_count();
  for (std::size_t i = 0; i < entries; ++i) {
    const Placement::Entry entry = c.placement.entry(i);
    ++points[entry.node];
    for (std::size_t j = i + 1; j < entries && c.placement.entry(j).token == entry.token; ++j)
      if (const NodeIndex other = c.placement.entry(j).node; other != entry.node)
        ++shared[std::minmax(entry.node, other)];
  }
  const double positions = static_cast<double>(c.map.space().last) + 1;
  for (const auto& [pair, count] : shared) {
    const auto [a, b] = pair;
    const double chance = static_cast<double>(points[a]) * static_cast<double>(points[b]) / positions;
    if (static_cast<double>(count) < 3 + 10 * chance) continue;
    out.push_back({{},
                   {},
                   c.map.nodes()[a].name,
                   c.map.nodes()[a].name + " and " + c.map.nodes()[b].name + " share " +
                       counted(count, "point") + ", of " + std::to_string(points[a]) + " and " +
                       std::to_string(points[b]) + ": what is hashed for them is the same text, such as \"" +
                       c.map.nodes()[b].label + "\"",
                   "name them so that no name with a number behind it is another one's"});
  }
}

}  // namespace arcwise
