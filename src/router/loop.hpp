// The loop: moves bytes between sockets and proxies, and tells these the time.
//
// Layer: router. One thread. What a tick's events ask for is sent together at its end.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "router/proxy.hpp"
#include "router/socket.hpp"

namespace arcwise::router {

class Loop {
 public:
  /// `number`: among the loops of a router. Its proxies' events go to the journal, what they count to the
  /// board.
  Loop(std::size_t number, Journal& journal, Board& board);
  /// Serves a pool at its address. Returns the address it has got.
  Result<std::string> add(Pool pool);
  /// The pool of this name goes on with another map. Thread-safe; the loop takes it up within a tick.
  void post(Pool pool);
  /// Until `stop` is set; then until what is under way is answered, or `drain` has passed.
  void run(const std::atomic<bool>& stop, milliseconds drain);
  Proxy& proxy(std::size_t i) noexcept { return sides_[i].proxy; }

 private:
  enum class Role : std::uint8_t { listener, client, server };
  struct Socket {
    Descriptor fd;
    bool writable_wanted = false, readable_wanted = true;
  };
  struct Side {
    explicit Side(Pool pool) : proxy(std::move(pool)) {}
    Proxy proxy;
    Descriptor listener;
    std::vector<Socket> clients, servers;
  };

  void adopt_posted();
  void report();
  void handle(std::uint64_t tag, std::uint32_t events);
  void accept_clients(std::size_t side);
  void client_event(std::size_t side, std::uint32_t id, std::uint32_t events);
  void server_event(std::size_t side, Proxy::ServerId n, std::uint32_t events);
  void settle(std::size_t side);
  void connect(std::size_t side, Proxy::ServerId n);
  void send_to_client(std::size_t side, std::uint32_t id);
  void send_to_server(std::size_t side, Proxy::ServerId n);
  void close_client(std::size_t side, std::uint32_t id);
  void close_server(std::size_t side, Proxy::ServerId n, std::string_view why);
  void watch(Socket& socket, std::uint64_t tag, bool readable, bool writable);
  static std::uint64_t tag(Role role, std::size_t side, std::uint32_t id) noexcept {
    return static_cast<std::uint64_t>(role) << 60 | std::uint64_t{side} << 32 | id;
  }

  std::size_t number_;
  Journal& journal_;
  Board& board_;
  Time published_{};
  Descriptor epoll_;
  std::deque<Side> sides_;
  std::mutex posted_mutex_;
  std::vector<Pool> posted_;
  Time now_{};
};

}  // namespace arcwise::router
