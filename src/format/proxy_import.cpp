#include "format/proxy_import.hpp"

namespace arcwise {

Error fault_at(const Source& source, const ConfigWord& word, std::string why, std::string advice) {
  return fault_at(source, word.at, word.text, std::move(why), std::move(advice));
}

std::string shown(const Source& source, const YamlNode& node) {
  return node.text.empty() ? text_at(source, node.at) : node.text;
}

Result<std::size_t> choose_pool(const Source& source, std::span<const PoolName> pools,
                                const LoadOptions& options, std::string_view word) {
  std::string list;
  for (const PoolName& pool : pools) list += (list.empty() ? "" : ", ") + pool.name;
  const std::string noun(word);
  const PoolName* found = nullptr;
  for (const PoolName& pool : pools) {
    if (!options.pool.empty() && pool.name != options.pool) continue;
    if (found && !options.pool.empty())
      return fault_at(
          source, pool.at, pool.name,
          "a second " + noun + " of this name, after the one on line " + std::to_string(found->at.line),
          "bring a file with one of them");
    if (found)
      return fault_at(source, pool.at, pool.name, "the file has several " + noun + "s",
                      "choose one with --pool: " + list);
    found = &pool;
  }
  if (found) return static_cast<std::size_t>(found - pools.data());
  return fault_at(source, Place{1, 1}, options.pool, "no " + noun + " of this name", "the file has: " + list);
}

std::string NodeNames::fresh(const std::string& name) {
  const std::size_t times = ++times_[name];
  if (times == 1) return name;
  std::string numbered = name + "#" + std::to_string(times);
  return times_.count(numbered) ? fresh(name) : (++times_[numbered], numbered);
}

std::string joined_address(std::string_view host, std::string_view port) {
  const bool ipv6 = host.find(':') != std::string_view::npos;
  std::string out = ipv6 ? "[" + std::string(host) + "]" : std::string(host);
  return port.empty() ? out : out + ":" + std::string(port);
}

Result<Cluster> finished_import(ClusterMap::Parts parts, Observed observed, std::span<const NodeIndex> down,
                                const LoadOptions& options, const Mark& at) {
  parts.replicas.count = options.replicas.value_or(1);
  parts.replicas.across = options.across.value_or(Across::node);
  auto map = ClusterMap::build(std::move(parts), at);
  if (!map) return map.error();
  observed.down = NodeSet(map->nodes().size());
  for (const NodeIndex node : down) observed.down.insert(node);
  return Cluster{std::move(*map), std::move(observed)};
}

}  // namespace arcwise
