// The loop: moves bytes between sockets and proxies, and tells these the time.
//
// Layer: router. One thread, which sleeps until a socket, another thread or the next deadline wants
// something. What a tick's events ask for is sent together at its end.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "router/proxy.hpp"
#include "router/socket.hpp"
#include "router/transfers.hpp"

namespace arcwise::router {

class Loop {
 public:
  /// Of a pool, over all loops.
  using ClientCount = std::shared_ptr<std::atomic<std::size_t>>;

  /// `number`: among the loops of a router. Its proxies' events go to the journal, what they count to the
  /// board.
  Loop(std::size_t number, std::size_t loops, Io io, Journal& journal, Board& board);
  /// Serves a pool's clients that come to this socket.
  void add(Pool pool, Descriptor listener, ClientCount clients);
  /// Until it was told to drain, and has.
  void run();

  // For other threads
  /// The pool of this name goes on with another map and other settings.
  void post(Pool pool);
  /// No new client is taken, idle ones are closed, and the others when they have been answered, or when
  /// `at_most` has passed.
  void drain(milliseconds at_most);
  /// Raises answered() within a moment, unless the loop is stuck.
  void ask() { wake(); }
  std::uint64_t answered() const noexcept { return answered_.load(std::memory_order_relaxed); }

 private:
  enum class Role : std::uint8_t { listener, client, server, other_thread };
  struct Socket {
    Descriptor fd;
    bool writable_wanted = false, readable_wanted = true;
    bool held = false;  ///< it has something to be told, and is told with what the next tick brings
  };
  struct Side {
    Side(Pool pool, Descriptor on, ClientCount count)
        : proxy(std::move(pool)), listener(std::move(on)), connected(std::move(count)) {}
    Proxy proxy;
    Descriptor listener;
    Time deaf_until{};  ///< its listener is not heard, for descriptors have run out; 0: it is
    Time refusal_told{};
    ClientCount connected;
    std::vector<Socket> clients, servers;
    std::vector<std::uint32_t> held, due;  ///< clients, since this tick and since the last one
  };

  void wake();
  int patience() const;
  void adopt_posted();
  void report(bool busy);
  void tell_wall_time();
  void ask_for_bytes(std::uint64_t tag, std::uint32_t events);
  void handle(std::uint64_t tag, std::uint32_t events, const Transfer* received);
  bool accept_clients(std::size_t side);
  bool is_servers(const Descriptor& fd) const noexcept;
  bool out_of_descriptors(std::size_t side);
  void refuse(std::size_t side, const Descriptor& client, const char* why);
  void listen_again();
  void begin_drain();
  /// Whether all is done.
  bool drain_on();
  void client_event(std::size_t side, std::uint32_t id, std::uint32_t events, const Transfer* received);
  void server_event(std::size_t side, Proxy::ServerId n, std::uint32_t events, const Transfer* received);
  void settle(std::size_t side);
  void send_held(std::size_t side);
  void connect(std::size_t side, Proxy::ServerId n);
  void sent_to_client(std::size_t side, std::uint32_t id, const Transfer& sent);
  bool can_send(std::size_t side, Proxy::ServerId n) const noexcept;
  void sent_to_server(std::size_t side, Proxy::ServerId n, const Transfer& sent);
  void close_client(std::size_t side, std::uint32_t id);
  void close_server(std::size_t side, Proxy::ServerId n, std::string_view why);
  void add_to_epoll(const Descriptor& fd, std::uint64_t tag, std::uint32_t events);
  void watch(Socket& socket, std::uint64_t tag, bool readable, bool writable);
  static std::uint64_t tag(Role role, std::size_t side, std::uint32_t id) noexcept {
    return static_cast<std::uint64_t>(role) << 60 | std::uint64_t{side} << 32 | id;
  }
  struct Tag {
    Role role;
    std::size_t side;
    std::uint32_t id;
    static Tag of(std::uint64_t tag) noexcept {
      return {static_cast<Role>(tag >> 60), static_cast<std::size_t>(tag >> 32 & 0xfff'ffff),
              static_cast<std::uint32_t>(tag)};
    }
  };

  std::size_t number_, loops_;
  std::size_t descriptors_;  ///< that the process may have
  Io io_;
  Transfers transfers_;
  Journal& journal_;
  Board& board_;
  Descriptor epoll_, woken_;
  Descriptor spare_;  ///< given up to refuse a client when there is no other
  std::deque<Side> sides_;
  Time now_{}, published_{};
  bool unpublished_ = false;  ///< something may have been counted since
  bool draining_ = false;
  bool bulk_ = false;  ///< this tick moves more than requests
  int looks_ = 0;      ///< for what has arrived, since it drains
  Time drained_at_{};
  std::atomic<std::int64_t> drain_ms_{-1};
  std::atomic<std::uint64_t> answered_{0};
  std::mutex posted_mutex_;
  std::vector<Pool> posted_;
};

}  // namespace arcwise::router
