// Envoy's clusters with ring_hash or maglev, YAML or JSON: one of a file becomes a map.
//
// Layer: format. Read are a bootstrap file (static_resources), a list of clusters (`clusters`, `resources`),
// a dump of /config_dump, or one cluster alone; field names in snake_case or camelCase. Hosts that health
// checks or `health_status` keep out are left out while no other host has to take more than its share for
// them; hosts of later priorities are left out.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "format/importer.hpp"
#include "format/yaml.hpp"

namespace arcwise {

/// A field of a message by its name in snake_case, whichever way the file writes it; null: not there.
const YamlNode* envoy_field(const YamlNode& message, std::string_view name);
/// A field of a field, and so on.
const YamlNode* envoy_field(const YamlNode& message, std::initializer_list<std::string_view> path);
/// A whole number up to `last`, which JSON may write in quotes.
std::optional<Error> read_envoy_number(const Source& source, const YamlNode& node, std::uint64_t last,
                                       std::uint64_t& out);
/// true or false.
std::optional<Error> read_envoy_flag(const Source& source, const YamlNode* node, bool& out);

/// An IP address as Envoy prints it: "2001:db8:0::1" is "2001:db8::1". nullopt: a name.
std::optional<std::string> canonical_address(std::string_view host);

struct EnvoyPolicy {
  bool maglev = false;
  bool by_hostname = false;          ///< use_hostname_for_hashing
  bool by_locality = false;          ///< a locality's hosts share its weight
  std::uint64_t balance_factor = 0;  ///< bounded load, in per cent; 0: off
  std::map<std::string, std::string, std::less<>> settings;
};
std::optional<Error> read_envoy_policy(const Source& source, const YamlNode& cluster, EnvoyPolicy& out);

struct EnvoyHostLine {
  std::string name, label, address, host;  ///< label: what is hashed
  std::uint64_t weight = 1;
  bool healthy = true;
  std::size_t locality = 0;  ///< place in the list of localities
  Place at;
};
struct EnvoyLocality {
  std::string region, zone, sub_zone;
  std::uint64_t weight = 0;
  std::string name() const;  ///< "region/zone/sub_zone", without empty parts
};
struct EnvoyHosts {
  std::vector<EnvoyLocality> localities;
  std::vector<EnvoyHostLine> hosts;  ///< of the first priority, in the order written
  std::uint64_t overprovisioning = 140;
  std::size_t of_later_priorities = 0;
};
std::optional<Error> read_envoy_hosts(const Source& source, const YamlNode& cluster, bool by_hostname,
                                      EnvoyHosts& out);

bool is_envoy_line(std::string_view line);
bool is_envoy_text(std::string_view text);
Result<Cluster> import_envoy(const Inputs& inputs);

}  // namespace arcwise
