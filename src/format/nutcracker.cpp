#include "format/nutcracker.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "format/map_fields.hpp"
#include "format/recognise.hpp"

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

// twemproxy's names of its hashes. Its own default is fnv1a_64.
constexpr std::array<std::pair<std::string_view, KeyHashId>, 12> hashes{{
    {"one_at_a_time", KeyHashId::one_at_a_time},
    {"md5", KeyHashId::md5_ketama},
    {"crc16", KeyHashId::crc16_32},
    {"crc32", KeyHashId::crc32_15bit},
    {"crc32a", KeyHashId::crc32},
    {"fnv1_64", KeyHashId::fnv1_64_low32},
    {"fnv1a_64", KeyHashId::fnv1a_64_low32},
    {"fnv1_32", KeyHashId::fnv1_32},
    {"fnv1a_32", KeyHashId::fnv1a_32},
    {"hsieh", KeyHashId::hsieh},
    {"murmur", KeyHashId::murmur2_seed_len},
    {"jenkins", KeyHashId::jenkins},
}};

std::array<std::string_view, hashes.size()> hash_names() {
  std::array<std::string_view, hashes.size()> names;
  for (std::size_t i = 0; i < hashes.size(); ++i) names[i] = hashes[i].first;
  return names;
}

KeyHashId hash_named(std::string_view name) {
  for (const auto& [known, id] : hashes)
    if (known == name) return id;
  return KeyHashId::fnv1a_64_low32;
}

Fault read_setting(const Source& source, const YamlNode& item, Pool& pool) {
  static constexpr std::array<std::string_view, 3> distributions{"ketama", "modula", "random"};
  static constexpr std::array<std::string_view, 5> flags{"preconnect", "redis", "tcpkeepalive", "reuseport",
                                                         "auto_eject_hosts"};
  static constexpr std::array<std::string_view, 2> texts{"listen", "redis_auth"};
  const auto one_of = [&](const auto& names) {
    return std::find(names.begin(), names.end(), item.key) != names.end();
  };
  if (item.key == "servers") return read_servers(source, item, pool);
  if (item.key == "hash") return read_choice(source, item, hash_names(), pool.hash);
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

std::string_view nutcracker_hash_name(KeyHashId hash) {
  for (const auto& [name, id] : hashes)
    if (id == hash) return name;
  return {};
}

bool looks_like_nutcracker(std::string_view text) {
  return any_line(text,
                  [](std::string_view line) { return has_key(line, "servers") || has_key(line, "listen"); });
}

Result<Cluster> import_nutcracker(const Inputs& inputs) {
  const Source& source = inputs.sources.front();
  const LoadOptions& options = inputs.options;
  const auto root = read_yaml(source);
  if (!root) return diagnose_nutcracker(source).value_or(root.error());
  const auto chosen = choose_pool(source, *root, options);
  if (!chosen) return chosen.error();
  Pool pool;
  if (auto fault = read_pool(source, **chosen, pool)) return *fault;

  ClusterMap::Parts parts;
  Observed observed;
  observed.format = "nutcracker";
  parts.cluster = pool.name.value;
  const std::string distribution = pool.distribution.value.empty() ? "ketama" : pool.distribution.value;
  parts.placement.recipe = find_recipe("twemproxy-" + distribution);
  parts.placement.hash = hash_named(pool.hash.value);
  parts.placement.hash_tag = pool.hash_tag;
  parts.nodes = nodes_of(pool, observed.findings);
  parts.replicas.count = options.replicas.value_or(1);
  parts.replicas.across = options.across.value_or(Across::node);
  if (pool.auto_eject)
    observed.findings.push_back(
        {Finding::Severity::warning, "auto-eject", pool.name.value,
         "auto_eject_hosts is true: when a server fails, its keys move to others, and come back with it",
         "keep it only for caches that may serve a value from before the failure"});
  const bool random = distribution == "random";
  auto map = ClusterMap::build(std::move(parts), random ? pool.distribution.at : pool.name.at);
  if (!map) return map.error();
  observed.down = NodeSet(map->nodes().size());
  return Cluster{std::move(*map), std::move(observed)};
}

}  // namespace arcwise
