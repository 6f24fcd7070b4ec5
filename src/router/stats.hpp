// What a router has counted, for those who look at it from other threads.
//
// Layer: router. Every loop counts for itself, in plain integers, and publishes copies to the board.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

namespace arcwise::router {

enum class ServerState : std::uint8_t {
  idle,  ///< not connected, for nobody asked for it
  connecting,
  up,
  silent,  ///< connected, and says nothing, but is waited for: it has its time still, or all the time there
           ///< is
  /// It owes answers that were given up. What they were asked may still be done, so that nothing new is
  /// sent until it has answered, or its connection has ended: a write acknowledged meanwhile could be
  /// undone by one that was sent before.
  stalled,
  waiting  ///< until the next attempt to connect
};
std::string_view name_of(ServerState state) noexcept;

/// How long answers took: counts by powers of two of microseconds; the last takes all that is slower.
struct Latency {
  std::array<std::uint64_t, 24> counts{};
  std::uint64_t total = 0;  ///< µs

  void add(std::uint64_t us) noexcept;
  void add(const Latency& other) noexcept;
  /// What the slowest of `part` (0…1) of the answers took, in µs, to within its class; 0 without answers.
  std::uint64_t quantile(double part) const noexcept;
};

/// What overload and the loss of connections led to.
struct OverloadCounts {
  std::uint64_t spilled = 0;   ///< sent elsewhere, for the owner had its part of what is in flight
  std::uint64_t waited = 0;    ///< for a turn
  std::uint64_t refused = 0;   ///< as busy
  std::uint64_t repeated = 0;  ///< reads asked again after a connection was lost
  std::uint64_t shared = 0;    ///< reads answered with another's answer
  std::uint64_t clients_refused = 0;

  void add(const OverloadCounts& other) noexcept;
};

struct ServerStats {
  std::string name, address;
  ServerState state = ServerState::idle;
  std::string why;              ///< of its last failure
  std::uint64_t since_us = 0;   ///< in this state, or that it does not answer, by the loop's clock
  double usable = 1;            ///< of its keys, the part that it is asked for: less while it returns
  std::uint64_t waited_us = 0;  ///< for the answer that it owes longest; 0: it owes none
  std::uint64_t in_flight = 0, queued = 0, requests = 0, failures = 0, timeouts = 0, hits = 0, misses = 0;
  std::uint64_t bytes_sent = 0, bytes_received = 0;
  Latency latency;
};

struct PoolStats {
  std::string pool;
  std::uint64_t clients = 0, requests = 0, errors = 0;
  std::vector<ServerStats> servers;  ///< of the map, by node
  OverloadCounts overload{};
  std::uint64_t elsewhere = 0;  ///< sent to another than the owner, which was away
};

/// One view of what several loops have counted: numbers are summed, and of states the worst is kept.
void add(ServerStats& sum, const ServerStats& part);
/// Of one server's connections: what is counted, without what is said of the server itself.
void add_counts(ServerStats& sum, const ServerStats& part);
void add(PoolStats& sum, const PoolStats& part);

/// A request that took longer than its pool's `slow`.
struct Slow {
  std::chrono::system_clock::time_point when;  ///< given by the board
  std::string pool, server;
  std::string request;  ///< its command and key, shortened
  std::uint64_t us = 0;
};

/// What each loop has published last, and the slow requests of all. Thread-safe.
class Board {
 public:
  static constexpr std::size_t kept_slow = 200;
  void publish(std::size_t loop, const std::vector<PoolStats>& pools);
  /// Over all loops, by pool.
  std::vector<PoolStats> read() const;
  /// How long ago the loop has published that is silent longest.
  std::chrono::steady_clock::duration silence() const;
  void add_slow(std::vector<Slow> slow);
  std::vector<Slow> slow() const;  ///< the newest, oldest first

 private:
  mutable std::mutex mutex_;
  std::vector<std::vector<PoolStats>> by_loop_;
  std::vector<std::chrono::steady_clock::time_point> published_;  ///< by loop
  std::deque<Slow> slow_;
};

}  // namespace arcwise::router
