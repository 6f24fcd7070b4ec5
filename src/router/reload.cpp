#include "router/reload.hpp"

#include <sys/stat.h>

#include <chrono>
#include <cstdio>

#include "arcwise/change.hpp"

namespace arcwise::router {
namespace {

constexpr std::uint64_t seed = 1;
constexpr std::uint64_t sampled_keys = 100'000;  // where regions cannot be compared; for a line of the log

// What tells one version of a file from the next, also where it was replaced within a second.
std::string version_of(const std::string& path) {
  struct stat seen{};
  if (stat(path.c_str(), &seen)) return {};
  return std::to_string(seen.st_ino) + '.' + std::to_string(seen.st_size) + '.' +
         std::to_string(seen.st_mtim.tv_sec) + '.' + std::to_string(seen.st_mtim.tv_nsec);
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

}  // namespace

Reload::~Reload() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

std::optional<Error> Reload::begin(const std::vector<Pool>& pools) {
  for (const Pool& pool : pools) {
    const Served served = served_by(pool.placement);
    if (!state_.empty()) {
      const auto before = read_served(state_, served.cluster);
      if (!before) return before.error();
      if (before->has_value())
        if (auto error = check_succession(**before, served)) return error;
      if (auto error = write_served(state_, served)) return error;
    }
    current_.insert_or_assign(pool.name, Current{served, pool.placement});
  }
  return std::nullopt;
}

void Reload::watch() {
  thread_ = std::thread([this] {
    std::string version = version_of(file_);
    while (!stop_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      const std::string now = version_of(file_);
      if (!asked_.exchange(false) && (now == version || now.empty())) continue;
      version = now;
      read_again();
    }
  });
}

void Reload::refuse(const std::string& pool, const std::string& why) {
  journal_.add({0, {}, Severity::alarm, "map_refused", pool, {}, "the map that is served stays: " + why});
}

void Reload::read_again() {
  auto pools = read_();
  if (!pools) return refuse({}, to_string(pools.error()));
  for (Pool& pool : *pools) consider(std::move(pool));
}

void Reload::consider(Pool pool) {
  const auto now = current_.find(pool.name);
  if (now == current_.end()) return refuse(pool.name, "the pool is new, and is served after a restart");
  const Served next = served_by(pool.placement);
  const Served& served = now->second.served;
  if (auto error = check_succession(served, next)) return refuse(pool.name, to_string(*error));
  if (next.fingerprint == served.fingerprint && next.membership == served.membership &&
      next.epoch == served.epoch)
    return;
  if (!state_.empty())
    if (auto error = write_served(state_, next)) return refuse(pool.name, to_string(*error));
  const Diff change = diff(now->second.placement, pool.placement, seed, sampled_keys);
  journal_.add({0,
                {},
                Severity::note,
                "map_adopted",
                pool.name,
                {},
                said(served) + " -> " + said(next) + ": " + per_cent(change.primary_moved.value()) +
                    " of keys have another node"});
  now->second = {next, pool.placement};
  loop_.post(std::move(pool));
}

}  // namespace arcwise::router
