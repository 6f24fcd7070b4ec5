// Tokens and slots as their stores take them: Cassandra's initial_token, Redis Cluster's ADDSLOTSRANGE.
// Replication is no part of either: it is a keyspace's setting, or replicas that are attached later.
#include <array>

#include "format/exporter.hpp"

namespace arcwise {
namespace {

constexpr std::array<std::string_view, 3> rings{"cassandra-murmur3", "cassandra-random", "scylladb-murmur3"};

struct Master {
  std::string host, port;
};

// The address goes onto a shell's command line.
std::optional<Master> master_of(const Node& node) {
  const std::size_t colon = node.address.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  Master out{node.address.substr(0, colon), node.address.substr(colon + 1)};
  if (out.host.starts_with('[') && out.host.ends_with(']'))
    out.host = out.host.substr(1, out.host.size() - 2);
  const bool plain =
      !out.host.empty() && out.host.front() != '-' &&
      out.host.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:-_") ==
          std::string::npos;
  const bool digits = !out.port.empty() && out.port.find_first_not_of("0123456789") == std::string::npos;
  return plain && digits ? std::optional(out) : std::nullopt;
}

}  // namespace

Result<std::string> write_cassandra(const ClusterMap& map) {
  if (auto error = check_recipe(map, "Cassandra", rings)) return *error;
  const bool random = map.placement().recipe->name == "cassandra-random";
  std::string out = exported_from(map) + "# each document: settings for the cassandra.yaml of one new node\n";
  for (const Node& node : map.nodes()) {
    if (node.tokens.empty())
      return cannot_export(node.name, "this node has no token of its own", "give it one, or take it out");
    out += "---\n# node " + node.name;
    if (!node.zone.empty()) out += ", data center " + node.zone;
    if (!node.rack.empty()) out += ", rack " + node.rack;
    out += std::string("\npartitioner: org.apache.cassandra.dht.") +
           (random ? "RandomPartitioner" : "Murmur3Partitioner") +
           "\nnum_tokens: " + std::to_string(node.tokens.size()) + "\ninitial_token: ";
    for (std::size_t i = 0; i < node.tokens.size(); ++i)
      out += (i ? "," : "") + to_text(map.space(), node.tokens[i]);
    out += "\n";
  }
  return out;
}

Result<std::string> write_redis(const ClusterMap& map) {
  static constexpr std::array<std::string_view, 1> takes{"redis-cluster"};
  if (auto error = check_recipe(map, "Redis Cluster", takes)) return *error;
  std::vector<std::string> slots(map.nodes().size());
  std::uint64_t from = 0;
  std::string nobody;
  const auto& table = map.placement().table;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto upto = static_cast<std::uint64_t>(table[i].upto.value);
    const bool goes_on = i + 1 < table.size() && table[i].owners.empty() == table[i + 1].owners.empty() &&
                         (table[i].owners.empty() || table[i].owners[0] == table[i + 1].owners[0]);
    if (goes_on) continue;
    const std::string range = " " + std::to_string(from) + " " + std::to_string(upto);
    (table[i].owners.empty() ? nobody : slots[table[i].owners[0]]) += range;
    from = upto + 1;
  }
  std::string out =
      exported_from(map) + "# Redis 7.0 or later, on masters without slots; attach replicas afterwards\n";
  if (!nobody.empty()) out += "# nobody owns:" + nobody + "\n";
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].empty()) continue;
    const auto master = master_of(map.nodes()[i]);
    if (!master)
      return cannot_export(map.nodes()[i].name, "this node has no address that redis-cli could connect to",
                           "give it an address host:port");
    out +=
        "redis-cli -h " + master->host + " -p " + master->port + " CLUSTER ADDSLOTSRANGE" + slots[i] + "\n";
  }
  return out;
}

}  // namespace arcwise
