// The table of formats, and Arcwise's own among them.
#include <algorithm>
#include <array>

#include "format/cassandra_yaml.hpp"
#include "format/cluster_nodes.hpp"
#include "format/cluster_shards.hpp"
#include "format/cluster_slots.hpp"
#include "format/crushmap.hpp"
#include "format/envoy.hpp"
#include "format/generatetokens.hpp"
#include "format/haproxy.hpp"
#include "format/libmemcached_options.hpp"
#include "format/mcrouter.hpp"
#include "format/nginx.hpp"
#include "format/nodetool_import.hpp"
#include "format/nutcracker.hpp"
#include "format/php_memcached.hpp"
#include "format/php_session.hpp"
#include "format/recognise.hpp"
#include "format/swift_ring.hpp"

namespace arcwise {
namespace {

bool is_native_line(std::string_view line) {
  return has_key(line, "arcwise");
}

bool is_native(std::string_view text) {
  return flow_map_has_key(text, "arcwise");
}

bool looks_native(std::string_view text) {
  return any_line(
             text,
             [](std::string_view line) { return has_key(line, "nodes") || has_key(line, "placement"); }) ||
         flow_map_has_key(text, "nodes") || flow_map_has_key(text, "placement");
}

Result<Cluster> import_native(const Inputs& inputs) {
  const Source& source = inputs.sources.front();
  const LoadOptions& options = inputs.options;
  auto map = parse_map(source);
  if (!map) return map.error();
  if (options.replicas || options.across) {
    ClusterMap::Parts parts = map->parts();
    if (options.replicas) {
      parts.replicas.count = *options.replicas;
      parts.replicas.per_zone.clear();
    }
    parts.replicas.across = options.across.value_or(parts.replicas.across);
    map = ClusterMap::build(std::move(parts), {source.name, 0, 0});
    if (!map) return map.error();
  }
  Observed observed;
  observed.format = "arcwise";
  observed.down = NodeSet(map->nodes().size());
  return Cluster{std::move(*map), std::move(observed)};
}

constexpr std::string_view nodetool = "nodetool", redis = "redis", swift = "swift";

// In the order in which signs are looked for: formats whose signs are surer stand first.
constexpr std::array table{
    Importer{.info = {"nodetool-ring", "Cassandra, ScyllaDB: `nodetool ring [KEYSPACE]`", true},
             .family = nodetool,
             .line = is_ring_line,
             .read = import_nodetool},
    Importer{
        .info =
            {"nodetool-status",
             "Cassandra, ScyllaDB: `nodetool status [KEYSPACE]`: up and down, load; beside nodetool ring or "
             "describering",
             false},
        .family = nodetool,
        .line = is_status_line,
        .read = import_nodetool},
    Importer{.info = {"nodetool-describering", "Cassandra, ScyllaDB: `nodetool describering KEYSPACE`", true},
             .family = nodetool,
             .line = is_describering_line,
             .read = import_nodetool},
    Importer{.info = {"cassandra-yaml",
                      "Cassandra, ScyllaDB: cassandra.yaml of each node with initial_token; without, beside "
                      "nodetool ring or describering",
                      true},
             .family = nodetool,
             .line = is_cassandra_yaml_line,
             .read = import_nodetool},
    Importer{.info = {"generatetokens", "Cassandra: the output of tools/bin/generatetokens", true},
             .line = is_generatetokens_line,
             .read = import_generatetokens},
    Importer{.info = {"cluster-nodes", "Redis Cluster, Valkey: `CLUSTER NODES`, or nodes.conf", true},
             .family = redis,
             .line = is_cluster_nodes_line,
             .read = import_redis},
    Importer{.info = {"cluster-shards", "Redis Cluster 7.0, Valkey: `CLUSTER SHARDS`, plain, --raw or --json",
                      true},
             .family = redis,
             .text = is_cluster_shards,
             .read = import_redis},
    Importer{
        .info = {"cluster-slots", "Redis Cluster, Valkey: `CLUSTER SLOTS`, plain, --raw or --json", true},
        .family = redis,
        .text = is_cluster_slots,
        .read = import_redis},
    Importer{
        .info = {"libmemcached", "libmemcached: a configuration string, `--SERVER=… --DISTRIBUTION=…`", true},
        .text = is_libmemcached_options,
        .read = import_libmemcached},
    Importer{.info = {"swift-ring", "OpenStack Swift: a ring file, such as object.ring.gz", true},
             .family = swift,
             .text = is_swift_ring,
             .read = import_swift},
    Importer{
        .info = {"swift-conf",
                 "OpenStack Swift: swift.conf: prefix and suffix of what is hashed; beside a ring", false},
        .family = swift,
        .line = is_swift_conf_line,
        .read = import_swift},
    Importer{.info = {"crushmap", "Ceph: `crushtool -d` of `ceph osd getcrushmap`, one replicated rule of it",
                      true},
             .has_pools = true,
             .line = is_crushmap_line,
             .read = import_crushmap},
    Importer{.info = {"php-memcached",
                      "PHP's memcached extension: setOption and addServers calls in their order", true},
             .text = is_php_memcached,
             .read = import_php_memcached},
    Importer{.info = {"php-session", "PHP's sessions in memcached: php.ini, `session.save_path`", true},
             .line = is_php_session_line,
             .read = import_php_session},
    Importer{.info = {"haproxy", "HAProxy: a backend that hashes, of haproxy.cfg", true},
             .has_pools = true,
             .line = is_haproxy_line,
             .guess = looks_like_haproxy,
             .read = import_haproxy},
    Importer{.info = {"haproxy-3.0", "the same, as HAProxy 3.0 to early 3.3 places numbered servers", true},
             .has_pools = true,
             .read = import_haproxy},
    Importer{.info = {"nginx", "nginx: an upstream with `hash`, of nginx.conf or `nginx -T`", true},
             .has_pools = true,
             .line = is_nginx_line,
             .guess = looks_like_nginx,
             .read = import_nginx},
    Importer{.info = {"envoy", "Envoy: a cluster with ring_hash or maglev, YAML or JSON", true},
             .has_pools = true,
             .line = is_envoy_line,
             .text = is_envoy_text,
             .read = import_envoy},
    Importer{.info = {"mcrouter", "mcrouter: a pool that a route hashes over, JSON with comments", true},
             .has_pools = true,
             .text = is_mcrouter_text,
             .read = import_mcrouter},
    Importer{.info = {"nutcracker", "twemproxy: nutcracker.yml, one pool of it", true},
             .has_pools = true,
             .guess = looks_like_nutcracker,
             .read = import_nutcracker},
    Importer{.info = {"arcwise", "Arcwise's own map file, YAML or JSON", true},
             .line = is_native_line,
             .text = is_native,
             .guess = looks_native,
             .read = import_native},
};

constexpr auto infos = [] {
  std::array<FormatInfo, table.size()> out{};
  for (std::size_t i = 0; i < table.size(); ++i) out[(i + 1) % table.size()] = table[i].info;
  return out;
}();

}  // namespace

std::span<const Importer> importers() {
  return table;
}

const Importer* find_importer(std::string_view format) {
  const auto* row =
      std::find_if(table.begin(), table.end(), [&](const Importer& i) { return i.info.name == format; });
  return row == table.end() ? nullptr : row;
}

// Arcwise's own first.
std::span<const FormatInfo> formats() {
  return infos;
}

}  // namespace arcwise
