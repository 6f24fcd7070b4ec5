#include "study/newcomer.hpp"

#include <algorithm>
#include <set>

namespace arcwise {
namespace {

using Names = std::set<std::string>;

std::string listed(const Names& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

Names values(const ClusterMap& map, std::string Node::* field) {
  Names out;
  for (const Node& node : map.nodes()) out.insert(node.*field);
  return out;
}

Names zones_with_rack(const ClusterMap& map, const std::string& rack) {
  Names out;
  for (const Node& node : map.nodes())
    if (node.rack == rack) out.insert(node.zone);
  return out;
}

// An empty rack would be one rack more, and copies would move to it.
std::optional<Error> missing(const NewNode& node, const std::string& what, const Names& known) {
  if (known.count("")) return std::nullopt;
  return Error{ErrorKind::input,
               {},
               node.name,
               "copies are spread by " + what + ", and the new node names none",
               "name its " + what + " (NAME," + what + "=…, or --" + what + "); there are: " + listed(known)};
}

// dc1 alone, or the one zone that has its rack: without it, `rack2` would be a rack beside dc1's `rack2`.
std::optional<Error> settle_zone(const ClusterMap& map, NewNode& node, std::vector<Finding>& findings) {
  const Names zones = values(map, &Node::zone);
  if (!node.zone.empty() || zones.empty() || zones.count("")) return std::nullopt;
  const Names by_rack = node.rack.empty() ? Names{} : zones_with_rack(map, node.rack);
  const Names& meant = zones.size() == 1 ? zones : by_rack;
  if (meant.size() == 1) {
    node.zone = *meant.begin();
    findings.push_back({Finding::Severity::info, "zone-taken", node.name,
                        zones.size() == 1 ? "no zone is given: taken as '" + node.zone + "', the only one"
                                          : "no zone is given: taken as '" + node.zone +
                                                "', the only one with a rack '" + node.rack + "'",
                        ""});
    return std::nullopt;
  }
  const ReplicaPolicy& policy = map.replicas();
  if (policy.across != Across::zone && policy.across != Across::rack && policy.per_zone.empty())
    return std::nullopt;
  return missing(node, "zone", zones);
}

}  // namespace

std::optional<Error> settle_place(const ClusterMap& map, NewNode& node, std::vector<Finding>& findings) {
  const ReplicaPolicy& policy = map.replicas();
  if (auto error = settle_zone(map, node, findings)) return error;
  if (!policy.per_zone.empty()) {
    Names known = values(map, &Node::zone);
    for (const ZoneCount& z : policy.per_zone) known.insert(z.zone);
    if (!known.count(node.zone)) {
      known.erase("");
      return Error{ErrorKind::input,
                   {},
                   node.zone,
                   "the map counts copies zone by zone, and this zone has none: the node would hold nothing",
                   "there are: " + listed(known) + "; a new zone comes into the map's replicas first"};
    }
  }
  if (policy.across != Across::rack) return std::nullopt;
  if (node.rack.empty()) return missing(node, "rack", values(map, &Node::rack));
  const auto same = [&](const Node& n) { return n.zone == node.zone && n.rack == node.rack; };
  if (map.nodes().empty() || std::any_of(map.nodes().begin(), map.nodes().end(), same)) return std::nullopt;
  Names racks;
  for (const Node& n : map.nodes())
    if (n.zone == node.zone && !n.rack.empty()) racks.insert(n.rack);
  findings.push_back({Finding::Severity::warning, "new-rack", node.name,
                      "no other node is in rack '" + node.rack + "'" +
                          (node.zone.empty() ? "" : " of zone '" + node.zone + "'") +
                          ": it is a rack more, which takes its part of the copies alone",
                      racks.empty() ? "check the name" : "check the name; there are: " + listed(racks)});
  return std::nullopt;
}

std::optional<Token> read_token(const TokenSpace& space, std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) return from_hex(space, text.substr(2));
  // 0123456789012345 is a decimal on Cassandra's ring, 0123456789abcdef can only be hex.
  const bool letter = text.find_first_of("abcdefABCDEF") != std::string_view::npos;
  return letter ? from_hex(space, text) : from_text(space, text);
}

}  // namespace arcwise
