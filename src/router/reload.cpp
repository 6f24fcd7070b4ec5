#include "router/reload.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "router/known_hosts.hpp"

namespace arcwise::router {
namespace {

constexpr std::uint64_t seed = 1;
constexpr std::uint64_t sampled_keys = 100'000;  // where regions cannot be compared; for a line of the log
constexpr std::chrono::milliseconds look_every{250};
constexpr std::chrono::seconds find_hosts_every{5}, try_at_least_every{5};

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

// Whether one of the files may be another than the one that was read. Their time is that of the kernel's
// ticks.
bool replaced_since(const std::vector<std::string>& paths, std::chrono::system_clock::time_point began) {
  const auto since = (began - std::chrono::milliseconds(10)).time_since_epoch();
  return std::any_of(paths.begin(), paths.end(), [&](const std::string& path) {
    struct stat seen{};
    return stat(path.c_str(), &seen) == 0 &&
           std::chrono::seconds(seen.st_ctim.tv_sec) + std::chrono::nanoseconds(seen.st_ctim.tv_nsec) > since;
  });
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
    if (!state.empty())
      if (auto error = remember_served(state, served)) return error;
    serve(pool, served);
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
    std::string version = replaced_since(current_.files, current_.began) ? "" : version_of(current_.files);
    auto hosts_found = Clock::now(), again_at = Clock::time_point::max();
    Clock::duration pause = look_every;
    for (;;) {
      bool asked = false;
      {
        std::unique_lock lock(mutex_);
        wake_.wait_for(lock, look_every, [this] { return asked_ || stop_; });
        if (stop_) return;
        asked = std::exchange(asked_, false);
      }
      const auto time = Clock::now();
      if (time - hosts_found > find_hosts_every) {
        hosts_found = time;
        known_hosts().renew();
      }
      const std::string now = version_of(current_.files);
      const bool other = now != version && !now.empty(), again = !asked && !other && time >= again_at;
      if (!asked && !other && !again) continue;
      const bool told = asked || (other && !version.empty());
      if (!now.empty()) version = now;
      read_again(asked, told, again);
      pause = again ? std::min<Clock::duration>(2 * pause, try_at_least_every) : look_every;
      again_at = failed_ ? Clock::now() + pause : Clock::time_point::max();
    }
  });
}

bool Reload::say(Severity severity, const char* name, const std::string& pool, std::string text) {
  if (!said_.insert(name + (' ' + pool) + ' ' + text).second) return false;
  journal_.add({0, {}, severity, name, pool, {}, std::move(text)});
  return true;
}

bool Reload::refuse_map(const std::string& pool, const Error& error) {
  failed_ |= error.kind == ErrorKind::io;
  return say(Severity::alarm, "map_refused", pool, "the map that is served stays: " + to_string(error));
}

// Whose file it stands in: a map's, or the configuration's.
bool Reload::refuse(const Error& error) {
  for (const PoolConfig& pool : current_.pools)
    if (!pool.map_file.empty() && pool.map_file == error.where.file) return refuse_map(pool.pool.name, error);
  failed_ |= error.kind == ErrorKind::io;
  return say(Severity::alarm, "config_refused", {}, "what is served stays: " + to_string(error));
}

void Reload::read_again(bool asked, bool told, bool again) {
  failed_ = false;
  if (!again) said_.clear();
  if (told && reloading_) reloading_(true);
  auto config = read_();
  const bool spoke = config ? take(std::move(*config)) : refuse(config.error());
  // Who asked is told in any case.
  if (asked && !spoke) say(Severity::note, "nothing_new", {}, "the files say what is served");
  if (told && reloading_) reloading_(false);
}

bool Reload::take(Config config) {
  bool spoke = false;
  if (const std::string later = changes(current_.daemon, config.daemon, false); !later.empty())
    spoke = say(Severity::warning, "restart_needed", {}, "taken up after a restart: " + later);
  for (const PoolConfig& now : current_.pools)
    if (std::none_of(config.pools.begin(), config.pools.end(),
                     [&](const PoolConfig& next) { return next.pool.name == now.pool.name; }))
      spoke = say(Severity::warning, "restart_needed", now.pool.name,
                  "the pool is no longer in the configuration, and is served until a restart");
  current_.files = std::move(config.files);
  for (PoolConfig& pool : config.pools) spoke |= consider(std::move(pool));
  return spoke;
}

PoolConfig* Reload::find(const std::string& pool) {
  const auto found = std::find_if(current_.pools.begin(), current_.pools.end(),
                                  [&](const PoolConfig& one) { return one.pool.name == pool; });
  return found == current_.pools.end() ? nullptr : &*found;
}

