// Rules about nodes and settings.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "study/lint.hpp"
#include "study/lint_text.hpp"

namespace arcwise {
namespace {

template <class Wanted>
std::vector<NodeIndex> nodes_where(const LintContext& c, Wanted&& wanted) {
  std::vector<NodeIndex> out;
  for (std::size_t n = 0; n < c.map.nodes().size(); ++n)
    if (wanted(c.map.nodes()[n], static_cast<NodeIndex>(n))) out.push_back(static_cast<NodeIndex>(n));
  return out;
}

std::size_t settled_nodes(const LintContext& c, const std::string* zone) {
  return nodes_where(c,
                     [&](const Node& node, NodeIndex) {
                       return node.state != NodeState::joining && (!zone || node.zone == *zone);
                     })
      .size();
}

// One finding for all of the nodes, about the first of them.
void report_nodes(const LintContext& c, Findings& out, const std::vector<NodeIndex>& nodes,
                  std::string_view what, std::string_view advice) {
  if (nodes.empty()) return;
  out.push_back({{},
                 {},
                 c.map.nodes()[nodes.front()].name,
                 counted(nodes.size(), "node") + ' ' + std::string(what) + ": " + names_text(c.map, nodes),
                 std::string(advice)});
}

// "10.0.0.1:11211" and "10.0.0.1", "[::1]:80" and "::1".
bool looks_like_address(std::string_view label) {
  std::size_t dots = 0, colons = 0, digits = 0;
  for (char c : label) {
    dots += c == '.';
    colons += c == ':';
    digits += (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  }
  const std::size_t brackets = label.starts_with('[') ? 2 : 0;
  if (dots + colons + digits + brackets != label.size() || digits == 0) return false;
  return (dots == 3 && colons <= 1) || (dots == 0 && colons >= 2);
}

// Java writes "localhost/127.0.0.1:11212", libmemcached's spy mode "/127.0.0.1:11211".
bool is_loopback(std::string_view label) {
  if (const std::size_t slash = label.rfind('/'); slash != std::string_view::npos && slash + 1 < label.size())
    return is_loopback(label.substr(slash + 1));
  if (label.starts_with("127.") || label.starts_with("[::1]") || label == "::1") return true;
  const std::string_view host = label.substr(0, label.find(':'));
  return host == "localhost" || host == "0.0.0.0";
}

}  // namespace

void lint_crc_width(const LintContext& c, Findings& out) {
  if (c.map.domain().last >= c.map.space().last) return;
  std::map<NodeIndex, Share> held;
  for (std::size_t i = 0; i < c.placement.region_count(); ++i) {
    const Region range = c.placement.region(i);
    held[c.placement.primary({range.upto.value})] += share_of(c.map.domain(), range);
  }
  const auto most = std::max_element(held.begin(), held.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  const KeyHashInfo& hash = info(c.map.placement().hash);
  std::string message = "the key hash " + std::string(hash.name) + " has " + std::to_string(hash.bits) +
                        " bits, the ring has " + std::to_string(c.map.space().bits);
  if (most != held.end() && most->first != no_node)
    message +=
        ": " + c.map.nodes()[most->first].name + " gets " + percent_text(most->second) + " of the keys";
  out.push_back({{}, {}, std::string(hash.name), std::move(message), "use a key hash as wide as the ring"});
}

void lint_rf_over_nodes(const LintContext& c, Findings& out) {
  for (const Demand& demand : c.demands) {
    const std::size_t have = settled_nodes(c, demand.zone);
    if (demand.copies <= have) continue;
    const std::string within = demand.zone ? " in zone " + *demand.zone : "";
    out.push_back({{},
                   {},
                   demand.zone ? *demand.zone : "replicas",
                   counted(demand.copies, "replica") + within + " on " + counted(have, "node") +
                       ": that is as many copies as there can be",
                   "add nodes, or lower the replica count to what there is"});
  }
}

void lint_no_points(const LintContext& c, Findings& out) {
  if (!c.is_ring() && !c.fills_slots()) return;
  std::vector<bool> has_point(c.map.nodes().size());
  for (std::size_t i = 0; i < c.placement.entry_count(); ++i)
    if (const NodeIndex node = c.placement.entry(i).node; node != no_node) has_point[node] = true;
  report_nodes(c, out,
               nodes_where(c,
                           [&](const Node& node, NodeIndex n) {
                             return node.state != NodeState::joining && node.weight > 0 && !has_point[n];
                           }),
               "with a weight too small for a single point, so no key is theirs",
               "raise the weight, or take the node out of the map");
}

void lint_racks_fewer_than_replicas(const LintContext& c, Findings& out) {
  if (c.level == Across::node || c.points() == PointRule::table) return;
  for (const Demand& demand : c.demands) {
    if (demand.groups == demand.copies) continue;
    const std::string level(to_string(c.level));
    const std::string within = demand.zone ? " in zone " + *demand.zone : "";
    out.push_back({{},
                   {},
                   demand.zone ? *demand.zone : "replicas",
                   counted(demand.groups, level) + " for " + counted(demand.copies, "replica") + within +
                       ": every range has copies that share a " + level,
                   "a failure of that " + level + " costs two copies or more: add " + level +
                       "s, or know that it may cost the majority"});
  }
}

void lint_token_collision(const LintContext& c, Findings& out) {
  if (!c.is_ring()) return;
  const std::size_t entries = c.placement.entry_count();
  const auto entry = [&](std::size_t i) { return c.placement.entry(i % entries); };
  // Entries are in order of what they answer for, so equal tokens may stand at both ends: begin at a change.
  std::size_t begin = 0;
  while (begin < entries && entry(begin).token == entry(begin + entries - 1).token) ++begin;
  const bool before = c.map.placement().recipe->lookup == LookupRule::after;
  RangeFindings findings(c, out);
  for (std::size_t i = begin; i < begin + entries;) {
    const Token token = entry(i).token;
    std::set<NodeIndex> holders;
    for (; i < begin + entries && entry(i).token == token; ++i) holders.insert(entry(i).node);
    if (holders.size() < 2) continue;
    const KeyHash answered{!before ? token.value : token.value == 0 ? c.map.space().last : token.value - 1};
    const NodeIndex winner = c.placement.primary(answered);
    holders.erase(winner);
    findings.add(
        c.placement.region_at(answered),
        [&] {
          return "goes to " + c.map.nodes()[winner].name + "; its token " + to_text(c.map.space(), token) +
                 " is also that of " +
                 names_text(c.map, std::vector<NodeIndex>(holders.begin(), holders.end()));
        },
        c.map.placement().recipe->ties == TieRule::by_name
            ? "ties are broken by name; another name or token avoids this one"
            : "ties are broken by place in the list: every client needs the same order");
  }
  findings.sum_up("end at a token that two nodes have");
}

void lint_tokens_few(const LintContext& c, Findings& out) {
  constexpr double handful = 8;
  if (!c.labels_hashed() || !c.is_ring()) return;
  const double nodes = static_cast<double>(settled_nodes(c, nullptr));
  const double tokens = static_cast<double>(c.placement.entry_count()) / nodes;
  if (nodes < 2 || tokens >= handful) return;
  // The relative standard deviation of a node's share of a random ring.
  const double spread = std::sqrt((nodes - 1) / (nodes * tokens + 1));
  out.push_back({{},
                 {},
                 "tokens",
                 std::to_string(static_cast<std::uint64_t>(tokens + 0.5)) +
                     " random points a node: chance alone spreads shares by " +
                     std::to_string(static_cast<std::uint64_t>(100 * spread + 0.5)) +
                     " % around the fair one",
                 "use some hundred tokens a node, or allocate the tokens"});
}

void lint_loopback_identity(const LintContext& c, Findings& out) {
  if (!c.labels_hashed()) return;
  report_nodes(c, out, nodes_where(c, [](const Node& node, NodeIndex) { return is_loopback(node.label); }),
               "hashed by a loopback address, which means another machine wherever it is read",
               "give each node a name of its own and hash that");
}

void lint_address_identity(const LintContext& c, Findings& out) {
  if (!c.labels_hashed()) return;
  report_nodes(c, out,
               nodes_where(c,
                           [](const Node& node, NodeIndex) {
                             return !is_loopback(node.label) &&
                                    (node.label == node.address || looks_like_address(node.label));
                           }),
               "hashed by address: a new address moves all of a node's keys", "hash a stable name instead");
}

void lint_address_duplicate(const LintContext& c, Findings& out) {
  std::map<std::string_view, std::vector<NodeIndex>> holders;
  for (std::size_t n = 0; n < c.map.nodes().size(); ++n)
    if (!c.map.nodes()[n].address.empty())
      holders[c.map.nodes()[n].address].push_back(static_cast<NodeIndex>(n));
  for (const auto& [address, nodes] : holders)
    if (nodes.size() > 1)
      out.push_back({{},
                     {},
                     std::string(address),
                     counted(nodes.size(), "node") + " with address " + std::string(address) + ": " +
                         names_text(c.map, nodes),
                     "their copies are one copy: correct the address, or remove all but one"});
}

void lint_place_missing(const LintContext& c, Findings& out) {
  const auto report = [&](std::string_view level, std::string Node::* place) {
    report_nodes(c, out, nodes_where(c, [&](const Node& node, NodeIndex) { return (node.*place).empty(); }),
                 "without a " + std::string(level) + ", though replicas are placed by " + std::string(level),
                 "name the " + std::string(level) + ": nodes without one count as one " + std::string(level));
  };
  if (c.level == Across::rack) report("rack", &Node::rack);
  if (c.level == Across::zone || !c.map.replicas().per_zone.empty()) report("zone", &Node::zone);
}

void lint_single_replica(const LintContext& c, Findings& out) {
  if (c.count == 1)
    out.push_back({{},
                   {},
                   "replicas",
                   "every key has one copy: a failed node's keys are gone until it is back",
                   "fine for a cache whose origin can bear it; else use 3 replicas"});
}

void lint_even_replicas(const LintContext& c, Findings& out) {
  if (c.count == 0 || c.count % 2 || c.first_owner_serves() || c.demands.size() > 1) return;
  out.push_back({{},
                 {},
                 "replicas",
                 "a majority of " + std::to_string(c.count) + " is " + std::to_string(c.count / 2 + 1) +
                     ": quorums tolerate " + counted(c.count / 2 - 1, "failure") + ", as with " +
                     std::to_string(c.count - 1),
                 "an odd count buys more"});
}

void lint_node_joining(const LintContext& c, Findings& out) {
  report_nodes(c, out, nodes_where(c, [](const Node& n, NodeIndex) { return n.state == NodeState::joining; }),
               "joining, owning nothing yet", "");
}

void lint_node_leaving(const LintContext& c, Findings& out) {
  report_nodes(c, out, nodes_where(c, [](const Node& n, NodeIndex) { return n.state == NodeState::leaving; }),
               "leaving, still owning what they had", "");
}

void lint_owns_nothing(const LintContext& c, Findings& out) {
  if (c.points() != PointRule::table) return;
  std::set<NodeIndex> owning;
  for (const TableRow& row : c.map.placement().table) owning.insert(row.owners.begin(), row.owners.end());
  report_nodes(
      c, out,
      nodes_where(c, [&](const Node& node,
                         NodeIndex n) { return node.state != NodeState::joining && !owning.contains(n); }),
      "owning no range", "fine for a spare; else give it a share");
}

}  // namespace arcwise
