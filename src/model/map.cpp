// The invariants of a cluster map. build() is the only way to a ClusterMap; validate() and the importers end
// here.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <set>

#include "arcwise/map.hpp"
#include "model/build.hpp"
#include "model/text.hpp"

namespace arcwise {
namespace {

std::optional<Error> check_text(const Mark& at, const std::string& text, std::string_view field) {
  std::size_t offset = 0;
  const TextFault found = next_fault(text, offset);
  if (found == TextFault::none) return std::nullopt;
  return fault(at, text,
               std::string(found == TextFault::control ? "a control character" : "bytes that are not UTF-8") +
                   " in " + std::string(field),
               "use printable text");
}

// "10.0.0.1:11211" -> "10.0.0.1", "[::1]:80" -> "::1"; a path or a bare IPv6 address is a host as it is.
std::string host_of(std::string_view address) {
  if (address.empty() || address.front() == '/') return std::string(address);
  if (address.front() == '[') {
    const std::size_t close = address.find(']');
    return std::string(close == std::string_view::npos ? address : address.substr(1, close - 1));
  }
  const std::size_t colon = address.rfind(':');
  if (colon == std::string_view::npos || address.find(':') != colon) return std::string(address);
  return std::string(address.substr(0, colon));
}

std::string shown(double weight) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%g", weight);
  return text.data();
}

std::optional<Error> check_node(const Node& node, const Recipe& recipe, const NodeMarks& at) {
  if (node.name.empty())
    return fault(at.name, "\"\"", "a node has an empty name", "give every node a name of its own");
  for (const std::string* field :
       {&node.name, &node.label, &node.address, &node.host, &node.rack, &node.zone})
    if (auto error = check_text(at.name, *field, "a node's field")) return error;
  if (!is_weight(node.weight) || (node.weight == 0 && !recipe.zero_weight))
    return fault(at.weight, shown(node.weight), "node '" + node.name + "' has " + weight_rule, weight_advice);
  if (recipe.method == "rendezvous" || recipe.method == "maglev")
    if (node.weight < least_unit_weight)
      return fault(at.weight, shown(node.weight),
                   "node '" + node.name +
                       "' has a weight below 5e-8, and the whole numbers in which recipe '" +
                       std::string(recipe.name) + "' counts weights would not tell it from others",
                   "weights are relative: scale them all up");
  if (node.bucket && !numbers_nodes(recipe))
    return fault(at.bucket, std::to_string(*node.bucket),
                 "node '" + node.name + "' has a `bucket`, and recipe '" + std::string(recipe.name) +
                     "' does not number nodes",
                 recipe.points == PointRule::buckets
                     ? "list the buckets that it holds: `buckets: [" + std::to_string(*node.bucket) + "]`"
                     : "drop `bucket`: it is the number of an HAProxy server, a Ceph OSD or an npm hashring "
                       "server");
  if (recipe.whole_weight && node.weight != std::floor(node.weight))
    return fault(at.weight, shown(node.weight),
                 "node '" + node.name + "' has a weight that the system of recipe '" +
                     std::string(recipe.name) + "' cannot take",
                 "its weights are whole numbers: scale them all up");
  if (recipe.heaviest > 0 && node.weight > recipe.heaviest)
    return fault(at.weight, shown(node.weight),
                 "node '" + node.name + "' has a weight that the system of recipe '" +
                     std::string(recipe.name) + "' refuses",
                 "scale all weights down: the largest it takes is " +
                     std::to_string(static_cast<int>(recipe.heaviest)));
  return std::nullopt;
}

// A weight of 0, or a zone without a share, takes a node out; somebody has to be left.
std::optional<Error> check_someone_weighs(const ClusterMap::Parts& parts, const BuildMarks& marks) {
  const Recipe& recipe = *parts.placement.recipe;
  const auto holds = [&](const auto& has_some) {
    return std::any_of(parts.nodes.begin(), parts.nodes.end(),
                       [&](const Node& n) { return n.state != NodeState::joining && has_some(n); });
  };
  if (!recipe.places_unweighted && !holds([](const Node& n) { return n.weight > 0; }))
    return fault(marks.node_at(0).weight, "0", "every node has a weight of 0, so nobody owns anything",
                 "give one node a weight");
  for (const SettingInfo& info : recipe.settings) {
    if (info.kind != SettingInfo::Kind::shares) continue;
    const auto shares = parts.placement.shares(info.name);
    if (!shares.empty() && !holds([&](const Node& n) {
          return std::any_of(shares.begin(), shares.end(),
                             [&](const auto& s) { return s.first == n.zone && s.second > 0; });
        }))
      return fault(marks.setting_at(info.name), std::string(parts.placement.text(info.name)),
                   "setting '" + std::string(info.name) + "' gives no zone of these nodes a share",
                   "name the zones of the nodes");
  }
  return std::nullopt;
}

std::optional<Error> check_nodes(ClusterMap::Parts& parts, const BuildMarks& marks) {
  if (parts.nodes.empty()) return fault(marks.whole, "", "the map has no node", "list at least one node");
  std::set<std::string_view> names;
  bool someone_owns = false;
  for (std::size_t i = 0; i < parts.nodes.size(); ++i) {
    Node& node = parts.nodes[i];
    if (auto error = check_node(node, *parts.placement.recipe, marks.node_at(i))) return error;
    if (node.label.empty()) node.label = label_of(parts.placement, node);
    if (node.host.empty()) node.host = default_host(node);
    if (!names.insert(node.name).second)
      return fault(marks.node_at(i).name, node.name, "two nodes have the same name",
                   "a name is an identity: rename one");
    someone_owns |= node.state != NodeState::joining;
  }
  if (!someone_owns)
    return fault(marks.node_at(0).state,
                 marks.nodes.empty() ? "" : std::string(to_string(NodeState::joining)),
                 "every node is joining, so nobody owns anything", "give one node the state normal");
  return check_someone_weighs(parts, marks);
}

std::optional<Error> check_given_tokens(ClusterMap::Parts& parts, const BuildMarks& marks) {
  std::map<Token, NodeIndex> holder;
  for (std::size_t i = 0; i < parts.nodes.size(); ++i) {
    Node& node = parts.nodes[i];
    std::sort(node.tokens.begin(), node.tokens.end());
    if (node.tokens.empty() && node.state != NodeState::joining)
      return fault(marks.node_at(i).name, node.name, "the allocation is given, but this node lists no token",
                   "list its tokens, or use `allocation: hashed`");
    if (!node.tokens.empty() && node.tokens.back().value > parts.space.last)
      return fault(marks.node_at(i).tokens, to_text(parts.space, node.tokens.back()),
                   "node '" + node.name + "' has a token beyond the ring's last",
                   "the last is " + to_text(parts.space, {parts.space.last}));
    for (Token token : node.tokens) {
      const auto [at, fresh] = holder.emplace(token, static_cast<NodeIndex>(i));
      const Marked<std::string> written =
          fresh            ? Marked<std::string>{}
          : marks.token_at ? marks.token_at(static_cast<NodeIndex>(i), token)
                           : Marked<std::string>{to_text(parts.space, token), marks.node_at(i).tokens};
      if (!fresh)
        return fault(written.at, written.value,
                     at->second == i ? "node '" + node.name + "' lists a token twice"
                                     : "a token is given to both '" + parts.nodes[at->second].name +
                                           "' and '" + node.name + "'",
                     "a position has one owner: give one of them another token");
    }
  }
  return std::nullopt;
}

std::optional<Error> check_hashed_tokens(const ClusterMap::Parts& parts, const BuildMarks& marks) {
  const double most = static_cast<double>(max_ring_tokens);
  double total = 0;
  // Where points are shared out among the nodes, a weight alone makes none.
  const Recipe& recipe = *parts.placement.recipe;
  const bool repeats = recipe.slots == SlotCount::weights || recipe.slots == SlotCount::weights_reduced;
  const std::uint32_t unit = std::max({std::uint32_t{repeats}, parts.placement.tokens, recipe.fixed_tokens});
  for (std::size_t i = 0; i < parts.nodes.size(); ++i) {
    const Node& node = parts.nodes[i];
    if (!node.tokens.empty())
      return fault(
          marks.node_at(i).tokens,
          marks.token_at ? marks.token_at(static_cast<NodeIndex>(i), node.tokens.front()).value : node.name,
          "node '" + node.name + "' lists tokens, but this allocation makes its own",
          "write `allocation: given`, or drop the tokens");
    total += recipe.shares_tokens ? unit : std::max(1.0, std::floor(node.weight * unit + 0.5));
    if (recipe.bucket_is_tokens) total += static_cast<double>(node.bucket.value_or(0));
    if (total > most)
      return fault(marks.node_at(i).weight, shown(node.weight),
                   "weight × tokens, summed up to node '" + node.name + "', makes more than " +
                       std::to_string(max_ring_tokens) + " ring entries",
                   "weights are relative: scale them all down, or use fewer tokens");
  }
  return std::nullopt;
}

// Fewer entries than nodes leave some node without any, whatever its weight.
std::optional<Error> check_table_size(const ClusterMap::Parts& parts, const BuildMarks& marks) {
  if (parts.placement.recipe->method != "maglev") return std::nullopt;
  const auto entries = static_cast<std::size_t>(parts.placement.integer("table_size"));
  const auto nodes =
      static_cast<std::size_t>(std::count_if(parts.nodes.begin(), parts.nodes.end(), [](const Node& node) {
        return node.state != NodeState::joining;
      }));
  if (nodes <= entries) return std::nullopt;
  return fault(marks.setting_at("table_size"), std::string(parts.placement.text("table_size")),
               std::to_string(nodes) + " nodes are more than the entries of the table",
               "write `settings: {table_size: N}` with a prime a hundred times the number of nodes");
}

std::uint64_t slot_count(const ClusterMap::Parts& parts) {
  const PlacementSettings& placement = parts.placement;
  std::uint64_t nodes = 0, weights = 0, divisor = 0;
  for (const Node& node : parts.nodes) {
    if (node.state == NodeState::joining) continue;
    const std::uint64_t weight = node.weight > 0 ? token_count(node.weight, 1) : 0;
    ++nodes;
    weights += weight;
    divisor = std::gcd(divisor, weight);
  }
  switch (placement.recipe->slots) {
    case SlotCount::none:
      return placement.slots;
    case SlotCount::nodes:
      return nodes;
    case SlotCount::weights:
      return weights;
    case SlotCount::weights_reduced:
      return divisor ? weights / divisor : 0;
    case SlotCount::listed:
      return placement.slots;
    case SlotCount::setting:
      return static_cast<std::uint64_t>(
          placement.integer(placement.text("slots").empty() ? "table_size" : "slots"));
  }
  return placement.slots;
}

void derive_space(ClusterMap::Parts& parts) {
  const std::uint8_t hash_bits = info(parts.placement.hash).bits;
  parts.space = space_of(*parts.placement.recipe, parts.placement.hash, slot_count(parts));
  const u128 hash_last = hash_bits >= 128 ? ~u128{0} : (u128{1} << hash_bits) - 1;
  parts.domain.last = std::min(parts.space.last, hash_last);
}

// How many nodes and how many groups (hosts, racks, zones) could hold copies; within one zone when given.
struct Capacity {
  std::set<std::string> groups;
  std::size_t nodes = 0;
};

Capacity capacity(const ClusterMap::Parts& parts, const std::string* zone) {
  Capacity c;
  for (const Node& node : parts.nodes) {
    if (node.state == NodeState::joining || (zone && node.zone != *zone)) continue;
    ++c.nodes;
    c.groups.insert(group_name(node, parts.replicas.across));
  }
  return c;
}

std::optional<Error> check_share(const ClusterMap::Parts& parts, const BuildMarks& marks, std::uint32_t count,
                                 const std::string* zone) {
  const Capacity have = capacity(parts, zone);
  const Mark at = zone ? marks.zone_at(*zone) : marks.replicas;
  const bool repeat = parts.replicas.when_short == WhenShort::repeat;
  if (zone && have.nodes == 0 && (!repeat || marks.strict))
    return fault(at, *zone, "no node that can hold a copy is in this zone",
                 "add one, or drop the zone from `per_zone`");
  const std::string within = zone ? " in zone '" + *zone + "'" : "";
  if (count > have.nodes && (!repeat || marks.strict))
    return fault(at, std::to_string(count),
                 "more replicas than nodes" + within + ": " + std::to_string(have.nodes) + " can hold one",
                 "add nodes or lower the count");
  if (count > have.groups.size() && !repeat && parts.replicas.across != Across::node)
    return fault(at, std::to_string(count),
                 "fewer " + std::string(to_string(parts.replicas.across)) + "s than replicas" + within +
                     ": there are " + std::to_string(have.groups.size()),
                 "add " + std::string(to_string(parts.replicas.across)) +
                     "s, lower the count, or accept copies that share one with `when_short: repeat`");
  return std::nullopt;
}

std::optional<Error> check_policy(ClusterMap::Parts& parts, const BuildMarks& marks) {
  ReplicaPolicy& policy = parts.replicas;
  if (!policy.per_zone.empty()) {
    std::sort(policy.per_zone.begin(), policy.per_zone.end(),
              [](const ZoneCount& a, const ZoneCount& b) { return a.zone < b.zone; });
    policy.count = 0;
    for (std::size_t i = 0; i < policy.per_zone.size(); ++i) {
      if (i && policy.per_zone[i].zone == policy.per_zone[i - 1].zone)
        return fault(marks.zone_at(policy.per_zone[i].zone), policy.per_zone[i].zone,
                     "a zone is counted twice", "list each zone once");
      policy.count += std::min<std::uint32_t>(policy.per_zone[i].count, max_replicas + 1);
    }
    // A zone that holds nothing is a zone that is not listed.
    std::erase_if(policy.per_zone, [](const ZoneCount& zone) { return zone.count == 0; });
    if (policy.per_zone.size() > max_policy_zones)
      return fault(marks.replicas, std::to_string(policy.per_zone.size()), "too many zones in per_zone",
                   "list at most 32");
  }
  if (policy.count < 1 || policy.count > max_replicas)
    return fault(marks.replicas, std::to_string(policy.count), "the replica count is not between 1 and 64",
                 "3 is usual");
  if (parts.placement.recipe->points == PointRule::table)
    return std::nullopt;  // owners are listed, not derived
  if (policy.per_zone.empty()) return check_share(parts, marks, policy.count, nullptr);
  bool somebody_holds = false;
  for (const ZoneCount& zone : policy.per_zone) {
    if (auto error = check_share(parts, marks, zone.count, &zone.zone)) return error;
    somebody_holds |= capacity(parts, &zone.zone).nodes > 0;
  }
  if (!somebody_holds)
    return fault(marks.replicas, "", "no zone of per_zone has a node, so nobody would hold anything",
                 "name the zones that the nodes are in");
  return std::nullopt;
}

}  // namespace

