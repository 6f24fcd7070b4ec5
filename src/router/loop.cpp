#include "router/loop.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace arcwise::router {
namespace {

constexpr std::size_t read_size = std::size_t{64} << 10;
constexpr int tick_ms = 20;
constexpr milliseconds publish_every{200};

Time clock_now() noexcept {
  return std::chrono::duration_cast<Time>(std::chrono::steady_clock::now().time_since_epoch());
}

/// What became of a buffer's bytes, or of those a socket had.
enum class Moved : std::uint8_t { all, some, closed };

Moved send_all(int fd, Buffer& buffer) {
  while (!buffer.empty()) {
    const ssize_t sent = ::send(fd, buffer.view().data(), buffer.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return errno == EAGAIN ? Moved::some : Moved::closed;
    buffer.consume(static_cast<std::size_t>(sent));
  }
  return Moved::all;
}

Moved receive(int fd, Buffer& buffer) {
  for (;;) {
    const ssize_t got = ::recv(fd, buffer.space(read_size), read_size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno == EAGAIN ? Moved::some : Moved::closed;
    if (got == 0) return Moved::closed;
    buffer.commit(static_cast<std::size_t>(got));
    return Moved::some;
  }
}

}  // namespace

Loop::Loop(std::size_t number, Journal& journal, Board& board)
    : number_(number),
      journal_(journal),
      board_(board),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      now_(clock_now()) {}

Result<std::string> Loop::add(Pool pool) {
  auto listener = listen_on(pool.listen);
  if (!listener) return listener.error();
  const std::string address = address_of(*listener);
  sides_.emplace_back(std::move(pool));
  sides_.back().listener = std::move(*listener);
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  sides_.back().proxy.set_wall(std::chrono::duration_cast<std::chrono::seconds>(wall - now_).count());
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = tag(Role::listener, sides_.size() - 1, 0);
  epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, sides_.back().listener.get(), &event);
  return address;
}

void Loop::post(Pool pool) {
  const std::lock_guard lock(posted_mutex_);
  posted_.push_back(std::move(pool));
}

void Loop::adopt_posted() {
  std::vector<Pool> posted;
  {
    const std::lock_guard lock(posted_mutex_);
    posted.swap(posted_);
  }
  for (Pool& pool : posted)
    for (Side& side : sides_)
      if (side.proxy.pool().name == pool.name) {
        side.proxy.adopt(std::move(pool));
        break;
      }
}

void Loop::report() {
  for (Side& side : sides_)
    for (Event& event : side.proxy.take_events()) journal_.add(std::move(event));
  if (now_ - published_ < publish_every) return;
  published_ = now_;
  std::vector<PoolStats> stats;
  for (const Side& side : sides_) stats.push_back(side.proxy.stats(now_));
  board_.publish(number_, stats);
}

void Loop::run(const std::atomic<bool>& stop, milliseconds drain) {
  std::array<epoll_event, 512> events;
  bool draining = false;
  Time deadline{};
  for (;;) {
    const int count = epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), tick_ms);
    now_ = clock_now();
    for (const epoll_event* e = events.data(); e < events.data() + count; ++e) handle(e->data.u64, e->events);
    adopt_posted();
    bool quiet = true;
    for (std::size_t side = 0; side < sides_.size(); ++side) {
      sides_[side].proxy.tick(now_);
      settle(side);
      quiet &= sides_[side].proxy.quiet();
    }
    report();
    if (stop.load(std::memory_order_relaxed) && !draining) {
      draining = true;
      deadline = now_ + drain;
      for (Side& side : sides_) side.listener = Descriptor();
    }
    if (draining && (quiet || now_ >= deadline)) return;
  }
}

void Loop::handle(std::uint64_t tag, std::uint32_t events) {
  const auto side = static_cast<std::size_t>(tag >> 32 & 0xfff'ffff);
  const auto id = static_cast<std::uint32_t>(tag);
  switch (static_cast<Role>(tag >> 60)) {
    case Role::listener:
      return accept_clients(side);
    case Role::client:
      return client_event(side, id, events);
    case Role::server:
      return server_event(side, id, events);
  }
}

void Loop::accept_clients(std::size_t at) {
  Side& side = sides_[at];
  for (int i = 0; i < 64 && side.listener; ++i) {
    Descriptor fd = accept_from(side.listener);
    if (!fd) return;
    if (side.proxy.clients() >= side.proxy.pool().limits.clients) continue;
    const auto id = side.proxy.add_client();
    if (side.clients.size() <= id) side.clients.resize(id + 1);
    side.clients[id] = {std::move(fd), false, true};
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = tag(Role::client, at, id);
    epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, side.clients[id].fd.get(), &event);
  }
}

