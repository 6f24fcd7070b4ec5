// Looks at the router every second: what its loops count, what its servers hold, what its peers serve.
//
// Layer: router. A thread of its own, with connections of its own: traffic does not notice it.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "router/event.hpp"
#include "router/view.hpp"

namespace arcwise::router {

class Lookout {
 public:
  /// `peers`: the admin addresses of other routers of the same pools.
  Lookout(const Reload& reload, const Board& board, Journal& journal, std::vector<std::string> peers);
  ~Lookout();
  void start();
  /// nullptr: none is made yet. Thread-safe.
  std::shared_ptr<const View> view() const;

 private:
  void run();
  void look();
  std::shared_ptr<const Ownership> ownership_of(const std::shared_ptr<const Serving>& serving);
  void measure(const std::vector<std::shared_ptr<const Serving>>& pools);
  void ask_peers();
  void compare(View& view);

  const Reload& reload_;
  const Board& board_;
  Journal& journal_;
  const system_clock::time_point started_;
  Window window_;
  std::map<std::shared_ptr<const Serving>, std::shared_ptr<const Ownership>> ownerships_;
  std::map<std::string, Measured> measured_;  ///< by address
  struct Peer {
    PeerView seen;
    unsigned differed = 0;  ///< looks in a row
    bool alarmed = false;
  };
  std::vector<Peer> peers_;
  bool fresh_ = false;  ///< peers were asked since they were compared

  mutable std::mutex mutex_;
  std::condition_variable ending_;
  bool stop_ = false;
  std::shared_ptr<const View> view_;
  std::thread thread_;
};

/// What a memcached or Redis server answers about itself, taken apart.
Measured read_measured(Protocol protocol, std::string_view answer);

}  // namespace arcwise::router
