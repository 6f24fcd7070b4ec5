#include "place/lists_memcached.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "place/ketama.hpp"

namespace arcwise {
namespace {

struct HostPort {
  std::string_view host;
  unsigned port = 0;
};

// Unix sockets have port 0; a name without a port means 11211.
HostPort host_port(std::string_view name) {
  if (name.empty() || name.front() == '/') return {name, 0};
  const std::size_t colon = name.rfind(':');
  HostPort out{name.substr(0, colon), 11211};
  if (colon != std::string_view::npos)
    std::from_chars(name.data() + colon + 1, name.data() + name.size(), out.port);
  return out;
}

void libmemcached_slots(const ClusterMap& map, std::vector<NodeIndex>& out) {
  out = libmemcached_order(map);
}

void twemproxy_slots(const ClusterMap& map, std::vector<NodeIndex>& out) {
  for (NodeIndex n : twemproxy_order(map)) out.insert(out.end(), token_count(map.nodes()[n].weight, 1), n);
}

constexpr std::array<Method, 2> methods{{
    {.name = "modula-libmemcached", .traits = {.enumerable = true}, .slots = libmemcached_slots},
    {.name = "modula-twemproxy",
     .traits = {.enumerable = true, .weighted = true, .order_free = true},
     .slots = twemproxy_slots},
}};

}  // namespace

std::vector<NodeIndex> twemproxy_order(const ClusterMap& map) {
  std::vector<NodeIndex> order = owning_nodes(map);
  std::stable_sort(order.begin(), order.end(), [&](NodeIndex a, NodeIndex b) {
    const std::string& x = map.nodes()[a].label;
    const std::string& y = map.nodes()[b].label;
    return x.size() != y.size() ? x.size() < y.size() : x < y;
  });
  return order;
}

std::vector<NodeIndex> libmemcached_order(const ClusterMap& map) {
  std::vector<NodeIndex> order = owning_nodes(map);
  if (!map.placement().flag("sort_hosts")) return order;
  std::stable_sort(order.begin(), order.end(), [&](NodeIndex a, NodeIndex b) {
    const HostPort x = host_port(map.nodes()[a].name);
    const HostPort y = host_port(map.nodes()[b].name);
    return x.host != y.host ? x.host < y.host : x.port < y.port;
  });
  return order;
}

std::span<const Method> list_methods() {
  return methods;
}

}  // namespace arcwise
