// arcwised: the router.
#include <fmt/core.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <csignal>
#include <cstdio>
#include <thread>

#include "format/json_text.hpp"
#include "router/admin.hpp"
#include "router/config.hpp"
#include "router/log.hpp"
#include "router/loops.hpp"
#include "router/notify.hpp"
#include "router/reload.hpp"

namespace {

using namespace arcwise;
using namespace arcwise::router;

int fail(const Error& error, bool json = false) {
  fmt::print(stderr, "{}", json ? json_error(error) + "\n" : "arcwised: " + to_string(error) + "\n");
  return static_cast<int>(error.kind);
}

struct Options {
  std::string config, map, memcached, redis;
  std::vector<Override> overrides;
  bool check = false, json = false;
};

Result<Config> configuration(const Options& options) {
  const bool redis = !options.redis.empty();
  const auto began = std::chrono::system_clock::now();
  auto config = !options.config.empty()
                    ? read_config(options.config)
                    : config_of_map(options.map, redis ? Protocol::redis : Protocol::memcached,
                                    redis ? options.redis : options.memcached);
  if (!config) return config.error();
  config->began = began;
  if (auto error = apply_overrides(*config, options.overrides)) return *error;
  if (auto error = check(*config)) return *error;
  note_what_is_in_vain(*config);
  return config;
}

// Signals are waited for by one thread; the others, begun later, never see them.
sigset_t take_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return signals;
}

// How many descriptors the configuration may come to need, beside those that every process has. Where nobody
// has said how many clients come, the default is no more than a bound: to have fewer matters once they are
// few.
std::uint64_t descriptors_for(const Config& config) {
  constexpr std::size_t few = 1000;
  std::uint64_t all = 64;
  for (const PoolConfig& pool : config.pools) {
    const bool said = pool.sources.count("clients") > 0;
    all += said ? pool.pool.limits.clients : std::min(few, pool.pool.limits.clients);
    all += config.daemon.threads * (pool.pool.addresses.size() + 1);
  }
  return all;
}

Event event(Severity severity, const char* name, std::string text) {
  return {0, {}, severity, name, {}, {}, std::move(text)};
}

void tell(Journal& journal, Severity severity, const char* name, std::string text) {
  journal.add(event(severity, name, std::move(text)));
}

// All clients are served, and what other threads still do is of no use to anybody: where a disk or another
// host keeps one of them, the process ends without it. Who says it twice does not wait for that either.
void end_soon() {
  std::thread([] {
    constexpr timespec enough{1, 0};
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGTERM, SIGINT}) sigaddset(&signals, signal);
    _exit(sigtimedwait(&signals, nullptr, &enough) > 0 ? 1 : 0);
  }).detach();
}

// Until a signal ends it.
class Watch {
  using Clock = std::chrono::steady_clock;

 public:
  Watch(const Config& config, const sigset_t& signals, Loops& loops, Reload& reload, Log& log,
        Journal& journal, const Notifier& manager)
      : drain_(config.daemon.drain),
        signals_(signals),
        loops_(loops),
        reload_(reload),
        log_(log),
        journal_(journal),
        manager_(manager),
        watchdog_(watchdog_of_environment()) {}

  void run() {
    while (!loops_.ended()) {
      const int signal = wait();
      if (signal == SIGHUP) reload_.ask();
      if (signal == SIGTERM || signal == SIGINT) end(signal == SIGINT ? "INT" : "TERM");
      log_.catch_up(Clock::now());
      if (watchdog_ && loops_.alive()) manager_.say("WATCHDOG=1");
    }
    tell_end();
  }

