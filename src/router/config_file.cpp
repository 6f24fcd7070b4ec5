// Arcwise's own configuration: strict, as its map files are.
#include <algorithm>
#include <array>

#include "format/map_fields.hpp"
#include "format/nutcracker.hpp"
#include "format/read_file.hpp"
#include "router/config.hpp"
#include "router/settings.hpp"

namespace arcwise::router {
namespace {

using Kind = YamlNode::Kind;

Fault missing(const Source& source, const YamlNode& node, const std::string& key, std::string advice) {
  return fault_at(source, node.key.empty() ? node.at : node.key_at,
                  node.key.empty() ? text_at(source, node.at) : node.key,
                  "the key `" + key + "` is missing here", std::move(advice));
}

// A file beside the configuration.
std::string beside(const std::string& config, const std::string& path) {
  const std::size_t slash = config.rfind('/');
  return path.starts_with('/') || slash == std::string::npos ? path : config.substr(0, slash + 1) + path;
}

Fault words_of(const Source& source, const YamlNode& node, bool list, std::vector<std::string>& words) {
  const bool many = list && node.is(Kind::sequence);
  if (!many) {
    if (auto fault = expect(source, node, Kind::scalar)) return fault;
    words.push_back(node.text);
    return std::nullopt;
  }
  for (const YamlNode& item : node.items) {
    if (auto fault = expect(source, item, Kind::scalar)) return fault;
    words.push_back(item.text);
  }
  return std::nullopt;
}

template <class T>
const Setting<T>* find_setting(std::string_view key) {
  for (const auto& setting : settings_of<T>())
    if (setting.key == key) return &setting;
  return nullptr;
}

// `others` are keys that the table does not know.
template <class T>
Fault know_keys(const Source& source, const YamlNode& node, std::span<const std::string_view> others) {
  for (const YamlNode& item : node.items) {
    if (find_setting<T>(item.key)) continue;
    if (std::find(others.begin(), others.end(), item.key) != others.end()) continue;
    std::vector<std::string_view> keys(others.begin(), others.end());
    for (const auto& setting : settings_of<T>()) keys.push_back(setting.key);
    return unknown_key(source, item, keys);
  }
  return std::nullopt;
}

template <class T>
Fault read_settings(const Source& source, const YamlNode& node, T& to, Sources& sources) {
  for (const YamlNode& item : node.items) {
    const Setting<T>* known = find_setting<T>(item.key);
    if (!known) continue;
    std::vector<std::string> words;
    if (auto fault = words_of(source, item, known->list, words)) return fault;
    if (auto wrong = known->set(to, words))
      return fault_at(source, item.at, item.text, "`" + item.key + "`: " + wrong->why, wrong->advice);
    sources.insert_or_assign(item.key, source.name + ":" + std::to_string(item.key_at.line));
  }
  return std::nullopt;
}

// A node that nobody can connect to, with its place.
Fault check_nodes(const Source& source, const YamlNode& map, const std::vector<Node>& nodes) {
  for (const Node& node : nodes) {
    auto fault = check_node(node);
    if (!fault) continue;
    fault->where = mark_at(source, map.at);
    if (const YamlNode* list = map.find("nodes"))
      for (const YamlNode& item : list->items)
        if (const YamlNode* name = item.find("name"); name && name->text == node.name)
          fault->where = mark_at(source, item.find("address") ? item.find("address")->at : item.at);
    return fault;
  }
  return std::nullopt;
}

// Whose map it is, for a file does not say.
Error of_map(const Source& source, const YamlNode& pool, const YamlNode& map, Error error) {
  error.why +=
      " (in the map of pool " + pool.key + ", " + source.name + ":" + std::to_string(map.at.line) + ")";
  return error;
}

Result<Cluster> map_of(const Source& source, const YamlNode& pool, const YamlNode& node,
                       const LoadMap& load_map, std::string& file) {
  if (node.is(Kind::map)) {
    auto map = read_map(source, node);
    if (!map) return map.error();
    if (auto fault = check_nodes(source, node, map->nodes())) return *fault;
    Cluster inside{std::move(*map), Observed()};
    inside.observed.format = "arcwise";
    return inside;
  }
  if (auto fault = expect(source, node, Kind::scalar)) return *fault;
  file = beside(source.name, node.text);
  auto loaded = load_map(file);
  if (!loaded) return of_map(source, pool, node, loaded.error());
  return loaded;
}

// What a pool consists of, with each of its keys known.
Fault expect_pool(const Source& source, const YamlNode& node) {
  if (node.is(Kind::map)) return std::nullopt;
  return fault_at(source, node.is(Kind::null) ? node.key_at : node.at,
                  node.is(Kind::scalar) ? node.text : text_at(source, node.at),
                  "pool " + node.key + " has no settings by their names",
                  "write under it `listen: host:port`, `protocol: memcached` or `redis`, and `map: FILE`");
}

Fault miss_no_key(const Source& source, const YamlNode& node) {
  static constexpr std::pair<const char*, const char*> needed[] = {
      {"map", "write `map: FILE`, or the map itself under it"},
      {"listen", "write `listen: host:port`"},
      {"protocol", "write `protocol: memcached` or `protocol: redis`"}};
  for (const auto& [key, advice] : needed)
    if (!node.find(key)) return missing(source, node, key, advice);
  return std::nullopt;
}

Result<PoolConfig> pool_of(const Source& source, const YamlNode& node, const LoadMap& load_map) {
  static constexpr std::array<std::string_view, 1> others{"map"};
  if (auto fault = expect_pool(source, node)) return *fault;
  if (auto fault = know_keys<Pool>(source, node, others)) return *fault;
  if (auto fault = miss_no_key(source, node)) return *fault;
  const YamlNode& map_node = *node.find("map");
  std::string file;
  const auto map = map_of(source, node, map_node, load_map, file);
  if (!map) return map.error();
  auto pool = pool_of_map(*map, Protocol::memcached, {});
  if (!pool) return of_map(source, node, map_node, pool.error());
  PoolConfig out{std::move(*pool), file, {}, false};
  out.pool.name = node.key;
  out.pool.source = file.empty() ? source.name : file;
  if (auto fault = read_settings(source, node, out.pool, out.sources)) return *fault;
  out.sources["map"] = source.name + ":" + std::to_string(map_node.key_at.line);
  return out;
}

// YAML takes `[::1]:11211` for a list with something behind it.
Error with_quotes_advised(const Source& source, Error error) {
  const std::string line = text_at(source, {error.where.line, 1});
  const std::size_t end = line.find("]:"), open = line.rfind('[', end);
  if (end == line.npos || open == line.npos || line.find_first_of("0123456789", end) != end + 2) return error;
  const std::string address = line.substr(open, line.find_first_of(" ,}", end) - open);
  error.what = address;
  error.where.column = static_cast<std::uint32_t>(open) + 1;
  error.why = "an IPv6 address in brackets needs quotes";
  error.advice = "write \"" + address + "\"";
  return error;
}

bool is_own(const YamlNode& root) {
  return root.is(Kind::map) && root.find("arcwised");
}

// Nothing but comments.
bool is_blank(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first != line.npos && line[first] != '#') return false;
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return true;
}

// What stands in the file is meant for us, and does not say so: without the first line it would be taken for
// a nutcracker.yml, and each of its settings for a pool of one.
Fault misses_its_first_line(const Source& source, const YamlNode& root) {
  if (!root.is(Kind::map)) return std::nullopt;
  if (root.find("arcwise") && root.find("nodes"))
    return fault_at(source, root.at, text_at(source, root.at), "this is a map, and no configuration",
                    "give it as --map FILE, with --memcached ADDRESS or --redis ADDRESS");
  const bool settings = std::any_of(root.items.begin(), root.items.end(), [](const YamlNode& item) {
    if (item.key == "pools" && !item.find("servers")) return true;
    const auto all = daemon_settings();
    return !item.is(Kind::map) && std::any_of(all.begin(), all.end(), [&](const Setting<Daemon>& setting) {
      return setting.key == item.key;
    });
  });
  if (!settings) return std::nullopt;
  return fault_at(source, root.at, text_at(source, root.at), "the line `arcwised: 1` is missing",
                  "write it first; a nutcracker.yml has nothing but pools, by their names");
}

}  // namespace

