#include "router/settings.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace arcwise::router {
namespace {

// Twemproxy writes durations in milliseconds.
std::string as_duration(const YamlNode& node) {
  return node.text + "ms";
}
std::string as_it_is(const YamlNode& node) {
  return node.text;
}
std::string as_protocol(const YamlNode& node) {
  return node.text == "true" ? "redis" : "memcached";
}
std::uint64_t number_of(const YamlNode& node) {
  std::uint64_t number = 0;  // its reader has seen that it is one
  std::from_chars(node.text.data(), node.text.data() + node.text.size(), number);
  return number;
}
template <std::uint64_t most>
std::string as_count(const YamlNode& node) {
  return std::to_string(std::clamp(number_of(node), std::uint64_t{1}, most));
}
// No limit, where it says 0.
std::string as_limit(const YamlNode& node) {
  return number_of(node) == 0 ? "1000000000" : as_count<1'000'000'000>(node);
}
// At once, where it says 0.
std::string as_wait(const YamlNode& node) {
  return as_count<3'600'000'000>(node) + "ms";
}

/// A setting of twemproxy's, and which of ours it is. Its redis_auth is asked of clients, and told to
/// servers.
struct Counterpart {
  std::string_view theirs, ours;
  std::string (*text)(const YamlNode& node);
};
constexpr std::array<Counterpart, 12> counterparts{
    {{"listen", "listen", as_it_is},
     {"redis", "protocol", as_protocol},
     {"timeout", "timeout", as_duration},
     {"redis_auth", "password", as_it_is},
     {"redis_auth", "client_password", as_it_is},
     {"redis_db", "database", as_it_is},
     {"backlog", "backlog", as_count<65535>},
     {"reuseport", "reuse_port", as_it_is},
     {"tcpkeepalive", "keepalive", as_it_is},
     {"client_connections", "clients", as_limit},
     {"server_failure_limit", "failure_limit", as_count<1'000'000'000>},
     {"server_retry_timeout", "eject_for", as_wait}}};

Error bad(const Source& source, const YamlNode& node, const std::string& why, const std::string& advice) {
  return Error{ErrorKind::input, {source.name, node.at.line, node.at.column}, node.text, why, advice};
}

std::optional<Error> take_over(const Source& source, const YamlNode& node, PoolConfig& to) {
  for (const Counterpart& pair : counterparts) {
    const YamlNode* item = node.find(pair.theirs);
    if (!item || (pair.theirs == "timeout" && item->text == "0"))
      continue;  // 0: it waits for ever, as without
    const std::array<std::string, 1> words{pair.text(*item)};
    for (const auto& setting : pool_settings())
      if (setting.key == pair.ours)
        if (auto wrong = setting.set(to.pool, words))
          return bad(source, *item, "`" + item->key + "`: " + wrong->why, wrong->advice);
    to.sources.insert_or_assign(std::string(pair.ours),
                                source.name + ":" + std::to_string(item->key_at.line));
  }
  return std::nullopt;
}

bool says(const YamlNode& node, std::string_view key, std::string_view text) {
  const YamlNode* item = node.find(key);
  return item && item->text == text;
}

std::vector<std::string> notes_of(const YamlNode& node) {
  std::vector<std::string> notes;
  if (says(node, "auto_eject_hosts", "true"))
    notes.push_back(
        "auto_eject_hosts is not followed: a server that is away fails its own keys, and none moves");
  const YamlNode* connections = node.find("server_connections");
  if (connections && connections->text != "1")
    notes.push_back(
        "server_connections is not followed: each thread has one connection to a server, so that "
        "what a client asks is done in its order");
  return notes;
}

Result<PoolConfig> pool_of(const Source& source, const YamlNode& node) {
  if (!node.is(YamlNode::Kind::map))
    return fault_at(source, node.is(YamlNode::Kind::null) ? node.key_at : node.at,
                    node.is(YamlNode::Kind::scalar) ? node.text : text_at(source, node.at),
                    "pool " + node.key + " has no settings by their names",
                    "write under it `listen: host:port` and `servers:` with its list");
  LoadOptions options;
  options.from = "nutcracker";
  options.pool = node.key;
  const auto cluster = parse({&source, 1}, options);
  if (!cluster) return cluster.error();
  if (!node.find("listen"))
    return bad(source, node, "the pool has no address to listen on", "add `listen: host:port`");
  auto pool = pool_of_map(*cluster, Protocol::memcached, {});
  if (!pool) return pool.error();
  PoolConfig out{std::move(*pool), {}, {}, true};
  out.pool.name = node.key;
  out.pool.source = source.name;
  out.pool.notes = notes_of(node);
  if (const YamlNode* servers = node.find("servers"))
    out.sources["servers"] = source.name + ":" + std::to_string(servers->key_at.line);
  if (auto error = take_over(source, node, out)) return *error;
  return out;
}

}  // namespace

Result<Config> config_of_nutcracker(const Source& source, const YamlNode& root) {
  if (!root.is(YamlNode::Kind::map) || root.items.empty())
    return Error{ErrorKind::input,
                 {source.name, 1, 1},
                 text_at(source, {1, 1}),
                 "no pool in the file",
                 "a pool is a name with its settings under it"};
  Config config;
  for (const YamlNode& node : root.items) {
    auto pool = pool_of(source, node);
    if (!pool) return pool.error();
    config.pools.push_back(std::move(*pool));
  }
  return config;
}

std::optional<Error> check_node(const Node& node) {
  if (node.address.empty())
    return Error{ErrorKind::input,
                 {},
                 node.name,
                 "the node has no address to connect to",
                 "add `address: host:port` to it"};
  if (const auto wrong = check_address(node.address))
    return Error{ErrorKind::input, {}, node.address, node.name + ": " + wrong->why, wrong->advice};
  return std::nullopt;
}

Result<Pool> pool_of_map(const Cluster& cluster, Protocol protocol, const std::string& listen) {
  const ClusterMap& map = cluster.map;
  std::vector<std::string> addresses;
  for (const Node& node : map.nodes()) {
    if (auto error = check_node(node)) return *error;
    addresses.push_back(node.address);
  }
  Pool pool(compile(map));
  pool.name = map.cluster();
  pool.listen = listen;
  pool.protocol = protocol;
  pool.addresses = std::move(addresses);
  pool.observed = cluster.observed;
  return pool;
}

}  // namespace arcwise::router
