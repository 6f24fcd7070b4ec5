#include "router/stats.hpp"

#include <algorithm>
#include <bit>

namespace arcwise::router {

std::string_view name_of(ServerState state) noexcept {
  static constexpr std::string_view names[] = {"idle", "connecting", "up", "stalled", "waiting"};
  return names[static_cast<std::size_t>(state)];
}

void Latency::add(std::uint64_t us) noexcept {
  ++counts[std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(us)), counts.size() - 1)];
  total += us;
}

void Latency::add(const Latency& other) noexcept {
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
  total += other.total;
}

std::uint64_t Latency::quantile(double part) const noexcept {
  std::uint64_t all = 0;
  for (const std::uint64_t count : counts) all += count;
  if (all == 0) return 0;
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    seen += counts[i];
    if (static_cast<double>(seen) >= part * static_cast<double>(all)) return (std::uint64_t{1} << i) - 1;
  }
  return 0;
}

void add(PoolStats& sum, const PoolStats& part) {
  sum.clients += part.clients;
  sum.requests += part.requests;
  sum.errors += part.errors;
  if (sum.servers.size() < part.servers.size()) sum.servers.resize(part.servers.size());
  for (std::size_t n = 0; n < part.servers.size(); ++n) {
    ServerStats& to = sum.servers[n];
    const ServerStats& from = part.servers[n];
    // Declared from the best to the worst; one that was never used says nothing.
    if (to.name.empty() || from.state > to.state) {
      to.state = from.state;
      to.why = from.why;
      to.since_us = from.since_us;
    }
    to.name = from.name;
    to.address = from.address;
    to.in_flight += from.in_flight;
    to.requests += from.requests;
    to.failures += from.failures;
    to.timeouts += from.timeouts;
    to.hits += from.hits;
    to.misses += from.misses;
    to.bytes_sent += from.bytes_sent;
    to.bytes_received += from.bytes_received;
    to.latency.add(from.latency);
  }
}

void Board::publish(std::size_t loop, const std::vector<PoolStats>& pools) {
  const std::lock_guard lock(mutex_);
  if (by_loop_.size() <= loop) by_loop_.resize(loop + 1);
  by_loop_[loop] = pools;
}

std::vector<PoolStats> Board::read() const {
  const std::lock_guard lock(mutex_);
  std::vector<PoolStats> sum;
  for (const auto& pools : by_loop_) {
    if (sum.size() < pools.size()) sum.resize(pools.size());
    for (std::size_t i = 0; i < pools.size(); ++i) {
      sum[i].pool = pools[i].pool;
      add(sum[i], pools[i]);
    }
  }
  return sum;
}

}  // namespace arcwise::router