Result<Config> config_of_yaml(const Source& source, const YamlNode& root, const LoadMap& load_map) {
  static constexpr std::array<std::string_view, 2> others{"arcwised", "pools"};
  const YamlNode& version = *root.find("arcwised");
  if (!version.is(Kind::scalar) || version.text != "1")
    return fault_at(source, version.at, text_at(source, version.at), "this format version is not known here",
                    "write `arcwised: 1`, or use a newer Arcwise");
  Config config;
  if (auto fault = know_keys<Daemon>(source, root, others)) return *fault;
  if (auto fault = read_settings(source, root, config.daemon, config.sources)) return *fault;
  const YamlNode* pools = root.find("pools");
  if (!pools) return *missing(source, root, "pools", "write `pools:`, and under it each pool by its name");
  if (auto fault = expect(source, *pools, Kind::map)) return *fault;
  if (pools->items.empty())
    return fault_at(source, pools->at, text_at(source, pools->at), "`pools` names no pool",
                    "write under it each pool by its name, with `listen`, `protocol` and `map`");
  for (const YamlNode& node : pools->items) {
    auto pool = pool_of(source, node, load_map);
    if (!pool) return pool.error();
    if (!pool->map_file.empty()) config.files.push_back(pool->map_file);
    config.pools.push_back(std::move(*pool));
  }
  return config;
}

Result<Config> parse_config(const Source& source, const LoadMap& load_map) {
  const auto root = read_yaml(source);
  if (!root && is_blank(source.bytes))
    return Error{ErrorKind::input,
                 {source.name, 1, 1},
                 "",
                 "the file is empty",
                 "start with `arcwised: 1`, and write `pools:` under it"};
  const bool own = root ? is_own(*root) : source.bytes.find("arcwised:") != std::string::npos;
  if (!root && own) return with_quotes_advised(source, root.error());
  if (!root) return diagnose_nutcracker(source).value_or(root.error());
  if (!own)
    if (auto fault = misses_its_first_line(source, *root)) return *fault;
  auto config = own ? config_of_yaml(source, *root, load_map) : config_of_nutcracker(source, *root);
  if (config) config->files.insert(config->files.begin(), source.name);
  return config;
}

Result<Cluster> load_map_file(const std::string& path) {
  auto bytes = read_regular_file(path, most_map_bytes);
  if (!bytes) return bytes.error();
  const Source source{path, std::move(*bytes)};
  auto cluster = parse({&source, 1}, {});
  if (!cluster) return cluster.error();
  const auto fault = check_nodes({path, {}}, {}, cluster->map.nodes());
  if (!fault) return cluster;
  // Other formats' places are not told.
  const auto root = read_yaml(source);
  return *check_nodes(source, root ? *root : YamlNode(), cluster->map.nodes());
}

Result<Config> read_config(const std::string& path) {
  auto bytes = read_regular_file(path, most_map_bytes);
  if (!bytes) return bytes.error();
  return parse_config({path, std::move(*bytes)}, load_map_file);
}

}  // namespace arcwise::router
