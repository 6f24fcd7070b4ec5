// What a router looks like from outside at one moment: its pools, what they hold and do, and its peers.
//
// Layer: router. Values; made of what loops have published, of what servers say of themselves, and of maps.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "arcwise/ownership.hpp"
#include "router/reload.hpp"
#include "router/stats.hpp"

namespace arcwise::router {

using std::chrono::steady_clock;
using std::chrono::system_clock;

/// What a server says of itself.
struct Measured {
  std::optional<std::uint64_t> bytes, items, limit_bytes;
  std::string why;  ///< nothing was learnt
};

/// Over the last seconds.
struct Rates {
  double seconds = 0;                 ///< how many; 0: nothing is known yet
  double requests = 0, failures = 0;  ///< a second
  std::uint64_t p50_us = 0, p99_us = 0;
  std::optional<double> hit_ratio;  ///< none: nothing was looked for
};

struct NodeView {
  ServerStats stats;
  std::string words;  ///< how it is, for people
  bool away = false;  ///< it does not answer
  Measured measured;
  Rates rates;
};

struct PoolView {
  std::shared_ptr<const Serving> serving;
  std::shared_ptr<const Ownership> ownership;  ///< made once for each map
  PoolStats stats;
  Rates rates;
  std::vector<NodeView> nodes;  ///< by node of the map
};

struct PeerView {
  struct Map {
    std::string pool, cluster, fingerprint;
    std::optional<std::uint64_t> epoch;
  };
  std::string address, why;  ///< why: it does not answer
  std::vector<Map> maps;
  std::vector<std::string> differing;  ///< pools for which it serves another map than this router
};

struct View {
  system_clock::time_point started, at;
  std::vector<PoolView> pools;
  std::vector<PeerView> peers;
};

/// "answers", "no reply for 5 s", "Connection refused, for 3 s".
std::string words_of(const ServerStats& server);
bool is_away(ServerState state) noexcept;

/// What was counted in the last seconds, as the difference of two moments.
Rates rates_of(const ServerStats& before, const ServerStats& now, double seconds);

/// What loops have counted, at several moments of the last seconds.
class Window {
 public:
  static constexpr std::chrono::seconds length{10};
  void add(steady_clock::time_point at, std::vector<PoolStats> pools);
  const std::vector<PoolStats>& now() const { return moments_.back().pools; }
  /// The server of this address then; nullptr: it was not there.
  const ServerStats* before(const std::string& pool, const std::string& address) const;
  double seconds() const;
  const PoolStats* pool_before(const std::string& pool) const;

 private:
  struct Moment {
    steady_clock::time_point at;
    std::vector<PoolStats> pools;
  };
  std::deque<Moment> moments_;
};

/// One pool as the window shows it, beside what its servers say; `measured`: by address.
PoolView view_of(std::shared_ptr<const Serving> serving, std::shared_ptr<const Ownership> ownership,
                 const Window& window, const std::map<std::string, Measured>& measured);

/// The pools for which a peer serves another map. Pools are the same where their clusters' names are, or
/// their own where these have none.
std::vector<std::string> differing(const std::vector<PoolView>& own,
                                   const std::vector<PeerView::Map>& theirs);

}  // namespace arcwise::router
