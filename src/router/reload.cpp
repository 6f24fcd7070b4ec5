#include "router/reload.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "arcwise/change.hpp"
#include "router/address.hpp"

namespace arcwise::router {
namespace {

constexpr std::uint64_t seed = 1;
constexpr std::uint64_t sampled_keys = 100'000;  // where regions cannot be compared; for a line of the log
constexpr std::chrono::milliseconds look_every{250};
constexpr std::chrono::seconds find_hosts_every{5};

// What tells one version of the files from the next, also where one was replaced within a second.
std::string version_of(const std::vector<std::string>& paths) {
  std::string out;
  for (const std::string& path : paths) {
    struct stat seen{};
    if (stat(path.c_str(), &seen)) return {};
    out += std::to_string(seen.st_ino) + '.' + std::to_string(seen.st_size) + '.' +
           std::to_string(seen.st_mtim.tv_sec) + '.' + std::to_string(seen.st_mtim.tv_nsec) + ' ';
  }
  return out;
}

std::string per_cent(double part) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f %%", part * 100);
  return text;
}

std::string said(const Served& served) {
  return (served.epoch ? "epoch " + std::to_string(*served.epoch) + ", " : std::string()) + "fingerprint " +
         served.fingerprint;
}

template <class T>
std::string shown(const Setting<T>& setting, const T& of) {
  return setting.secret ? "(not shown)" : setting.get(of);
}

template <class T>
std::string change_of(const Setting<T>& setting, const T& now, const T& next) {
  return std::string(setting.key) + " " + shown(setting, now) + " -> " + shown(setting, next);
}

// The settings of one kind that differ.
template <class T>
std::string changes(const T& now, const T& next, bool live) {
  std::string out;
  for (const auto& setting : settings_of<T>())
    if (setting.live == live && setting.get(now) != setting.get(next))
      out += (out.empty() ? "" : "; ") + change_of(setting, now, next);
  return out;
}

}  // namespace

Reload::~Reload() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::optional<Error> Reload::begin(const Config& config) {
  const std::string& state = config.daemon.state;
  for (const PoolConfig& pool : config.pools) {
    const Served served = served_by(pool.pool.placement);
    if (!state.empty()) {
      const auto before = read_served(state, served.cluster);
      if (!before) return before.error();
      if (before->has_value())
        if (auto error = check_succession(**before, served)) return error;
      if (auto error = write_served(state, served)) return error;
    }
    served_.insert_or_assign(pool.pool.name, served);
  }
  current_ = config;
  return std::nullopt;
}

void Reload::ask() {
  {
    const std::lock_guard lock(mutex_);
    asked_ = true;
  }
  wake_.notify_all();
}

void Reload::watch(std::function<void(bool)> reloading) {
  reloading_ = std::move(reloading);
  thread_ = std::thread([this] {
    std::string version = version_of(current_.files);
    auto hosts_found = std::chrono::steady_clock::now();
    for (;;) {
      bool asked = false;
      {
        std::unique_lock lock(mutex_);
        wake_.wait_for(lock, look_every, [this] { return asked_ || stop_; });
        if (stop_) return;
        asked = std::exchange(asked_, false);
      }
      if (const auto time = std::chrono::steady_clock::now(); time - hosts_found > find_hosts_every) {
        hosts_found = time;
        look_up_again();
      }
      const std::string now = version_of(current_.files);
      if (!asked && (now == version || now.empty())) continue;
      version = now;
      read_again(asked);
    }
  });
}

void Reload::say(Severity severity, const char* name, const std::string& pool, std::string text) {
  said_ = true;
  journal_.add({0, {}, severity, name, pool, {}, std::move(text)});
}

void Reload::refuse(const std::string& pool, const std::string& why) {
  say(Severity::alarm, "map_refused", pool, "the map that is served stays: " + why);
}

void Reload::read_again(bool asked) {
  if (reloading_) reloading_(true);
  said_ = false;
  auto config = read_();
  if (config)
    take(std::move(*config));
  else
    refuse({}, to_string(config.error()));
  // Who asked is told in any case.
  if (asked && !said_) say(Severity::note, "nothing_new", {}, "the files say what is served");
  if (reloading_) reloading_(false);
}

void Reload::take(Config config) {
  if (const std::string later = changes(current_.daemon, config.daemon, false); !later.empty())
    say(Severity::warning, "restart_needed", {}, "taken up after a restart: " + later);
  for (const PoolConfig& now : current_.pools)
    if (std::none_of(config.pools.begin(), config.pools.end(),
                     [&](const PoolConfig& next) { return next.pool.name == now.pool.name; }))
      say(Severity::warning, "restart_needed", now.pool.name,
          "the pool is no longer in the configuration, and is served until a restart");
  current_.files = std::move(config.files);
  for (PoolConfig& pool : config.pools) consider(std::move(pool));
}

void Reload::consider(PoolConfig next) {
  const auto now = std::find_if(current_.pools.begin(), current_.pools.end(),
                                [&](const PoolConfig& pool) { return pool.pool.name == next.pool.name; });
  if (now == current_.pools.end())
    return say(Severity::warning, "restart_needed", next.pool.name,
               "the pool is new, and is served after a restart");
  const Served to = served_by(next.pool.placement);
  Served& from = served_.at(next.pool.name);
  if (auto error = check_succession(from, to)) return refuse(next.pool.name, to_string(*error));
  const bool other_map =
      to.fingerprint != from.fingerprint || to.membership != from.membership || to.epoch != from.epoch;
  if (other_map && !current_.daemon.state.empty())
    if (auto error = write_served(current_.daemon.state, to))
      return refuse(next.pool.name, to_string(*error));
  const bool other_settings = consider_settings(*now, next);
  if (!other_map && !other_settings) return;
  const Placement before = now->pool.placement;
  const Served was = std::exchange(from, to);
  *now = std::move(next);
  loops_.post(now->pool);
  if (!other_map) return;
  const Diff change = diff(before, now->pool.placement, seed, sampled_keys);
  say(Severity::note, "map_adopted", now->pool.name,
      said(was) + " -> " + said(to) + ": " + per_cent(change.primary_moved.value()) +
          " of keys have another node");
}

bool Reload::consider_settings(const PoolConfig& now, PoolConfig& next) {
  const std::string live = changes(now.pool, next.pool, true), later = changes(now.pool, next.pool, false);
  if (!live.empty()) say(Severity::note, "settings_adopted", next.pool.name, live);
  if (!later.empty())
    say(Severity::warning, "restart_needed", next.pool.name, "taken up after a restart: " + later);
  next.pool.listen = now.pool.listen;
  next.pool.protocol = now.pool.protocol;
  return !live.empty();
}

}  // namespace arcwise::router
