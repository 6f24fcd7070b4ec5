// load_assignment of an Envoy cluster: the hosts of its first priority.
#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include "format/envoy.hpp"
#include "format/proxy_import.hpp"
#include "place/ip_address.hpp"

namespace arcwise {
namespace {

using Fault = std::optional<Error>;
using Kind = YamlNode::Kind;

Error missing(const Source& source, const YamlNode& node, std::string why, std::string advice) {
  return fault_at(source, node.at, shown(source, node), std::move(why), std::move(advice));
}

Fault read_address(const Source& source, const YamlNode& endpoint, bool& is_ip, EnvoyHostLine& out) {
  if (const YamlNode* path = envoy_field(endpoint, {"address", "pipe", "path"})) {
    is_ip = true;
    out.name = out.address = out.host = path->text;
    if (path->text.empty()) return missing(source, *path, "a pipe without a path", "write one");
    return std::nullopt;
  }
  const YamlNode* socket = envoy_field(endpoint, {"address", "socket_address"});
  const YamlNode* address = socket ? envoy_field(*socket, "address") : nullptr;
  const YamlNode* port = socket ? envoy_field(*socket, "port_value") : nullptr;
  if (!address || address->text.empty() || !port)
    return missing(source, endpoint, "an endpoint without address and port_value",
                   "write address: {socket_address: {address: …, port_value: …}}");
  std::uint64_t number = 0;
  if (auto fault = read_envoy_number(source, *port, 65535, number)) return fault;
  const auto ip = canonical_address(address->text);
  is_ip = ip.has_value();
  out.host = ip.value_or(address->text);
  out.name = out.address = joined_address(out.host, std::to_string(number));
  return std::nullopt;
}

// What Envoy hashes: the metadata's hash_key, or the host name where it is told so, or the address.
Fault read_label(const Source& source, const YamlNode& host, const YamlNode& endpoint, bool by_hostname,
                 bool is_ip, bool resolved, EnvoyHostLine& out) {
  const YamlNode* metadata = envoy_field(host, {"metadata", "filter_metadata"});
  const YamlNode* filter = metadata ? metadata->find("envoy.lb") : nullptr;
  const YamlNode* key = filter ? filter->find("hash_key") : nullptr;
  // A hash_key that is no text is passed over.
  if (key && key->is(Kind::scalar) && !key->text.empty() &&
      (key->quoted || key->text.find_first_not_of("0123456789.") != std::string::npos)) {
    out.label = key->text;
    return std::nullopt;
  }
  if (by_hostname) {
    const YamlNode* name = envoy_field(endpoint, "hostname");
    out.label = name && !name->text.empty() ? name->text : resolved ? out.host : "";
    if (out.label.empty())
      return missing(source, endpoint, "hosts are hashed by name, and this one has no `hostname`",
                     "write the name that Envoy gives it");
    return std::nullopt;
  }
  if (!is_ip)
    return missing(source, endpoint,
                   "the address that this name resolves to is hashed, and only DNS knows it",
                   "write the addresses, give a metadata hash_key, or set use_hostname_for_hashing");
  out.label = out.name;
  return std::nullopt;
}

Fault read_host(const Source& source, const YamlNode& host, bool by_hostname, bool resolved,
                EnvoyHostLine& out) {
  const YamlNode* endpoint = envoy_field(host, "endpoint");
  if (!endpoint || !endpoint->is(Kind::map))
    return missing(source, host, "no `endpoint` with an address",
                   "named endpoints are not followed: write it out");
  out.at = host.at;
  bool is_ip = false;
  if (auto fault = read_address(source, *endpoint, is_ip, out)) return fault;
  if (auto fault = read_label(source, host, *endpoint, by_hostname, is_ip, resolved, out)) return fault;
  if (const YamlNode* weight = envoy_field(host, "load_balancing_weight")) {
    if (auto fault = read_envoy_number(source, *weight, 4294967295U, out.weight)) return fault;
    if (out.weight == 0)
      return fault_at(source, weight->at, weight->text, "a weight of 0", "Envoy takes weights from 1 on");
  }
  const YamlNode* health = envoy_field(host, "health_status");
  out.healthy = !health || health->text == "HEALTHY" || health->text == "UNKNOWN";
  return std::nullopt;
}

std::string text_of(const YamlNode* node) {
  return node ? node->text : std::string();
}

Fault read_locality(const Source& source, const YamlNode& group, EnvoyHosts& out, std::size_t& place) {
  EnvoyLocality locality{text_of(envoy_field(group, {"locality", "region"})),
                         text_of(envoy_field(group, {"locality", "zone"})),
                         text_of(envoy_field(group, {"locality", "sub_zone"})), 0};
  if (const YamlNode* weight = envoy_field(group, "load_balancing_weight"))
    if (auto fault = read_envoy_number(source, *weight, 4294967295U, locality.weight)) return fault;
  for (place = 0; place < out.localities.size(); ++place) {
    EnvoyLocality& known = out.localities[place];
    if (known.region != locality.region || known.zone != locality.zone || known.sub_zone != locality.sub_zone)
      continue;
    if (known.weight != locality.weight)
      return missing(source, group, "a locality that stood before with another weight",
                     "write its weight the same everywhere");
    return std::nullopt;
  }
  out.localities.push_back(std::move(locality));
  return std::nullopt;
}

Fault read_group(const Source& source, const YamlNode& group, bool by_hostname, bool resolved,
                 EnvoyHosts& out) {
  const YamlNode* hosts = envoy_field(group, "lb_endpoints");
  if (!hosts && envoy_field(group, "leds_cluster_locality_config"))
    return missing(source, group, "the hosts come from a control plane", "write its endpoints out");
  std::size_t locality = 0;
  if (auto fault = read_locality(source, group, out, locality)) return fault;
  if (!hosts) return std::nullopt;
  for (const YamlNode& host : hosts->items) {
    EnvoyHostLine line;
    line.locality = locality;
    if (auto fault = read_host(source, host, by_hostname, resolved, line)) return fault;
    out.hosts.push_back(std::move(line));
  }
  return std::nullopt;
}

Fault read_priority(const Source& source, const YamlNode& group, std::uint64_t& out) {
  const YamlNode* node = envoy_field(group, "priority");
  return node ? read_envoy_number(source, *node, 128, out) : std::nullopt;
}

bool has_hosts(const YamlNode& group) {
  const YamlNode* hosts = envoy_field(group, "lb_endpoints");
  return hosts && !hosts->items.empty();
}

// STATIC, STRICT_DNS, LOGICAL_DNS.
Fault read_type(const Source& source, const YamlNode& cluster, bool& resolved) {
  if (const YamlNode* custom = envoy_field(cluster, "cluster_type"))
    return fault_at(source, custom->key_at, custom->key,
                    "a cluster type of its own, whose hosts are not in the file",
                    "only STATIC, STRICT_DNS and LOGICAL_DNS clusters are read");
  const YamlNode* type = envoy_field(cluster, "type");
  if (!type || type->text == "STATIC") return std::nullopt;
  resolved = type->text == "STRICT_DNS" || type->text == "LOGICAL_DNS";
  if (resolved) return std::nullopt;
  return fault_at(source, type->at, shown(source, *type), "the hosts of such a cluster are not in the file",
                  "write the endpoints that Envoy shows at /clusters into a load_assignment");
}

}  // namespace

std::optional<std::string> canonical_address(std::string_view host) {
  const auto address = ip_address(host);
  if (!address) return std::nullopt;
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(address->size == 4 ? AF_INET : AF_INET6, address->bytes.data(), text.data(), text.size());
  return text.data();
}

std::string EnvoyLocality::name() const {
  std::string out;
  for (const std::string* part : {&region, &zone, &sub_zone})
    if (!part->empty()) out += (out.empty() ? "" : "/") + *part;
  return out;
}

std::optional<Error> read_envoy_hosts(const Source& source, const YamlNode& cluster, bool by_hostname,
                                      EnvoyHosts& out) {
  bool resolved = false;
  if (auto fault = read_type(source, cluster, resolved)) return fault;
  const YamlNode* groups = envoy_field(cluster, {"load_assignment", "endpoints"});
  if (!groups || !groups->is(Kind::sequence))
    return missing(source, cluster, "a cluster without load_assignment and endpoints",
                   "write its hosts there");
  const YamlNode* factor = envoy_field(cluster, {"load_assignment", "policy", "overprovisioning_factor"});
  if (factor)
    if (auto fault = read_envoy_number(source, *factor, 1'000'000, out.overprovisioning)) return fault;
  std::uint64_t first = 129;
  for (const YamlNode& group : groups->items) {
    std::uint64_t priority = 0;
    if (auto fault = read_priority(source, group, priority)) return fault;
    if (has_hosts(group)) first = std::min(first, priority);
  }
  for (const YamlNode& group : groups->items) {
    std::uint64_t priority = 0;
    if (auto fault = read_priority(source, group, priority)) return fault;
    if (priority != first) {
      out.of_later_priorities += has_hosts(group) ? envoy_field(group, "lb_endpoints")->items.size() : 0;
      continue;
    }
    if (auto fault = read_group(source, group, by_hostname, resolved, out)) return fault;
  }
  if (!out.hosts.empty()) return std::nullopt;
  return fault_at(source, groups->key_at, groups->key, "the cluster has no host",
                  "list them in lb_endpoints");
}

}  // namespace arcwise
