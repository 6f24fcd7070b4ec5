#include "format/envoy.hpp"

#include <algorithm>
#include <tuple>

#include "format/proxy_import.hpp"
#include "format/recognise.hpp"

namespace arcwise {
namespace {

using Severity = Finding::Severity;
using Fault = std::optional<Error>;
using Kind = YamlNode::Kind;

bool looks_like_cluster(const YamlNode& node) {
  return node.is(Kind::map) && (envoy_field(node, "load_assignment") || envoy_field(node, "lb_policy") ||
                                envoy_field(node, "load_balancing_policy"));
}

void add_list(const YamlNode* list, std::vector<const YamlNode*>& out) {
  if (!list || !list->is(Kind::sequence)) return;
  for (const YamlNode& item : list->items) {
    const YamlNode* inside = envoy_field(item, "cluster");  // of a dump
    const YamlNode& cluster = inside && inside->is(Kind::map) ? *inside : item;
    if (cluster.is(Kind::map) && envoy_field(cluster, "name")) out.push_back(&cluster);
  }
}

std::vector<const YamlNode*> clusters_of(const YamlNode& root) {
  std::vector<const YamlNode*> out;
  if (looks_like_cluster(root)) return {&root};
  add_list(envoy_field(root, {"static_resources", "clusters"}), out);
  for (const char* name : {"clusters", "resources"}) add_list(envoy_field(root, name), out);
  if (const YamlNode* configs = envoy_field(root, "configs"))
    for (const YamlNode& config : configs->items)
      for (const char* name : {"static_clusters", "dynamic_active_clusters"})
        add_list(envoy_field(config, name), out);
  return out;
}

// Hosts that are out pass their share to their neighbours on the ring, as long as enough of them are left:
// healthy hosts times the overprovisioning factor must make up the whole. Worked example: with a factor of
// 1.4, 8 of 10 hosts count as 112 %, and 7 of 10 as 98 %, the rest of which goes elsewhere.
Fault check_health(const Source& source, const EnvoyHosts& hosts, bool by_locality) {
  const std::size_t groups = by_locality ? hosts.localities.size() : 1;
  std::vector<std::size_t> all(groups), healthy(groups);
  for (const EnvoyHostLine& host : hosts.hosts) {
    const std::size_t group = by_locality ? host.locality : 0;
    ++all[group];
    healthy[group] += host.healthy;
  }
  for (const EnvoyHostLine& host : hosts.hosts) {
    const std::size_t group = by_locality ? host.locality : 0;
    if (!host.healthy && healthy[group] * hosts.overprovisioning < all[group] * 100)
      return fault_at(source, host.at, host.name,
                      "with so many hosts out of health Envoy spreads keys over other hosts too",
                      "write the hosts as they are when all is well");
  }
  return std::nullopt;
}

// In the order in which Envoy goes through localities, which is theirs and not the file's, where they have
// weights. A map orders zones by the text of their names.
Fault order_localities(const Source& source, const YamlNode& cluster, EnvoyHosts& hosts,
                       ClusterMap::Parts& parts) {
  std::vector<const EnvoyLocality*> sorted;
  for (const EnvoyLocality& locality : hosts.localities) sorted.push_back(&locality);
  std::sort(sorted.begin(), sorted.end(), [](const EnvoyLocality* a, const EnvoyLocality* b) {
    return std::tie(a->region, a->zone, a->sub_zone) < std::tie(b->region, b->zone, b->sub_zone);
  });
  std::string shares;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const std::string name = sorted[i]->name();
    if (name.empty() || name.find_first_of(",= ") != std::string::npos ||
        (i > 0 && sorted[i - 1]->name() >= name))
      return fault_at(source, cluster.at, name,
                      "localities with weights whose names cannot be told apart here",
                      "give them names without blanks, commas and equals signs");
    shares += (shares.empty() ? "" : ", ") + name + "=" + std::to_string(sorted[i]->weight);
  }
  parts.placement.settings["locality_weights"] = shares;
  return std::nullopt;
}

void add_nodes(const EnvoyHosts& hosts, ClusterMap::Parts& parts, std::vector<Finding>& findings) {
  NodeNames names;
  for (const EnvoyHostLine& host : hosts.hosts) {
    if (!host.healthy) {
      findings.push_back({Severity::info, "left-out", host.name, "its health_status keeps it out", ""});
      continue;
    }
    Node node;
    node.name = names.fresh(host.name);
    node.label = host.label;
    node.address = host.address;
    node.host = host.host;
    node.weight = static_cast<double>(host.weight);
    node.zone = hosts.localities[host.locality].name();
    if (node.name != host.name)
      findings.push_back({Severity::warning, "same-name", node.name, "this address is listed twice",
                          "drop one, and raise the other's weight if that is meant"});
    parts.nodes.push_back(std::move(node));
  }
  if (hosts.of_later_priorities)
    findings.push_back({Severity::info, "left-out", "priorities",
                        std::to_string(hosts.of_later_priorities) +
                            " hosts of later priorities serve only when those of the first fail",
                        ""});
}

}  // namespace

