// What a router has counted, for those who look at it from other threads.
//
// Layer: router. Every loop counts for itself, in plain integers, and publishes copies to the board.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace arcwise::router {

enum class ServerState : std::uint8_t {
  idle,  ///< not connected, for nobody asked for it
  connecting,
  up,
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
  /// Of `part` (0…1) of the answers, the slowest took at most so many µs; 0 without answers.
  std::uint64_t quantile(double part) const noexcept;
};

struct ServerStats {
  std::string name, address;
  ServerState state = ServerState::idle;
  std::string why;             ///< of its last failure
  std::uint64_t since_us = 0;  ///< in this state, by the loop's clock
  std::uint64_t in_flight = 0, requests = 0, failures = 0, timeouts = 0, hits = 0, misses = 0;
  std::uint64_t bytes_sent = 0, bytes_received = 0;
  Latency latency;
};

struct PoolStats {
  std::string pool;
  std::uint64_t clients = 0, requests = 0, errors = 0;
  std::vector<ServerStats> servers;  ///< of the map, by node
};

/// One view of what several loops have counted: numbers are summed, and of states the worst is kept.
void add(PoolStats& sum, const PoolStats& part);

/// What each loop has published last. Thread-safe.
class Board {
 public:
  void publish(std::size_t loop, const std::vector<PoolStats>& pools);
  /// Over all loops, by pool.
  std::vector<PoolStats> read() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::vector<PoolStats>> by_loop_;
};

}  // namespace arcwise::router