Result<bool> Reload::step(const Served& from, const Served& to) {
  if (auto error = check_succession(from, to)) return *error;
  const bool other =
      to.fingerprint != from.fingerprint || to.membership != from.membership || to.epoch != from.epoch;
  if (other && !current_.daemon.state.empty())
    if (auto error = remember_served(current_.daemon.state, to)) return *error;
  return other;
}

void Reload::serve(const PoolConfig& now, const Served& to) {
  const std::string& name = now.pool.name;
  served_.insert_or_assign(name, to);
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const Serving>& seen = serving_[name];
  const bool same_map = seen && seen->served.fingerprint == to.fingerprint &&
                        seen->served.membership == to.membership && seen->served.epoch == to.epoch;
  seen = std::make_shared<const Serving>(
      Serving{now.pool, to, same_map ? seen->since : std::chrono::system_clock::now()});
}

std::vector<std::shared_ptr<const Serving>> Reload::serving() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<const Serving>> out;
  for (const auto& [name, one] : serving_) out.push_back(one);
  return out;
}

// A map that may not follow is refused alone: the settings beside it are taken up.
bool Reload::consider(PoolConfig next) {
  const std::lock_guard lock(changing_);
  PoolConfig* now = find(next.pool.name);
  if (!now)
    return say(Severity::warning, "restart_needed", next.pool.name,
               "the pool is new, and is served after a restart");
  const Served from = served_.at(next.pool.name);
  Served to = served_by(next.pool.placement);
  const auto other_map = step(from, to);
  const bool refused = !other_map;
  bool spoke = refused && refuse_map(next.pool.name, other_map.error());
  if (refused) {
    next.pool.placement = now->pool.placement;
    next.pool.addresses = now->pool.addresses;
    next.pool.observed = now->pool.observed;
    to = from;
  }
  const Changed settings = consider_settings(*now, next);
  const bool noted = tell_notes(*now, next);
  const bool follows = !refused && *other_map;
  spoke |= settings.live || settings.later || follows || noted;
  if (!follows && !settings.live) return spoke;
  const Placement before = now->pool.placement;
  *now = std::move(next);
  serve(*now, to);
  loops_.post(now->pool);
  if (follows) tell_adopted(now->pool.name, from, to, diff(before, now->pool.placement, seed, sampled_keys));
  return spoke;
}

Result<Diff> Reload::follow(const Pool& next, const std::string& expected, bool adopt) {
  const std::lock_guard lock(changing_);
  PoolConfig* now = find(next.name);
  if (!now) return Error{ErrorKind::input, {}, next.name, "there is no such pool", "name one that is served"};
  const Served from = served_.at(next.name), to = served_by(next.placement);
  if (!expected.empty() && expected != from.fingerprint)
    return Error{ErrorKind::refused,
                 {},
                 expected,
                 "another map is served than the one that this change was made from (fingerprint " +
                     from.fingerprint + ")",
                 "look at what is served now, and plan the change anew"};
  if (auto error = check_succession(from, to)) return *error;
  const Diff change = diff(now->pool.placement, next.placement, seed, sampled_keys);
  if (!adopt) return change;
  const auto other_map = step(from, to);
  if (!other_map) return other_map.error();
  if (!*other_map) return change;
  now->pool.placement = next.placement;
  now->pool.addresses = next.addresses;
  now->pool.observed = next.observed;
  serve(*now, to);
  loops_.post(now->pool);
  tell_adopted(next.name, from, to, change);
  return change;
}

void Reload::tell_adopted(const std::string& pool, const Served& from, const Served& to, const Diff& change) {
  journal_.add({0,
                {},
                Severity::note,
                "map_adopted",
                pool,
                {},
                said(from) + " -> " + said(to) + ": " + per_cent(change.primary_moved.value()) +
                    " of keys have another node"});
}

bool Reload::tell_notes(PoolConfig& now, const PoolConfig& next) {
  const std::vector<std::string> before = std::exchange(now.pool.notes, next.pool.notes);
  bool spoke = false;
  for (const std::string& note : next.pool.notes)
    if (std::find(before.begin(), before.end(), note) == before.end())
      spoke = say(Severity::warning, "not_followed", next.pool.name, note);
  return spoke;
}

Reload::Changed Reload::consider_settings(const PoolConfig& now, PoolConfig& next) {
  const std::string live = changes(now.pool, next.pool, true), later = changes(now.pool, next.pool, false);
  if (!live.empty()) say(Severity::note, "settings_adopted", next.pool.name, live);
  if (!later.empty())
    say(Severity::warning, "restart_needed", next.pool.name, "taken up after a restart: " + later);
  next.pool.listen = now.pool.listen;
  next.pool.protocol = now.pool.protocol;
  return {!live.empty(), !later.empty()};
}

}  // namespace arcwise::router
