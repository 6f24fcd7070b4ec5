// A map as an Envoy bootstrap file with one cluster.
#include <algorithm>
#include <array>

#include "format/envoy.hpp"
#include "format/exporter.hpp"
#include "format/proxy_import.hpp"

namespace arcwise {
namespace {

constexpr std::array<std::string_view, 2> exportable{"envoy-ring-hash", "envoy-maglev"};

// Where a host is, and what Envoy would hash for it: nothing, where it is a name that DNS resolves.
struct Address {
  std::string yaml, hashed;
  bool is_name = false;
};

Result<Address> address_of(const Node& node) {
  const std::string text = node.address.empty() ? node.name : node.address;
  if (text.starts_with('/')) return Address{"pipe: {path: " + double_quoted(text) + "}", text, false};
  const std::size_t colon = text.rfind(':');
  std::string host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  const std::string port = colon == std::string::npos ? "" : text.substr(colon + 1);
  const bool numeric = !port.empty() && port.find_first_not_of("0123456789") == std::string::npos;
  if (host.empty() || !numeric || port.size() > 5 || std::stoul(port) > 65535)
    return cannot_export(node.name, "this node has no address that Envoy could connect to",
                         "give it an address host:port or /path");
  Address out{"socket_address: {address: " + double_quoted(host) + ", port_value: " + port + "}", {}, false};
  const auto canonical = canonical_address(host);
  out.is_name = !canonical;
  if (canonical) out.hashed = joined_address(*canonical, std::to_string(std::stoul(port)));
  return out;
}

std::string policy_lines(const PlacementSettings& placement) {
  const bool maglev = placement.recipe->name == "envoy-maglev";
  std::string fields;
  for (const auto& [name, value] : placement.settings)
    if (name != "locality_weights") fields += (fields.empty() ? "" : ", ") + name + ": " + value;
  return std::string("      lb_policy: ") + (maglev ? "MAGLEV" : "RING_HASH") + "\n" +
         (fields.empty()
              ? ""
              : "      " + std::string(maglev ? "maglev" : "ring_hash") + "_lb_config: {" + fields + "}\n") +
         (placement.shares("locality_weights").empty()
              ? ""
              : "      common_lb_config: {locality_weighted_lb_config: {}}\n");
}

// Runs of nodes of one zone, in list order; where zones have weights, one run a zone.
std::vector<std::vector<const Node*>> groups_of(const ClusterMap& map, bool weighted) {
  std::vector<const Node*> nodes;
  for (const Node& node : map.nodes()) nodes.push_back(&node);
  if (weighted)
    std::stable_sort(nodes.begin(), nodes.end(),
                     [](const Node* a, const Node* b) { return a->zone < b->zone; });
  std::vector<std::vector<const Node*>> out;
  for (const Node* node : nodes) {
    if (out.empty() || out.back().front()->zone != node->zone) out.emplace_back();
    out.back().push_back(node);
  }
  return out;
}

Result<std::string> group_lines(const std::vector<const Node*>& nodes, std::uint64_t weight, bool& any_name) {
  const std::string& zone = nodes.front()->zone;
  std::string out = zone.empty() ? "" : "            locality: {zone: " + double_quoted(zone) + "}\n";
  if (weight) out += "            load_balancing_weight: " + std::to_string(weight) + "\n";
  out += "            lb_endpoints:\n";
  for (const Node* node : nodes) {
    const auto address = address_of(*node);
    if (!address) return address.error();
    any_name |= address->is_name;
    out += "              - endpoint: {address: {" + address->yaml + "}}\n";
    if (node->weight > 4294967295.0)
      return cannot_export(node->name, "a weight above 4294967295, which Envoy does not take",
                           "weights are relative: scale them all down");
    if (node->weight != 1)
      out += "                load_balancing_weight: " +
             std::to_string(static_cast<std::uint64_t>(node->weight)) + "\n";
    if (node->label != address->hashed)
      out +=
          "                metadata: {filter_metadata: {envoy.lb: {hash_key: " + double_quoted(node->label) +
          "}}}\n";
  }
  out.replace(0, 10, "          ");
  out[10] = '-';
  return out;
}

}  // namespace

Result<std::string> write_envoy(const ClusterMap& map) {
  if (auto error = check_exportable(map, "Envoy", exportable)) return *error;
  const auto shares = map.placement().shares("locality_weights");
  std::string groups;
  bool any_name = false;
  for (const auto& nodes : groups_of(map, !shares.empty())) {
    const std::string& zone = nodes.front()->zone;
    if (!shares.empty() && zone.empty())
      return cannot_export(nodes.front()->name, "zones have weights, and this node has no zone",
                           "give it one");
    std::uint64_t weight = 0;
    for (const auto& [name, share] : shares)
      if (name == zone) weight = share;
    if (weight > 4294967295U)
      return cannot_export(zone, "a weight above 4294967295, which Envoy does not take",
                           "weights are relative: scale them all down");
    const auto lines = group_lines(nodes, weight, any_name);
    if (!lines) return lines.error();
    groups += *lines;
  }
  const std::string name = double_quoted(exported_name(map));
  return exported_from(map) + "static_resources:\n  clusters:\n    - name: " + name +
         "\n      type: " + (any_name ? "STRICT_DNS" : "STATIC") + "\n      connect_timeout: 1s\n" +
         policy_lines(map.placement()) + "      load_assignment:\n        cluster_name: " + name +
         "\n        endpoints:\n" + groups;
}

}  // namespace arcwise