 private:
  int wait() const {
    const milliseconds often = draining_ ? milliseconds(20) : milliseconds(1000);
    const milliseconds at_most = watchdog_ ? std::min(often, *watchdog_ / 3) : often;
    const timespec time{at_most.count() / 1000, at_most.count() % 1000 * 1'000'000};
    return sigtimedwait(&signals_, nullptr, &time);
  }
  void end(const char* signal) {
    // Who says it twice means it.
    if (draining_) {
      journal_.add_last(
          event(Severity::warning, "ended", "told twice to end: clients still under way are cut off"));
      usleep(50'000);  // for the line to be written
      _exit(1);
    }
    draining_ = Clock::now();
    tell(journal_, Severity::note, "draining",
         fmt::format("told to end ({}): nobody new is taken, and clients are answered what they have asked, "
                     "for {} at most",
                     signal, write_duration(drain_)));
    manager_.say("STOPPING=1");
    loops_.drain(drain_);
  }
  void tell_end() const {
    if (!draining_) return;
    const auto took = std::chrono::duration_cast<milliseconds>(Clock::now() - *draining_);
    const bool cut = took >= drain_;
    journal_.add_last(event(cut ? Severity::warning : Severity::note, "ended",
                            fmt::format("after {} ms: {}", took.count(),
                                        cut ? "clients that still waited for an answer were cut off"
                                            : "all clients had been answered")));
  }

  milliseconds drain_;
  const sigset_t& signals_;
  Loops& loops_;
  Reload& reload_;
  Log& log_;
  Journal& journal_;
  const Notifier& manager_;
  std::optional<milliseconds> watchdog_;
  std::optional<Clock::time_point> draining_;
};

int serve(const Config& config, const Options& options) {
  const sigset_t signals = take_signals();
  LineWriter lines(STDERR_FILENO);
  Log log(config.daemon.log, config.daemon.log_level, [&lines](std::string_view line) { lines.write(line); });
  EventCounts events;
  Journal journal([&](const Event& event) {
    events.add(event.severity);
    log.say(event);
  });
  Board board;
  Loops loops(config.daemon.threads, config.daemon.io, journal, board);
  Reload reload(loops, [&options] { return configuration(options); }, journal);
  const Notifier manager = Notifier::of_environment();
  const std::uint64_t needed = descriptors_for(config), given = raise_descriptor_limit();
  if (given < needed)
    tell(journal, Severity::warning, "few_descriptors",
         fmt::format(
             "{} file descriptors are allowed, and {} may be needed: further clients are refused then; "
             "raise the limit (ulimit -n, LimitNOFILE) or lower `clients`",
             given, needed));
  if (const auto error = reload.begin(config)) return fail(*error);
  for (const std::string& note : config.notes) tell(journal, Severity::warning, "not_followed", note);
  std::string names;
  for (const PoolConfig& pool : config.pools) {
    const auto address = loops.add(pool.pool);
    if (!address) return fail(address.error());
    names += (names.empty() ? "" : ", ") + pool.pool.name;
    fmt::print("arcwised: pool {} listens on {}\n", pool.pool.name, *address);
    for (const std::string& note : pool.pool.notes)
      journal.add({0, {}, Severity::warning, "not_followed", pool.pool.name, {}, note});
  }
  AdminSettings about{config.daemon.admin, config.daemon.peers, {}};
  if (const std::string& file = config.daemon.admin_token; !file.empty()) {
    auto token = read_token(file);
    if (!token) return fail(token.error());
    about.token = std::move(*token);
  }
  Admin admin(std::move(about), reload, board, journal, events, [&loops] { return loops.draining(); });
  if (!config.daemon.admin.empty()) {
    const auto address = admin.start();
    if (!address) return fail(address.error());
    fmt::print("arcwised: admin listens on {}\n", *address);
  }
  std::fflush(stdout);
  loops.start();
  reload.watch([&manager](bool begins) {
    if (begins)
      manager.say_reloading();
    else
      manager.say("READY=1");
  });
  manager.say("READY=1");
  tell(journal, Severity::note, "started",
       fmt::format(
           "arcwised {}, process {}, {}, pools: {}", ARCWISE_VERSION, getpid(),
           config.daemon.threads == 1 ? "one thread" : fmt::format("{} threads", config.daemon.threads),
           names));
  Watch(config, signals, loops, reload, log, journal, manager).run();
  end_soon();
  return 0;
}

void add_options(CLI::App& app, Options& options) {
  app.set_version_flag("--version", "arcwised " ARCWISE_VERSION);
  auto* config = app.add_option("-c,--config", options.config,
                                "Arcwise's own configuration, or an unchanged nutcracker.yml");
  auto* map = app.add_option("--map", options.map, "a map whose nodes have addresses");
  auto* memcached = app.add_option("--memcached", options.memcached, "listen for memcached clients here");
  auto* redis = app.add_option("--redis", options.redis, "listen for Redis clients here");
  config->excludes(map);
  memcached->excludes(redis)->needs(map);
  redis->needs(map);
  const auto setting = [&](const char* option, const char* key, const char* what) {
    app.add_option_function<std::string>(
        option, [&options, key](const std::string& value) { options.overrides.push_back({{}, key, value}); },
        what);
  };
  setting("--admin", "admin", "tell about itself here, over HTTP; `:PORT` is of this machine only");
  setting("--admin-token", "admin_token", "who knows the word in this file may apply changes by HTTP");
  setting("--peers", "peers", "admin addresses of other routers of the same pools, with commas");
  setting("--state", "state", "remember the newest map served in this folder");
  setting("--threads", "threads", "how many threads serve clients");
  setting("--log", "log", "logfmt or json");
  app.add_option_function<std::string>(
      "--timeout",
      [&options](const std::string& value) {
        // Twemproxy's unit where there is none.
        const bool bare = value.find_first_not_of("0123456789") == std::string::npos;
        options.overrides.push_back({{}, "timeout", value + (bare ? "ms" : "")});
      },
      "without an answer for so long a server is given up: 400ms, 2s");
  app.add_option_function<std::vector<std::string>>(
         "--set",
         [&options](const std::vector<std::string>& all) {
           for (const std::string& one : all) {
             const std::size_t equals = one.find('='), dot = one.substr(0, equals).rfind('.');
             if (equals == std::string::npos) throw CLI::ValidationError("--set", "write KEY=VALUE");
             const bool pool = dot != std::string::npos;
             options.overrides.push_back({pool ? one.substr(0, dot) : std::string(),
                                          one.substr(pool ? dot + 1 : 0, equals - (pool ? dot + 1 : 0)),
                                          one.substr(equals + 1)});
           }
         },
         "KEY=VALUE of a setting, of all pools or as POOL.KEY=VALUE of one")
      ->allow_extra_args(false);
  auto* check = app.add_flag("-t,--check", options.check, "test the configuration, show it, and end");
  app.add_flag("--json", options.json, "with --check: for programs")->needs(check);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"The router: clients talk to one address, and each key goes to its node.", "arcwised"};
  add_options(app, options);
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
  auto config = configuration(options);
  if (!config) return fail(config.error(), options.json);
  if (const auto error = check_here(*config)) return fail(*error, options.json);
  if (!options.check) return serve(*config, options);
  for (const std::string& note : config->notes) fmt::print(stderr, "arcwised: {}\n", note);
  for (const PoolConfig& pool : config->pools)
    for (const std::string& note : pool.pool.notes)
      fmt::print(stderr, "arcwised: pool {}: {}\n", pool.pool.name, note);
  fmt::print("{}", options.json ? report_json(*config) : report(*config));
  return 0;
}
