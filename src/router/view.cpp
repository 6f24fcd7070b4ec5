#include "router/view.hpp"

#include <algorithm>
#include <cmath>

namespace arcwise::router {
namespace {

std::string duration(std::uint64_t us) {
  if (us < 1'000'000) return std::to_string(us / 1000) + " ms";
  const std::uint64_t s = us / 1'000'000;
  if (s < 120) return std::to_string(s) + " s";
  if (s < 7200) return std::to_string(s / 60) + " min";
  return std::to_string(s / 3600) + " h";
}

template <class All, class Same>
auto find(All& all, Same&& same) -> decltype(&all.front()) {
  const auto found = std::find_if(all.begin(), all.end(), same);
  return found == all.end() ? nullptr : &*found;
}

const PoolStats* find_pool(const std::vector<PoolStats>& pools, const std::string& name) {
  return find(pools, [&](const PoolStats& one) { return one.pool == name; });
}

const ServerStats* find_server(const PoolStats& pool, const std::string& address) {
  return find(pool.servers, [&](const ServerStats& one) { return one.address == address; });
}

// Counters of a server that left and came back begin anew.
std::uint64_t grown(std::uint64_t before, std::uint64_t now) noexcept {
  return now >= before ? now - before : now;
}

// Where no client's request tells, the router's own question does.
void judge(NodeView& node) {
  const ServerState state = node.stats.state;
  const bool untold = state == ServerState::idle || state == ServerState::connecting;
  node.away = is_away(state) || (untold && !node.measured.why.empty());
  node.words = untold && node.away ? node.measured.why : words_of(node.stats);
}

}  // namespace

bool is_away(ServerState state) noexcept {
  return state >= ServerState::silent;
}

std::string words_of(const ServerStats& server) {
  switch (server.state) {
    case ServerState::idle:
      return "not asked yet";
    case ServerState::connecting:
      return server.why.empty() ? "connecting" : "connecting; before: " + server.why;
    case ServerState::silent:
      return "no reply for " + duration(server.waited_us);
    case ServerState::stalled:
      // It may have begun to answer what it owes.
      if (server.waited_us < server.since_us) return "answers too late, for " + duration(server.since_us);
      return "no reply for " + duration(server.waited_us);
    case ServerState::waiting:
      return (server.why.empty() ? "no connection" : server.why) + ", for " + duration(server.since_us);
    default:
      if (server.usable == 1) return "answers";
      return "answers, and has " + std::to_string(std::lround(server.usable * 100)) + " % of its keys back";
  }
}

Rates rates_of(const ServerStats& before, const ServerStats& now, double seconds) {
  Rates out;
  if (seconds <= 0) return out;
  out.seconds = seconds;
  out.requests = static_cast<double>(grown(before.requests, now.requests)) / seconds;
  out.failures = static_cast<double>(grown(before.failures, now.failures)) / seconds;
  Latency latency;
  for (std::size_t i = 0; i < latency.counts.size(); ++i)
    latency.counts[i] = grown(before.latency.counts[i], now.latency.counts[i]);
  out.p50_us = latency.quantile(0.5);
  out.p99_us = latency.quantile(0.99);
  const std::uint64_t hits = grown(before.hits, now.hits), misses = grown(before.misses, now.misses);
  if (hits + misses > 0) out.hit_ratio = static_cast<double>(hits) / static_cast<double>(hits + misses);
  return out;
}

void Window::add(steady_clock::time_point at, std::vector<PoolStats> pools) {
  moments_.push_back({at, std::move(pools)});
  while (moments_.size() > 2 && at - moments_[1].at >= length) moments_.pop_front();
}

double Window::seconds() const {
  return moments_.empty() ? 0
                          : std::chrono::duration<double>(moments_.back().at - moments_.front().at).count();
}

const PoolStats* Window::pool_before(const std::string& pool) const {
  return find_pool(moments_.front().pools, pool);
}

const ServerStats* Window::before(const std::string& pool, const std::string& address) const {
  const PoolStats* found = pool_before(pool);
  return found ? find_server(*found, address) : nullptr;
}

PoolView view_of(std::shared_ptr<const Serving> serving, std::shared_ptr<const Ownership> ownership,
                 const Window& window, const std::map<std::string, Measured>& measured) {
  PoolView out;
  const Pool& pool = serving->pool;
  const PoolStats* now = find_pool(window.now(), pool.name);
  if (now) out.stats = *now;
  ServerStats all_before, all_now;
  const double seconds = window.seconds();
  for (std::size_t n = 0; n < pool.addresses.size(); ++n) {
    NodeView& node = out.nodes.emplace_back();
    const ServerStats* stats = now ? find_server(*now, pool.addresses[n]) : nullptr;
    if (stats) node.stats = *stats;
    // Servers of a map that loops have not taken up yet, or that share an address, still have their own name.
    node.stats.name = pool.placement.map().nodes()[n].name;
    node.stats.address = pool.addresses[n];
    const ServerStats* before = window.before(pool.name, pool.addresses[n]);
    const ServerStats none;
    node.rates = rates_of(before ? *before : none, node.stats, seconds);
    if (before) add(all_before, *before);
    add(all_now, node.stats);
    if (const auto found = measured.find(pool.addresses[n]); found != measured.end())
      node.measured = found->second;
    judge(node);
  }
  out.rates = rates_of(all_before, all_now, seconds);
  if (const PoolStats* before = window.pool_before(pool.name); before && now && seconds > 0) {
    out.rates.requests = static_cast<double>(grown(before->requests, now->requests)) / seconds;
    out.rates.failures = static_cast<double>(grown(before->errors, now->errors)) / seconds;
  }
  out.serving = std::move(serving);
  out.ownership = std::move(ownership);
  return out;
}

std::vector<std::string> differing(const std::vector<PoolView>& own,
                                   const std::vector<PeerView::Map>& theirs) {
  std::vector<std::string> out;
  for (const PoolView& pool : own) {
    const std::string& name = pool.serving->pool.name;
    const std::string& cluster = pool.serving->served.cluster;
    const PeerView::Map* other = find(theirs, [&](const PeerView::Map& map) {
      return cluster.empty() ? map.pool == name : map.cluster == cluster;
    });
    if (other && other->fingerprint != pool.serving->served.fingerprint) out.push_back(name);
  }
  return out;
}

}  // namespace arcwise::router