void Loop::client_event(std::size_t at, std::uint32_t id, std::uint32_t events) {
  Side& side = sides_[at];
  Socket& socket = side.clients[id];
  if (!socket.fd) return;
  if (events & (EPOLLIN | EPOLLHUP | EPOLLERR) && side.proxy.wants_bytes(id)) {
    if (receive(socket.fd.get(), side.proxy.client_in(id)) == Moved::closed)
      side.proxy.hang_up(id, now_);
    else
      side.proxy.serve(id, now_);
  } else if (events & (EPOLLHUP | EPOLLERR)) {
    return close_client(at, id);
  }
  if (events & EPOLLOUT) send_to_client(at, id);
}

void Loop::server_event(std::size_t at, Proxy::ServerId n, std::uint32_t events) {
  Side& side = sides_[at];
  Socket& socket = side.servers[n];
  if (!socket.fd) return;
  if (side.proxy.state(n) == Proxy::State::connecting) {
    const std::string why = connection_error(socket.fd);
    if (!why.empty()) return close_server(at, n, why);
    side.proxy.connected(n, now_);
  }
  if (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) {
    const Moved moved = receive(socket.fd.get(), side.proxy.server_in(n));
    if (!side.proxy.answered(n, now_)) return close_server(at, n, "it broke the protocol");
    if (moved == Moved::closed) return close_server(at, n, "it closed the connection");
  }
  if (events & EPOLLOUT) send_to_server(at, n);
}

// Sending may lose a server, which answers clients, whose next requests go to servers: until nothing is left.
void Loop::settle(std::size_t at) {
  Proxy& proxy = sides_[at].proxy;
  proxy.each_to_disconnect([&](Proxy::ServerId n) { close_server(at, n, "it was given up"); });
  proxy.each_client_to_send([&](std::uint32_t id) { send_to_client(at, id); });
  proxy.each_to_connect([&](Proxy::ServerId n) { connect(at, n); });
  proxy.each_server_to_send([&](Proxy::ServerId n) { send_to_server(at, n); });
  proxy.each_client_to_send([&](std::uint32_t id) { send_to_client(at, id); });
}

void Loop::connect(std::size_t at, Proxy::ServerId n) {
  Side& side = sides_[at];
  auto fd = connect_to(side.proxy.address(n));
  if (!fd) return side.proxy.lost(n, fd.error().why, now_);
  if (side.servers.size() <= n) side.servers.resize(n + 1);
  side.servers[n] = {std::move(*fd), true, true};
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT;
  event.data.u64 = tag(Role::server, at, n);
  epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, side.servers[n].fd.get(), &event);
}

void Loop::send_to_client(std::size_t at, std::uint32_t id) {
  Side& side = sides_[at];
  Socket& socket = side.clients[id];
  if (!socket.fd) return;
  const Moved moved = send_all(socket.fd.get(), side.proxy.client_out(id));
  if (moved == Moved::closed) return close_client(at, id);
  if (moved == Moved::all && side.proxy.finished(id)) return close_client(at, id);
  if (side.proxy.waits_for_service(id)) side.proxy.serve(id, now_);
  watch(socket, tag(Role::client, at, id), side.proxy.wants_bytes(id), moved == Moved::some);
}

void Loop::send_to_server(std::size_t at, Proxy::ServerId n) {
  Side& side = sides_[at];
  if (side.servers.size() <= n) return;
  Socket& socket = side.servers[n];
  if (!socket.fd || side.proxy.state(n) == Proxy::State::connecting) return;
  const Moved moved = send_all(socket.fd.get(), side.proxy.server_out(n));
  if (moved == Moved::closed) return close_server(at, n, std::strerror(errno));
  watch(socket, tag(Role::server, at, n), true, moved == Moved::some);
}

void Loop::close_client(std::size_t at, std::uint32_t id) {
  sides_[at].clients[id].fd = Descriptor();
  sides_[at].proxy.drop_client(id);
}

void Loop::close_server(std::size_t at, Proxy::ServerId n, std::string_view why) {
  if (n < sides_[at].servers.size()) sides_[at].servers[n].fd = Descriptor();
  sides_[at].proxy.lost(n, why, now_);
}

void Loop::watch(Socket& socket, std::uint64_t tag, bool readable, bool writable) {
  if (socket.readable_wanted == readable && socket.writable_wanted == writable) return;
  socket.readable_wanted = readable;
  socket.writable_wanted = writable;
  epoll_event event{};
  event.events = (readable ? EPOLLIN : 0u) | (writable ? EPOLLOUT : 0u);
  event.data.u64 = tag;
  epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, socket.fd.get(), &event);
}

}  // namespace arcwise::router
