// What the values of a configuration mean together.
#include "router/config_check.hpp"

#include <algorithm>
#include <charconv>

#include "router/admin.hpp"

namespace arcwise::router {
namespace {

// `file:12` is line 12 of the file.
Mark mark_of(const std::string& place) {
  const std::size_t colon = place.rfind(':');
  const char* end = place.data() + place.size();
  Mark out{place, 0, 0};
  if (colon == place.npos) return out;
  const auto [read, error] = std::from_chars(place.data() + colon + 1, end, out.line);
  if (error != std::errc() || read != end) return {place, 0, 0};
  out.file.resize(colon);
  return out;
}

Error of_pool(const PoolConfig& pool, std::string_view key, std::string why, std::string advice) {
  return fault_in(place_of(pool.sources, key, pool.pool.source), "pool " + pool.pool.name, std::move(why),
                  std::move(advice));
}

bool is_default(const Pool& pool, std::string_view key) {
  const Pool plain(pool.placement);
  const auto all = pool_settings();
  return std::all_of(all.begin(), all.end(), [&](const Setting<Pool>& setting) {
    return setting.key != key || setting.get(pool) == setting.get(plain);
  });
}

std::optional<Error> check_pool(const PoolConfig& config) {
  const Pool& pool = config.pool;
  if (pool.listen.empty())
    return of_pool(config, "listen", "the pool has no address to listen on", "add `listen: host:port`");
  if (pool.protocol == Protocol::memcached)
    for (const std::string_view key : {"password", "client_password", "database"})
      if (!is_default(pool, key))
        return of_pool(config, key, "`" + std::string(key) + "` is for Redis, and this pool is memcached's",
                       "drop it, or write `protocol: redis`");
  if (pool.failing.on_failure == OnFailure::gutter && pool.failing.gutter.empty())
    return of_pool(config, "on_failure", "there is no spare server to ask instead of one that is away",
                   "list them: `gutter: [host:port]`");
  if (pool.failing.first_retry > pool.failing.last_retry)
    return of_pool(config, "first_retry", "`first_retry` is longer than `last_retry`",
                   "the wait between attempts grows from the first to the last");
  return std::nullopt;
}

/// An address of the configuration, and what it is there.
struct Place {
  Endpoint at;
  std::string text;
  std::string said;    ///< `node a`, `the spare server`
  std::string source;  ///< where that stands
};

/// A pool's addresses: its own, and those that it asks.
struct Addresses {
  Place own;
  std::vector<Place> nodes, spare;
};

Addresses addresses_of(const PoolConfig& config, const Locate& locate) {
  const Pool& pool = config.pool;
  const auto place = [&](const std::string& text, std::string said, std::string source) {
    return Place{locate(text), text, std::move(said), std::move(source)};
  };
  Addresses out{
      place(pool.listen, "pool " + pool.name, place_of(config.sources, "listen", pool.source)), {}, {}};
  const std::string map = config.map_file.empty() ? place_of(config.sources, "map",
                                                             place_of(config.sources, "servers", pool.source))
                                                  : config.map_file;
  for (std::size_t i = 0; i < pool.addresses.size(); ++i)
    out.nodes.push_back(place(pool.addresses[i], "node " + pool.placement.map().nodes()[i].name, map));
  for (const std::string& address : pool.failing.gutter)
    out.spare.push_back(place(address, "the spare server", place_of(config.sources, "gutter", pool.source)));
  return out;
}

// What the router listens on, each against those before it.
std::optional<Error> check_listeners(const Config& config, const std::vector<Addresses>& all,
                                     const Locate& locate) {
  std::vector<Place> taken;
  for (const Addresses& pool : all) {
    for (const Place& other : taken)
      if (collide(pool.own.at, other.at))
        return fault_in(pool.own.source, pool.own.text,
                        other.said + " listens on " + other.text + " too, and " + pool.own.said + " cannot",
                        "give each pool an address of its own");
    taken.push_back(pool.own);
  }
  if (config.daemon.admin.empty()) return std::nullopt;
  const Endpoint admin = locate(admin_address(config.daemon.admin));
  for (const Place& other : taken)
    if (collide(admin, other.at))
      return fault_in(place_of(config.sources, "admin", file_of(config)), config.daemon.admin,
                      other.said + " listens on " + other.text + " too, and `admin` cannot",
                      "give `admin` a port of its own");
  return std::nullopt;
}

// A server of pool `from` that is the router itself: the way from pool to pool that leads back to `home`.
const Place* way_to(const std::vector<Addresses>& all, std::size_t from, std::size_t home,
                    std::vector<bool>& seen) {
  seen[from] = true;
  for (const auto* list : {&all[from].nodes, &all[from].spare})
    for (const Place& server : *list)
      for (std::size_t next = 0; next < all.size(); ++next)
        if (leads_to(server.at, all[next].own.at) &&
            (next == home || (!seen[next] && way_to(all, next, home, seen))))
          return &server;
  return nullptr;
}

std::optional<Error> check_loops(const std::vector<Addresses>& all) {
  for (std::size_t home = 0; home < all.size(); ++home) {
    std::vector<bool> seen(all.size());
    if (const Place* server = way_to(all, home, home, seen))
      return fault_in(server->source, server->text,
                      server->said + " leads back to " + all[home].own.said + ", which listens on " +
                          all[home].own.text + ": a request would go round and round",
                      "write the address of the server itself");
  }
  return std::nullopt;
}

std::optional<Error> check_spare(const Addresses& pool) {
  for (std::size_t i = 0; i < pool.spare.size(); ++i) {
    const Place& spare = pool.spare[i];
    for (const Place& node : pool.nodes)
      if (same(spare.at, node.at))
        return fault_in(spare.source, spare.text,
                        "this spare server is " + node.said + " of " + pool.own.said +
                            ": it would hold copies of others' keys beside its own",
                        "name servers that no node of the map is");
    for (std::size_t j = 0; j < i; ++j)
      if (same(spare.at, pool.spare[j].at))
        return fault_in(spare.source, spare.text, "this spare server is named twice", "drop one");
  }
  return std::nullopt;
}

}  // namespace

std::string file_of(const Config& config) {
  return config.files.empty() ? "command line" : config.files.front();
}

Error fault_in(const std::string& place, std::string what, std::string why, std::string advice) {
  return Error{ErrorKind::input, mark_of(place), std::move(what), std::move(why), std::move(advice)};
}

std::string place_of(const Sources& sources, std::string_view key, const std::string& otherwise) {
  const auto found = sources.find(key);
  return found == sources.end() ? otherwise : found->second;
}

std::optional<Error> check_addresses(const Config& config, const Locate& locate) {
  std::vector<Addresses> all;
  for (const PoolConfig& pool : config.pools) all.push_back(addresses_of(pool, locate));
  if (auto error = check_listeners(config, all, locate)) return error;
  if (auto error = check_loops(all)) return error;
  for (const Addresses& pool : all)
    if (auto error = check_spare(pool)) return error;
  return std::nullopt;
}

std::optional<Error> check(const Config& config) {
  for (const PoolConfig& pool : config.pools)
    if (auto error = check_pool(pool)) return error;
  return check_addresses(config, endpoint_of);
}

}  // namespace arcwise::router
