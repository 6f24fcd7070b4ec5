// The table of formats that are written.
#include <algorithm>
#include <array>

#include "arcwise/check.hpp"
#include "format/exporter.hpp"

namespace arcwise {
namespace {

constexpr bool stands_alone = true;

Result<std::string> write_native(const ClusterMap& map) {
  return write_map(map);
}

constexpr std::array table{
    Exporter{{"arcwise", "Arcwise's own map file", stands_alone}, write_native},
    Exporter{{"cassandra-yaml", "Cassandra: initial_token and num_tokens of each node's cassandra.yaml",
              stands_alone},
             write_cassandra},
    Exporter{{"envoy", "Envoy: a bootstrap file with one cluster", stands_alone}, write_envoy},
    Exporter{{"haproxy", "HAProxy: a backend section", stands_alone}, write_haproxy},
    Exporter{{"nginx", "nginx: an upstream", stands_alone}, write_nginx},
    Exporter{{"nutcracker", "twemproxy: nutcracker.yml with one pool", stands_alone}, write_nutcracker},
    Exporter{{"redis-addslotsrange", "Redis Cluster: CLUSTER ADDSLOTSRANGE commands for its masters",
              stands_alone},
             write_redis},
};

constexpr auto infos = [] {
  std::array<FormatInfo, table.size()> out{};
  for (std::size_t i = 0; i < table.size(); ++i) out[i] = table[i].info;
  return out;
}();

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.';
}

}  // namespace

std::span<const FormatInfo> export_formats() {
  return infos;
}

Result<std::string> export_map(const ClusterMap& map, std::string_view format) {
  std::string known;
  for (const Exporter& exporter : table) {
    if (exporter.info.name == format) return exporter.write(map);
    known += (known.empty() ? "" : ", ") + std::string(exporter.info.name);
  }
  return cannot_export(std::string(format), "no such format to write", "the formats are: " + known);
}

Error cannot_export(std::string what, std::string why, std::string advice) {
  return {ErrorKind::input, {}, std::move(what), std::move(why), std::move(advice)};
}

std::optional<Error> check_recipe(const ClusterMap& map, std::string_view system,
                                  std::span<const std::string_view> recipes) {
  const std::string_view recipe = map.placement().recipe->name;
  std::string known;
  for (const std::string_view name : recipes) known += (known.empty() ? "" : ", ") + std::string(name);
  if (std::find(recipes.begin(), recipes.end(), recipe) == recipes.end())
    return cannot_export(std::string(recipe), std::string(system) + " does not place keys by this recipe",
                         "it can write maps of: " + known);
  for (const Node& node : map.nodes())
    if (node.state == NodeState::joining)
      return cannot_export(node.name,
                           "this node is joining and owns nothing yet, which the system cannot say",
                           "finish the change first, or take the node out");
  return std::nullopt;
}

std::optional<Error> check_exportable(const ClusterMap& map, std::string_view system,
                                      std::span<const std::string_view> recipes) {
  if (auto error = check_recipe(map, system, recipes)) return error;
  const ReplicaPolicy& policy = map.replicas();
  if (policy.count != 1 || !policy.per_zone.empty() || policy.across != Across::node)
    return cannot_export(std::to_string(policy.count) + " across " + std::string(to_string(policy.across)),
                         std::string(system) + " keeps one copy of each key, wherever the hash says",
                         "give --replicas 1 --across node, if one copy is meant");
  return std::nullopt;
}

std::string exported_name(const ClusterMap& map) {
  std::string name = map.cluster();
  for (char& c : name)
    if (!is_name_character(c)) c = '_';
  return name.empty() ? "arcwise" : name;
}

std::string exported_from(const ClusterMap& map) {
  return "# recipe " + std::string(map.placement().recipe->name) + ", fingerprint " +
         fingerprints(compile(map)).fingerprint + "\n";
}

std::string double_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

}  // namespace arcwise