TokenSpace space_of(const Recipe& recipe, KeyHashId hash, std::uint64_t slots) {
  if (slots) return TokenSpace::slots(slots);
  TokenSpace space = TokenSpace::unsigned_bits(recipe.ring_bits ? recipe.ring_bits : info(hash).bits);
  if (recipe.ring_last) space.last = recipe.ring_last;
  space.notation = recipe.notation;
  return space;
}

bool is_weight(double weight) {
  return weight == 0 || (weight >= least_weight && weight <= most_weight);
}

std::string default_host(const Node& node) {
  return node.address.empty() ? node.name : host_of(node.address);
}

std::string group_name(const Node& node, Across across) {
  switch (across) {
    case Across::node:
      return node.name;
    case Across::host:
      return node.host;
    case Across::rack:
      return node.zone + '\n' + node.rack;
    case Across::zone:
      return node.zone;
  }
  return node.name;
}

std::uint64_t token_count(double weight, std::uint32_t tokens_per_unit) {
  return static_cast<std::uint64_t>(std::max(1.0, std::floor(weight * tokens_per_unit + 0.5)));
}

std::optional<NodeIndex> ClusterMap::find(std::string_view name) const {
  for (std::size_t i = 0; i < data_->nodes.size(); ++i)
    if (data_->nodes[i].name == name) return static_cast<NodeIndex>(i);
  return std::nullopt;
}

