// The loops of a router, each on a thread of its own, with its own clients and its own connections to
// servers.
//
// Layer: router.
#pragma once

#include <deque>
#include <thread>

#include "router/loop.hpp"

namespace arcwise::router {

class Loops {
 public:
  Loops(std::size_t threads, Io io, Journal& journal, Board& board);
  ~Loops();
  /// Serves a pool at its address, on all threads. Returns the address it has got. Before start().
  Result<std::string> add(const Pool& pool);
  void start();

  /// The pool of this name goes on with another map and other settings, on each thread within a moment.
  void post(const Pool& pool);
  void drain(milliseconds at_most);
  bool draining() const noexcept { return draining_.load(std::memory_order_relaxed); }
  /// All have drained.
  bool ended() const noexcept { return running_.load(std::memory_order_acquire) == 0; }
  /// Each has answered since it was asked last; asks again if so.
  bool alive();

 private:
  /// A path that this process listens on, and which file it was then.
  struct UnixSocket {
    std::string path;
    std::uint64_t device, inode;
  };
  void remember_socket(const std::string& path);
  void remove_sockets();
  void find_hosts(const Pool& pool);

  Journal& journal_;
  std::deque<Loop> loops_;
  std::vector<std::uint64_t> answered_;
  std::vector<UnixSocket> sockets_;  ///< removed before their listeners close
  std::atomic<std::size_t> running_{0};
  std::atomic<bool> draining_{false};
  std::vector<std::thread> threads_;
};

}  // namespace arcwise::router
