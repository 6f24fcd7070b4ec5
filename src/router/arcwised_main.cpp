// arcwised: the router.
#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <atomic>
#include <csignal>
#include <cstdio>

#include "router/loop.hpp"
#include "router/reload.hpp"
#include "router/settings.hpp"

namespace {

using namespace arcwise;
using namespace arcwise::router;

std::atomic<bool> stop{false};
std::atomic<Reload*> reload{nullptr};

int fail(const Error& error) {
  fmt::print(stderr, "arcwised: {}\n", to_string(error));
  return static_cast<int>(error.kind);
}

struct Options {
  std::string config, map, memcached, redis, state;
  bool check = false;
  unsigned timeout_ms = 0;
};

Result<std::vector<Pool>> pools_of(const Options& options) {
  if (!options.config.empty()) {
    const auto bytes = read_file(options.config, std::uint64_t{64} << 20);
    if (!bytes) return bytes.error();
    return pools_of_nutcracker({options.config, *bytes});
  }
  const std::vector<std::string> paths{options.map};
  const auto cluster = load(paths, {});
  if (!cluster) return cluster.error();
  const bool redis = !options.redis.empty();
  auto pool = pool_of_map(cluster->map, redis ? Protocol::redis : Protocol::memcached,
                          redis ? options.redis : options.memcached);
  if (!pool) return pool.error();
  pool->name = options.map;
  return std::vector<Pool>{std::move(*pool)};
}

// With what the command line says over what the file says.
Result<std::vector<Pool>> read_pools(const Options& options) {
  auto pools = pools_of(options);
  if (pools && options.timeout_ms)
    for (Pool& pool : *pools) pool.timeout = milliseconds(options.timeout_ms);
  return pools;
}

int serve(std::vector<Pool> pools, const Options& options) {
  Journal journal([](const Event& event) {
    fmt::print(stderr, "arcwised: {}{}{}{}{}: {}\n", event.pool.empty() ? "" : "pool ", event.pool,
               event.pool.empty() ? "" : ": ", event.server.empty() ? "" : event.server + ": ", event.name,
               event.text);
  });
  Board board;
  Loop loop(0, journal, board);
  Reload watcher(
      loop, options.config.empty() ? options.map : options.config, options.state,
      [&options] { return read_pools(options); }, journal);
  // Before anybody can know that it runs, and tell it something.
  reload = &watcher;
  for (const int signal : {SIGTERM, SIGINT}) std::signal(signal, [](int) { stop = true; });
  std::signal(SIGHUP, [](int) { reload.load()->ask(); });
  if (const auto error = watcher.begin(pools)) return fail(*error);
  for (Pool& pool : pools) {
    const std::string name = pool.name;
    const auto address = loop.add(std::move(pool));
    if (!address) return fail(address.error());
    fmt::print("arcwised: pool {} listens on {}\n", name, *address);
  }
  std::fflush(stdout);
  watcher.watch();
  loop.run(stop, milliseconds(5000));
  std::signal(SIGHUP, SIG_IGN);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"The router: clients talk to one address, and each key goes to its node.", "arcwised"};
  auto* config = app.add_option("--config", options.config, "an unchanged nutcracker.yml");
  auto* map = app.add_option("--map", options.map, "a map whose nodes have addresses");
  auto* memcached = app.add_option("--memcached", options.memcached, "listen for memcached clients here");
  auto* redis = app.add_option("--redis", options.redis, "listen for Redis clients here");
  app.add_option("--timeout", options.timeout_ms,
                 "milliseconds without an answer before a server is given up");
  app.add_option("--state", options.state, "remember the newest map served in this folder");
  app.add_flag("--check", options.check, "test the configuration, and end");
  config->excludes(map);
  memcached->excludes(redis)->needs(map);
  redis->needs(map);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  if (options.config.empty() &&
      (options.map.empty() || (options.memcached.empty() && options.redis.empty()))) {
    fmt::print(stderr,
               "arcwised: nothing to serve; give --config FILE, or --map MAP with --memcached or --redis\n");
    return 2;
  }
  auto pools = read_pools(options);
  if (!pools) return fail(pools.error());
  for (const Pool& pool : *pools)
    for (const std::string& note : pool.notes) fmt::print(stderr, "arcwised: pool {}: {}\n", pool.name, note);
  if (!options.check) return serve(std::move(*pools), options);
  for (const Pool& pool : *pools)
    fmt::print("pool {}: {} servers, {}, listens on {}\n", pool.name, pool.addresses.size(),
               pool.protocol == Protocol::redis ? "redis" : "memcached", pool.listen);
  return 0;
}