bool is_envoy_line(std::string_view line) {
  for (const std::string_view key : {"lb_policy", "lbPolicy", "load_assignment", "loadAssignment",
                                     "load_balancing_policy", "loadBalancingPolicy"})
    if (has_key(line, key)) return true;
  return false;
}

bool is_envoy_text(std::string_view text) {
  for (const char* key : {"static_resources", "lb_policy", "lbPolicy", "load_assignment", "loadAssignment"})
    if (flow_map_has_key(text, key)) return true;
  return any_line(text, [](std::string_view line) { return has_key(line, "static_resources"); });
}

Result<Cluster> import_envoy(const Inputs& inputs) {
  const Source& source = inputs.sources.front();
  const auto root = read_yaml(source);
  if (!root) return root.error();
  const std::vector<const YamlNode*> clusters = clusters_of(*root);
  if (clusters.empty())
    return fault_at(source, root->at, text_at(source, root->at), "no cluster in the file",
                    "bring a bootstrap file with static_resources, or one cluster");
  std::vector<PoolName> names;
  for (const YamlNode* cluster : clusters) {
    const YamlNode* name = envoy_field(*cluster, "name");
    names.push_back({name ? name->text : "", name ? name->at : cluster->at});
  }
  const auto chosen = choose_pool(source, names, inputs.options, "cluster");
  if (!chosen) return chosen.error();
  const YamlNode& cluster = *clusters[*chosen];

  EnvoyPolicy policy;
  EnvoyHosts hosts;
  if (auto fault = read_envoy_policy(source, cluster, policy)) return *fault;
  if (auto fault = read_envoy_hosts(source, cluster, policy.by_hostname, hosts)) return *fault;
  if (auto fault = check_health(source, hosts, policy.by_locality)) return *fault;
  ClusterMap::Parts parts;
  Observed observed;
  observed.format = "envoy";
  parts.cluster = names[*chosen].name;
  parts.placement.recipe = find_recipe(policy.maglev ? "envoy-maglev" : "envoy-ring-hash");
  parts.placement.hash = parts.placement.recipe->hash;
  parts.placement.settings = policy.settings;
  if (policy.by_locality)
    if (auto fault = order_localities(source, cluster, hosts, parts)) return *fault;
  add_nodes(hosts, parts, observed.findings);
  if (policy.balance_factor)
    observed.findings.push_back({Severity::warning, "bounded-load", parts.cluster,
                                 "hash_balance_factor " + std::to_string(policy.balance_factor) +
                                     ": a host above its load limit passes keys on",
                                 "the map says where keys go while no host is above its limit"});
  return finished_import(std::move(parts), std::move(observed), {}, inputs.options,
                         mark_at(source, names[*chosen].at));
}

}  // namespace arcwise
