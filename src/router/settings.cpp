#include "router/settings.hpp"

#include <charconv>

#include "format/yaml.hpp"

namespace arcwise::router {
namespace {

Error bad(const Source& source, const YamlNode& node, const std::string& why, const std::string& advice) {
  return Error{ErrorKind::input, {source.name, node.at.line, node.at.column}, node.text, why, advice};
}

// The importer has read the values; what is left is to use them.
unsigned long whole(const YamlNode& node) {
  unsigned long value = 0;
  std::from_chars(node.text.data(), node.text.data() + node.text.size(), value);
  return value;
}

Result<Pool> pool_of(const Source& source, const YamlNode& node) {
  LoadOptions options;
  options.from = "nutcracker";
  options.pool = node.key;
  const auto cluster = parse({&source, 1}, options);
  if (!cluster) return cluster.error();
  const YamlNode* listen = node.find("listen");
  if (!listen) return bad(source, node, "the pool has no address to listen on", "add `listen: host:port`");
  const YamlNode* redis = node.find("redis");
  auto pool = pool_of_map(
      cluster->map, redis && redis->text == "true" ? Protocol::redis : Protocol::memcached, listen->text);
  if (!pool) return pool.error();
  pool->name = node.key;
  if (const YamlNode* timeout = node.find("timeout")) pool->timeout = milliseconds(whole(*timeout));
  if (const YamlNode* password = node.find("redis_auth")) pool->password = password->text;
  if (const YamlNode* database = node.find("redis_db"))
    pool->database = static_cast<unsigned>(whole(*database));
  const YamlNode* eject = node.find("auto_eject_hosts");
  if (eject && eject->text == "true")
    pool->notes.push_back(
        "auto_eject_hosts is not followed: a server that is away fails its own keys, and none moves");
  return pool;
}

}  // namespace

Result<std::vector<Pool>> pools_of_nutcracker(const Source& source) {
  const auto root = read_yaml(source);
  if (!root) return root.error();
  std::vector<Pool> pools;
  for (const YamlNode& node : root->items) {
    auto pool = pool_of(source, node);
    if (!pool) return pool.error();
    pools.push_back(std::move(*pool));
  }
  if (pools.empty())
    return Error{ErrorKind::input,
                 {source.name, 0, 0},
                 "",
                 "no pool in the file",
                 "a pool is a name with its settings under it"};
  return pools;
}

Result<Pool> pool_of_map(const ClusterMap& map, Protocol protocol, const std::string& listen) {
  std::vector<std::string> addresses;
  for (const Node& node : map.nodes()) {
    if (node.address.empty())
      return Error{ErrorKind::input,
                   {},
                   node.name,
                   "the node has no address to connect to",
                   "add `address: host:port` to it"};
    addresses.push_back(node.address);
  }
  Pool pool(compile(map));
  pool.name = map.cluster();
  pool.listen = listen;
  pool.protocol = protocol;
  pool.addresses = std::move(addresses);
  return pool;
}

}  // namespace arcwise::router