Result<ClusterMap> build_marked(ClusterMap::Parts parts, const BuildMarks& marks) {
  if (auto error = check_text(marks.whole, parts.cluster, "the cluster's name")) return *error;
  if (auto error = check_text(marks.whole, parts.placement.hash_tag, "the hash tag")) return *error;
  if (!parts.placement.recipe->no_placement.empty())
    return fault(marks.recipe, std::string(parts.placement.recipe->name),
                 std::string(parts.placement.recipe->no_placement), "use a recipe that gives keys an owner");
  if (auto error = check_nodes(parts, marks)) return *error;
  for (const auto& [name, value] : parts.placement.settings) {
    const Mark at = marks.setting_at(name);
    if (auto error = check_setting(*parts.placement.recipe, name, value, at)) return *error;
    if (auto error = check_text(at, value, "a setting")) return *error;
  }
  if (parts.placement.tokens == 0) parts.placement.tokens = parts.placement.recipe->default_tokens;
  if (parts.placement.slots == 0) parts.placement.slots = parts.placement.recipe->default_slots;
  if (auto error = check_store(parts, marks)) return *error;
  const PointRule points = parts.placement.given ? PointRule::given : parts.placement.recipe->points;
  if (points != PointRule::given)
    if (auto error = check_hashed_tokens(parts, marks)) return *error;
  if (auto error = number_buckets(parts, marks)) return *error;
  if (auto error = check_table_size(parts, marks)) return *error;
  derive_space(parts);
  if (points == PointRule::given)
    if (auto error = check_given_tokens(parts, marks)) return *error;
  if (points == PointRule::table)
    if (auto error = check_table(parts, marks)) return *error;
  if (auto error = check_policy(parts, marks)) return *error;
  return ClusterMapAccess::make(std::move(parts));
}

Result<ClusterMap> ClusterMap::build(Parts parts, const Mark& at) {
  BuildMarks marks;
  marks.whole = marks.recipe = marks.replicas = at;
  return build_marked(std::move(parts), marks);
}

}  // namespace arcwise
