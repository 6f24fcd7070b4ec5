#include "format/mcrouter.hpp"

#include <algorithm>
#include <array>

#include "format/columns.hpp"
#include "format/map_fields.hpp"
#include "format/proxy_import.hpp"
#include "format/recognise.hpp"

namespace arcwise {
namespace {

using Severity = Finding::Severity;
using Kind = YamlNode::Kind;

struct HashFunction {
  std::string_view name, recipe;
  bool weighted, tagged;
};
constexpr std::array<HashFunction, 6> functions{{
    {"Ch3", "mcrouter-ch3", false, false},
    {"WeightedCh3", "mcrouter-weighted-ch3", true, false},
    {"WeightedCh4", "mcrouter-weighted-ch4", true, false},
    {"Crc32", "mcrouter-crc32", false, false},
    {"Rendezvous", "mcrouter-rendezvous", false, true},
    {"WeightedRendezvous", "mcrouter-weighted-rendezvous", true, true},
}};

// What the pool and the route say together; the route goes first.
struct Hash {
  const HashFunction* function = &functions[0];
  std::string salt;
  std::vector<double> weights;
  std::vector<std::string> tags;
  friend bool operator==(const Hash&, const Hash&) = default;
};

Fault read_weights(const Source& source, const YamlNode& node, Hash& out) {
  if (auto fault = expect(source, node, Kind::sequence)) return fault;
  out.weights.clear();
  for (const YamlNode& item : node.items)
    if (auto fault =
            read_weight(source, item, [&](Marked<double> weight) { out.weights.push_back(weight.value); }))
      return fault;
  return std::nullopt;
}

Fault read_tags(const Source& source, const YamlNode& node, Hash& out) {
  if (auto fault = expect(source, node, Kind::sequence)) return fault;
  out.tags.clear();
  for (const YamlNode& item : node.items)
    if (auto fault = read_text(source, item,
                               [&](Marked<std::string> tag) { out.tags.push_back(std::move(tag.value)); }))
      return fault;
  return std::nullopt;
}

Fault read_function(const Source& source, const YamlNode& node, Hash& out) {
  std::string known;
  for (const HashFunction& function : functions) {
    known += (known.empty() ? "" : ", ") + std::string(function.name);
    if (node.text != function.name) continue;
    out.function = &function;
    return std::nullopt;
  }
  return fault_at(source, node.at, shown(source, node), "no hash function that places keys by themselves",
                  "read are: " + known);
}

Fault read_hash(const Source& source, const YamlNode& node, bool is_route, Hash& out) {
  static constexpr std::array<std::string_view, 4> keys{"hash_func", "salt", "weights", "tags"};
  if (!node.is(Kind::map)) return read_function(source, node, out);
  for (const YamlNode& item : node.items) {
    Fault fault;
    if (item.key == "hash_func")
      fault = read_function(source, item, out);
    else if (item.key == "salt")
      fault = read_text(source, item, [&](Marked<std::string> salt) { out.salt = std::move(salt.value); });
    else if (item.key == "weights")
      fault = read_weights(source, item, out);
    else if (item.key == "tags")
      fault = read_tags(source, item, out);
    else if (!is_route || (item.key != "type" && item.key != "children" && item.key != "name"))
      fault = unknown_key(source, item, keys);
    if (fault) return fault;
  }
  return std::nullopt;
}

// Weights beside the servers make WeightedCh3 the default, and whatever the route's hash says replaces it.
Fault hash_of(const Source& source, const YamlNode& pool, const PoolUse& use, Hash& out) {
  const bool by_pool_route = use.hash != use.route;
  if (const YamlNode* weights = pool.find("weights"); weights && by_pool_route) {
    out.function = &functions[1];
    if (auto fault = read_weights(source, *weights, out)) return fault;
  }
  if (const YamlNode* tags = pool.find("tags"); tags && by_pool_route)
    if (auto fault = read_tags(source, *tags, out)) return fault;
  return use.hash ? read_hash(source, *use.hash, !by_pool_route, out) : std::nullopt;
}

Error route_fault(const Source& source, const PoolUse& use, std::string why, std::string advice) {
  const std::string what = use.below.empty() ? use.route->text : use.below.front();
  return fault_at(source, use.route->at, what.empty() ? text_at(source, use.route->at) : what, std::move(why),
                  std::move(advice));
}

// Routes that hand on another key than they got.
Fault check_key(const Source& source, const PoolUse& use) {
  static constexpr std::array<std::string_view, 5> changing{
      "ModifyKeyRoute", "KeySplitRoute", "BigValueRoute", "ShardSplitRoute", "McBucketRoute"};
  for (const std::string& type : use.below)
    if (std::find(changing.begin(), changing.end(), type) != changing.end())
      return fault_at(source, use.route->at, type, "this route changes keys before they are hashed",
                      "such routes are not read");
  return std::nullopt;
}

std::string pool_list(const std::vector<PoolUse>& uses) {
  std::vector<std::string> names;
  for (const PoolUse& use : uses)
    if (std::find(names.begin(), names.end(), use.pool) == names.end()) names.push_back(use.pool);
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

// The uses of the pool that is meant.
Fault choose_uses(const Source& source, const std::vector<PoolUse>& all, const LoadOptions& options,
                  std::vector<PoolUse>& out) {
  for (const PoolUse& use : all)
    if (options.pool.empty() || use.pool == options.pool) out.push_back(use);
  if (out.empty())
    return fault_at(source, Place{1, 1}, options.pool, "no route goes to a pool of this name",
                    all.empty() ? "the routes name no pool" : "routes go to: " + pool_list(all));
  for (const PoolUse& use : out) {
    if (auto fault = check_key(source, use)) return fault;
    if (!use.hashes)
      return route_fault(source, use, "this route does not hash keys over the pool " + use.pool,
                         "only PoolRoute, and HashRoute over a pool, place keys");
    if (options.pool.empty() && !use.below.empty())
      return route_fault(source, use, "this route is not a hash over one pool",
                         "to ask about one pool alone, name it with --pool: " + pool_list(all));
    if (use.pool != out.front().pool)
      return route_fault(source, use, "routes go to several pools",
                         "choose one with --pool: " + pool_list(all));
  }
  return std::nullopt;
}

// "10.0.0.1:11211", "[::1]:11211:ascii:plain": what follows the port says how to talk to it.
Fault read_server(const Source& source, const YamlNode& item, NodeNames& names, Node& out) {
  const auto wrong = [&](std::string why) {
    return fault_at(source, item.at, shown(source, item), std::move(why),
                    "write \"host:port\" or \"[IPv6]:port\"");
  };
  if (!item.is(Kind::scalar)) return wrong("a server is one text");
  const std::string_view text = item.text;
  if (text.starts_with('@') || text.find('%') != std::string_view::npos)
    return fault_at(source, item.at, item.text, "a macro of mcrouter, which is not expanded here",
                    "write what it stands for");
  const std::size_t colon = text.starts_with('[') ? text.find("]:") + 1 : text.find(':');
  if (colon == 0 || colon == std::string_view::npos) return wrong("a server without a port");
  std::string_view host = text.substr(0, colon), port = text.substr(colon + 1);
  port = port.substr(0, port.find(':'));
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  if (const auto number = parse_count(port, 65535); !number || *number == 0)
    return wrong("a port that is not a number from 1 to 65535");
  out.name = names.fresh(item.text);
  out.host = host;
  out.address = joined_address(host, port);
  return std::nullopt;
}

Fault read_servers(const Source& source, const YamlNode& pool, const YamlNode& servers, const Hash& hash,
                   std::vector<Node>& out) {
  if (auto fault = expect(source, servers, Kind::sequence)) return fault;
  if (hash.function->weighted && hash.weights.empty())
    return fault_at(source, pool.key_at.line ? pool.key_at : pool.at, std::string(hash.function->name),
                    "this hash function needs weights", "write them beside the servers, or into `hash`");
  if (hash.function->tagged && hash.tags.size() != servers.items.size())
    return fault_at(source, servers.key_at, servers.key,
                    "this hash function needs one tag a server: " + std::to_string(hash.tags.size()) +
                        " tags for " + std::to_string(servers.items.size()) + " servers",
                    "write them as `tags`");
  NodeNames names;
  for (std::size_t i = 0; i < servers.items.size(); ++i) {
    Node node;
    if (auto fault = read_server(source, servers.items[i], names, node)) return fault;
    // mcrouter takes 0.5 for a weight that is missing.
    if (hash.function->weighted) node.weight = i < hash.weights.size() ? hash.weights[i] : 0.5;
    if (hash.function->tagged) node.label = hash.tags[i];
    out.push_back(std::move(node));
  }
  return std::nullopt;
}

Result<const YamlNode*> pool_of(const Source& source, const YamlNode& root, const PoolUse& use) {
  const YamlNode* pools = root.find("pools");
  const YamlNode* pool = use.inside ? use.inside : pools ? pools->find(use.pool) : nullptr;
  if (!pool || !pool->is(Kind::map))
    return fault_at(source, use.route->at, use.pool, "this pool is not in the file",
                    "bring a file with its `servers` under `pools`");
  for (const char* name : {"inherit", "additional_fanout"})
    if (const YamlNode* item = pool->find(name); item && item->text != "0")
      return fault_at(source, item->key_at, item->key,
                      item->key == "inherit" ? "the rest of this pool is in another file"
                                             : "each server counts several times",
                      item->key == "inherit" ? "write it out here" : "such pools are not read");
  return pool;
}

void report(const std::vector<PoolUse>& uses, const Hash& hash, std::size_t servers,
            std::vector<Finding>& findings) {
  for (const PoolUse& use : uses)
    if (!use.below.empty())
      findings.push_back(
          {Severity::warning, "below-other-routes", use.pool,
           "the pool stands below " + use.below.front() + ", which decides whether a request gets there",
           "the map says which server of the pool it goes to then"});
  if (hash.function->weighted && !hash.function->tagged && hash.weights.size() < servers)
    findings.push_back({Severity::warning, "missing-weights", uses.front().pool,
                        std::to_string(servers - hash.weights.size()) + " servers have no weight and get 0.5",
                        "write a weight for each server"});
}

}  // namespace

bool is_mcrouter_text(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos || (text[start] != '{' && text[start] != '/')) return false;
  const std::string plain = without_comments(text);
  const auto has = [&](std::string_view key) {
    return flow_map_has_key(plain, key) ||
           any_line(plain, [&](std::string_view line) { return has_key(line, key); });
  };
  return has("pools") && (has("route") || has("routes") || has("servers"));
}

Result<Cluster> import_mcrouter(const Inputs& inputs) {
  const Source source{inputs.sources.front().name, without_comments(inputs.sources.front().bytes)};
  const auto root = read_yaml(source);
  if (!root) return root.error();
  std::vector<PoolUse> all, uses;
  if (auto fault = find_pool_uses(source, *root, all)) return *fault;
  if (auto fault = choose_uses(source, all, inputs.options, uses)) return *fault;
  const auto pool = pool_of(source, *root, uses.front());
  if (!pool) return pool.error();
  Hash hash;
  for (const PoolUse& use : uses) {
    Hash its;
    if (auto fault = hash_of(source, **pool, use, its)) return *fault;
    if (&use == &uses.front())
      hash = its;
    else if (its != hash)
      return route_fault(source, use,
                         "another hash over the pool " + use.pool + " than on line " +
                             std::to_string(uses.front().route->at.line),
                         "bring a file with one of these routes");
  }
  const YamlNode* servers = (*pool)->find("servers");
  if (!servers)
    return fault_at(source, (*pool)->at, uses.front().pool, "a pool without servers",
                    "list them under `servers`");

  ClusterMap::Parts parts;
  Observed observed;
  observed.format = "mcrouter";
  parts.cluster = uses.front().pool;
  parts.placement.recipe = find_recipe(hash.function->recipe);
  parts.placement.hash = parts.placement.recipe->hash;
  if (!hash.salt.empty()) parts.placement.settings["salt"] = hash.salt;
  if (auto fault = read_servers(source, **pool, *servers, hash, parts.nodes)) return *fault;
  report(uses, hash, parts.nodes.size(), observed.findings);
  return finished_import(std::move(parts), std::move(observed), {}, inputs.options,
                         mark_at(source, servers->key_at));
}

}  // namespace arcwise
