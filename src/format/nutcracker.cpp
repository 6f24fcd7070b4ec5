#include "format/nutcracker.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "format/map_fields.hpp"

namespace arcwise {
namespace {

using Kind = YamlNode::Kind;

struct Pool {
  Marked<std::string> name, hash, distribution;
  std::string hash_tag;
  bool auto_eject = false;
  std::vector<NutcrackerServer> servers;
};

template <std::size_t N>
Fault read_choice(const Source& source, const YamlNode& node, const std::array<std::string_view, N>& choices,
                  Marked<std::string>& out) {
  if (auto fault = read_text(source, node, [&](Marked<std::string> text) { out = std::move(text); }))
    return fault;
  if (std::find(choices.begin(), choices.end(), out.value) != choices.end()) return std::nullopt;
  std::string list;
  for (const std::string_view choice : choices) list += (list.empty() ? "" : ", ") + std::string(choice);
  return fault_at(source, node.at, node.text, "no such " + node.key, "twemproxy knows: " + list);
}

Fault read_flag(const Source& source, const YamlNode& node, bool& out) {
  if (!node.is(Kind::scalar) || (node.text != "true" && node.text != "false"))
    return fault_at(source, node.at, text_at(source, node.at), "`" + node.key + "` is true or false",
                    "write one of them");
  out = node.text == "true";
  return std::nullopt;
}

Fault read_hash_tag(const Source& source, const YamlNode& node, Pool& pool) {
  if (!node.is(Kind::scalar) || node.text.size() != 2)
    return fault_at(source, node.at, text_at(source, node.at), "a hash_tag is two characters",
                    "write for example hash_tag: \"{}\"");
  pool.hash_tag = node.text;
  return std::nullopt;
}

Fault read_servers(const Source& source, const YamlNode& node, Pool& pool) {
  if (auto fault = expect(source, node, Kind::sequence)) return fault;
  std::map<std::string, std::uint32_t> lines;
  std::uint64_t total = 0;
  for (const YamlNode& item : node.items) {
    NutcrackerServer server;
    if (auto error = read_nutcracker_server(source, item, server)) return error;
    const auto [at, fresh] = lines.emplace(server.label, item.at.line);
    if (!fresh)
      return fault_at(source, item.at, item.text,
                      "duplicate server: hashed as '" + server.label + "', like the one on line " +
                          std::to_string(at->second),
                      "twemproxy refuses that: remove one, or name them differently");
    total += server.weight;
    if (total > 4294967295U)
      return fault_at(source, item.at, item.text,
                      "the weights add up to more than 4294967295, which twemproxy would wrap",
                      "weights are relative: scale them all down");
    pool.servers.push_back(std::move(server));
  }
  return std::nullopt;
}

Fault read_setting(const Source& source, const YamlNode& item, Pool& pool) {
  static constexpr std::array<std::string_view, 12> hashes{"one_at_a_time", "md5",     "crc16",    "crc32",
                                                           "crc32a",        "fnv1_64", "fnv1a_64", "fnv1_32",
                                                           "fnv1a_32",      "hsieh",   "murmur",   "jenkins"};
  static constexpr std::array<std::string_view, 3> distributions{"ketama", "modula", "random"};
  static constexpr std::array<std::string_view, 5> flags{"preconnect", "redis", "tcpkeepalive", "reuseport",
                                                         "auto_eject_hosts"};
  static constexpr std::array<std::string_view, 2> texts{"listen", "redis_auth"};
  const auto one_of = [&](const auto& names) {
    return std::find(names.begin(), names.end(), item.key) != names.end();
  };
  if (item.key == "servers") return read_servers(source, item, pool);
  if (item.key == "hash") return read_choice(source, item, hashes, pool.hash);
  if (item.key == "distribution") return read_choice(source, item, distributions, pool.distribution);
  if (item.key == "hash_tag") return read_hash_tag(source, item, pool);
  if (one_of(flags)) {
    bool value = false;
    if (auto fault = read_flag(source, item, value)) return fault;
    pool.auto_eject |= value && item.key == "auto_eject_hosts";
    return std::nullopt;
  }
  if (one_of(texts)) return read_text(source, item, [](Marked<std::string>) {});
  if (is_nutcracker_key(item.key)) return read_whole(source, item, [](Marked<std::uint64_t>) {});
  return unknown_key(source, item, nutcracker_keys());
}

Fault read_pool(const Source& source, const YamlNode& node, Pool& pool) {
  if (auto fault = expect(source, node, Kind::map)) return fault;
  pool.name = {node.key, mark_at(source, node.key_at)};
  for (const YamlNode& item : node.items)
    if (auto fault = read_setting(source, item, pool)) return fault;
  if (!pool.servers.empty()) return std::nullopt;
  return fault_at(source, node.key_at, node.key, "the pool has no server", "list them under `servers:`");
}

std::string pool_names(const YamlNode& root) {
  std::string list;
  for (const YamlNode& pool : root.items) list += (list.empty() ? "" : ", ") + pool.key;
  return list;
}

Result<const YamlNode*> choose_pool(const Source& source, const YamlNode& root, const LoadOptions& options) {
  if (!root.is(Kind::map) || root.items.empty())
    return fault_at(source, root.at, text_at(source, root.at), "no pool in the file",
                    "a pool is a name with its settings under it");
  for (const YamlNode& item : root.items)
    if (is_nutcracker_key(item.key) && !item.is(Kind::map))
      return fault_at(source, item.key_at, item.key, "keys are not under a pool name",
                      "expected e.g. `cache:` above, and its settings indented under it");
  if (options.pool.empty()) {
    if (root.items.size() == 1) return &root.items.front();
    return fault_at(source, root.items[1].key_at, root.items[1].key, "the file has several pools",
                    "choose one with --pool: " + pool_names(root));
  }
  if (const YamlNode* pool = root.find(options.pool)) return pool;
  return fault_at(source, root.at, options.pool, "no pool of this name", "the file has: " + pool_names(root));
}

// A pool of one server never hashes, so its hash and distribution do not matter.
Fault check_method(const Pool& pool) {
  if (pool.servers.size() == 1) return std::nullopt;
  const auto unread = [&](const Marked<std::string>& field, std::string why) {
    const Mark at = field.at.line ? field.at : pool.name.at;
    return Error{ErrorKind::input, at, field.at.line ? field.value : pool.name.value, std::move(why),
                 "pools with `hash: md5` and `distribution: ketama` are read"};
  };
  if (!pool.distribution.value.empty() && pool.distribution.value != "ketama")
    return unread(pool.distribution, "distribution " + pool.distribution.value + " is not read yet");
  if (pool.hash.value.empty())
    return unread(pool.hash,
                  "the pool names no hash, so twemproxy takes fnv1a_64, and hash fnv1a_64 is not read yet");
  if (pool.hash.value != "md5") return unread(pool.hash, "hash " + pool.hash.value + " is not read yet");
  return std::nullopt;
}

// twemproxy sorts its servers by the hashed text, shorter ones first; equal points belong to the earlier one.
std::vector<Node> nodes_of(Pool& pool, std::vector<Finding>& findings) {
  std::sort(pool.servers.begin(), pool.servers.end(),
            [](const NutcrackerServer& a, const NutcrackerServer& b) {
              return a.label.size() != b.label.size() ? a.label.size() < b.label.size() : a.label < b.label;
            });
  std::map<std::string, int> names;
  std::vector<Node> nodes;
  for (const NutcrackerServer& server : pool.servers) {
    Node node;
    node.name = server.name;
    if (const int before = names[server.name]++; before > 0) {
      node.name += "#" + std::to_string(before + 1);
      findings.push_back(
          {Finding::Severity::warning, "same-name", node.name,
           "two servers are called " + server.name + ", though twemproxy hashes different texts for them",
           "name one of them differently"});
    }
    node.label = server.label;
    node.address = server.address;
    node.host = server.host;
    node.weight = server.weight;
    nodes.push_back(std::move(node));
  }
  return nodes;
}

}  // namespace

Result<Cluster> import_nutcracker(const Source& source, const LoadOptions& options) {
  const auto root = read_yaml(source);
  if (!root) return diagnose_nutcracker(source).value_or(root.error());
  const auto chosen = choose_pool(source, *root, options);
  if (!chosen) return chosen.error();
  Pool pool;
  if (auto fault = read_pool(source, **chosen, pool)) return *fault;
  if (auto fault = check_method(pool)) return *fault;

  ClusterMap::Parts parts;
  Observed observed;
  observed.format = "nutcracker";
  parts.cluster = pool.name.value;
  parts.placement.recipe = find_recipe("twemproxy-ketama");
  parts.placement.hash = parts.placement.recipe->hash;
  parts.placement.hash_tag = pool.hash_tag;
  parts.nodes = nodes_of(pool, observed.findings);
  parts.replicas.count = options.replicas.value_or(1);
  parts.replicas.across = options.across.value_or(Across::node);
  if (pool.auto_eject)
    observed.findings.push_back(
        {Finding::Severity::warning, "auto-eject", pool.name.value,
         "auto_eject_hosts is true: when a server fails, its keys move to others, and come back with it",
         "keep it only for caches that may serve a value from before the failure"});
  auto map = ClusterMap::build(std::move(parts), pool.name.at);
  if (!map) return map.error();
  observed.down = NodeSet(map->nodes().size());
  return Cluster{std::move(*map), std::move(observed)};
}

}  // namespace arcwise
