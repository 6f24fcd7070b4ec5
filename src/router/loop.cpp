#include "router/loop.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>

namespace arcwise::router {
namespace {

constexpr milliseconds publish_every{200}, publish_idle{1000};
constexpr int few_events = 16;
constexpr std::size_t many_bytes = std::size_t{32} << 10;
// A large value comes in by few ticks. Of clients there are many, and what each may bring in a tick is
// little.
constexpr std::size_t most_of_server = std::size_t{1} << 20;

Time clock_now() noexcept {
  return std::chrono::duration_cast<Time>(std::chrono::steady_clock::now().time_since_epoch());
}

bool has_arrived(std::uint32_t events) noexcept {
  return (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0;
}

}  // namespace

Loop::Loop(std::size_t number, std::size_t loops, Io io, Journal& journal, Board& board)
    : number_(number),
      loops_(loops),
      descriptors_(raise_descriptor_limit()),
      io_(io),
      journal_(journal),
      board_(board),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      woken_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      spare_(open("/dev/null", O_RDONLY | O_CLOEXEC)),
      now_(clock_now()) {
  add_to_epoll(woken_, tag(Role::other_thread, 0, 0), EPOLLIN);
}

void Loop::add(Pool pool, Descriptor listener, ClientCount clients) {
  sides_.emplace_back(std::move(pool), std::move(listener), std::move(clients));
  tell_wall_time();
  // Exclusive: of the loops that share a unix socket one wakes up for a client.
  add_to_epoll(sides_.back().listener, tag(Role::listener, sides_.size() - 1, 0), EPOLLIN | EPOLLEXCLUSIVE);
}

// Now and then, for it may be set.
void Loop::tell_wall_time() {
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  const std::int64_t offset = std::chrono::duration_cast<std::chrono::seconds>(wall - now_).count();
  for (Side& side : sides_) side.proxy.set_wall(offset);
}

void Loop::add_to_epoll(const Descriptor& fd, std::uint64_t tag, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = tag;
  epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd.get(), &event);
}

void Loop::wake() {
  const std::uint64_t one = 1;
  (void)!write(woken_.get(), &one, sizeof one);
}

void Loop::post(Pool pool) {
  {
    const std::lock_guard lock(posted_mutex_);
    posted_.push_back(std::move(pool));
  }
  wake();
}

void Loop::drain(milliseconds at_most) {
  drain_ms_.store(at_most.count(), std::memory_order_relaxed);
  wake();
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

void Loop::report(bool busy) {
  unpublished_ |= busy;
  for (Side& side : sides_) board_.add_slow(side.proxy.take_slow());
  for (Side& side : sides_)
    for (Event& event : side.proxy.take_events()) {
      event.loop = number_;
      journal_.add(std::move(event));
    }
  if (now_ - published_ < (unpublished_ ? publish_every : publish_idle)) return;
  published_ = now_;
  unpublished_ = false;
  tell_wall_time();
  std::vector<PoolStats> stats;
  for (const Side& side : sides_) stats.push_back(side.proxy.stats(now_));
  board_.publish(number_, stats);
}

// Milliseconds until there is something to do by itself, rounded up so that it is due then.
int Loop::patience() const {
  if (looks_ == 1) return 0;
  for (const Side& side : sides_)
    if (!side.held.empty() || !side.due.empty()) return 0;
  Time until = published_ + (unpublished_ ? publish_every : publish_idle);
  if (draining_) until = std::min(until, drained_at_);
  for (const Side& side : sides_) {
    until = std::min(until, side.proxy.deadline(now_));
    if (side.deaf_until != Time{}) until = std::min(until, side.deaf_until);
  }
  if (until <= now_) return 0;
  return static_cast<int>((until - now_ + Time(999)) / milliseconds(1));
}

void Loop::run() {
  transfers_.open(io_);
  std::array<epoll_event, 512> events;
  while (!draining_ || !drain_on()) {
    const int count = epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), patience());
    now_ = clock_now();
    const auto told = std::span(events).first(static_cast<std::size_t>(std::max(count, 0)));
    for (const epoll_event& e : told) ask_for_bytes(e.data.u64, e.events);
    std::span<const Transfer> received = transfers_.run();
    bulk_ = std::any_of(received.begin(), received.end(),
                        [](const Transfer& t) { return t.buffer->size() >= many_bytes; });
    for (const epoll_event& e : told) {
      const bool has_bytes = !received.empty() && received.front().what == e.data.u64;
      handle(e.data.u64, e.events, has_bytes ? &received.front() : nullptr);
      if (has_bytes) received = received.subspan(1);
    }
    for (std::size_t side = 0; side < sides_.size(); ++side) {
      sides_[side].proxy.tick(now_);
      settle(side);
      send_held(side);
      settle(side);
    }
    listen_again();
    report(count > 0);
    // What a tick costs by itself is shared by its requests: where clients or servers wait for this
    // processor, they bring more for the next one. Where nobody waits, this returns at once. Not where large
    // values pass, which take many ticks: each would wait for its turn.
    if (count > 0 && count < few_events && !bulk_) sched_yield();
  }
}

// Before any event is handled, so that the bytes of all sockets come in together.
void Loop::ask_for_bytes(std::uint64_t tag, std::uint32_t events) {
  if (!has_arrived(events)) return;
  const auto [role, at, id] = Tag::of(tag);
  Side& side = sides_[at];
  if (role == Role::client && side.clients[id].fd && side.proxy.wants_bytes(id))
    transfers_.receive(side.clients[id].fd.get(), side.proxy.client_in(id), tag);
  if (role == Role::server && side.servers[id].fd && side.proxy.state(id) != Proxy::State::connecting)
    transfers_.receive(side.servers[id].fd.get(), side.proxy.server_in(id), tag, most_of_server);
}

void Loop::handle(std::uint64_t tag, std::uint32_t events, const Transfer* received) {
  const auto [role, side, id] = Tag::of(tag);
  switch (role) {
    case Role::listener:
      accept_clients(side);
      return;
    case Role::client:
      return client_event(side, id, events, received);
    case Role::server:
      return server_event(side, id, events, received);
    case Role::other_thread: {
      std::uint64_t times = 0;
      (void)!read(woken_.get(), &times, sizeof times);
      adopt_posted();
      if (!draining_ && drain_ms_.load(std::memory_order_relaxed) >= 0) begin_drain();
      answered_.fetch_add(1, std::memory_order_relaxed);
    }
  }
}

void Loop::client_event(std::size_t at, std::uint32_t id, std::uint32_t events, const Transfer* received) {
  Side& side = sides_[at];
  Socket& socket = side.clients[id];
  if (!socket.fd) return;
  if (received || (has_arrived(events) && side.proxy.wants_bytes(id))) {
    const Transfer got = received ? *received : receive_now(socket.fd.get(), side.proxy.client_in(id));
    if (got.moved == Moved::closed)
      side.proxy.hang_up(id, now_);
    else
      side.proxy.serve(id, now_);
  } else if (events & (EPOLLHUP | EPOLLERR)) {
    return close_client(at, id);
  }
  if (events & EPOLLOUT) sent_to_client(at, id, send_now(socket.fd.get(), side.proxy.client_out(id)));
  // What cannot be taken now would be told without end.
  if (socket.fd && !side.proxy.wants_bytes(id))
    watch(socket, tag(Role::client, at, id), false, socket.writable_wanted);
}

void Loop::server_event(std::size_t at, Proxy::ServerId n, std::uint32_t events, const Transfer* received) {
  Side& side = sides_[at];
  Socket& socket = side.servers[n];
  if (!socket.fd) return;
  if (side.proxy.state(n) == Proxy::State::connecting) {
    const std::string why = connection_error(socket.fd);
    if (!why.empty()) return close_server(at, n, why);
    side.proxy.connected(n, now_);
  }
  if (has_arrived(events)) {
    const Transfer got =
        received ? *received : receive_now(socket.fd.get(), side.proxy.server_in(n), most_of_server);
    if (!side.proxy.answered(n, now_)) return close_server(at, n, "it broke the protocol");
    if (got.moved == Moved::closed) return close_server(at, n, "it closed the connection");
  }
  if (events & EPOLLOUT) sent_to_server(at, n, send_now(socket.fd.get(), side.proxy.server_out(n)));
}

// Sending may lose a server, which answers clients, whose next requests go to servers: until nothing is left.
void Loop::settle(std::size_t at) {
  Proxy& proxy = sides_[at].proxy;
  while (proxy.has_wishes()) {
    proxy.each_to_disconnect([&](Proxy::ServerId n, std::string_view why) { close_server(at, n, why); });
    proxy.each_client_to_send([&](std::uint32_t id) {
      Socket& socket = sides_[at].clients[id];
      if (!socket.fd) return;
      if (!proxy.has_more_to_hear(id)) {
        socket.held = false;
        transfers_.send(socket.fd.get(), proxy.client_out(id), id);
      } else if (!std::exchange(socket.held, true)) {
        sides_[at].held.push_back(id);
      }
    });
    for (const Transfer& sent : transfers_.run())
      sent_to_client(at, static_cast<std::uint32_t>(sent.what), sent);
    proxy.each_to_connect([&](Proxy::ServerId n) { connect(at, n); });
    proxy.each_server_to_send([&](Proxy::ServerId n) {
      if (can_send(at, n)) transfers_.send(sides_[at].servers[n].fd.get(), proxy.server_out(n), n);
    });
    for (const Transfer& sent : transfers_.run())
      sent_to_server(at, static_cast<Proxy::ServerId>(sent.what), sent);
  }
}

// Requests that were sent together and go to several servers are answered in several ticks. Who waits for
// more is told one tick later, at once with what that has brought: one send, and one waking of the client,
// for a few.
void Loop::send_held(std::size_t at) {
  Side& side = sides_[at];
  for (const std::uint32_t id : side.due)
    if (side.clients[id].fd && std::exchange(side.clients[id].held, false))
      transfers_.send(side.clients[id].fd.get(), side.proxy.client_out(id), id);
  for (const Transfer& sent : transfers_.run())
    sent_to_client(at, static_cast<std::uint32_t>(sent.what), sent);
  side.due.clear();
  side.due.swap(side.held);
}

void Loop::connect(std::size_t at, Proxy::ServerId n) {
  Side& side = sides_[at];
  auto fd = connect_to(side.proxy.address(n));
  if (!fd) return side.proxy.lost(n, fd.error().why, now_);
  if (side.servers.size() <= n) side.servers.resize(n + 1);
  side.servers[n] = {std::move(*fd), true, true};
  add_to_epoll(side.servers[n].fd, tag(Role::server, at, n), EPOLLIN | EPOLLOUT);
}

void Loop::sent_to_client(std::size_t at, std::uint32_t id, const Transfer& sent) {
  Side& side = sides_[at];
  Socket& socket = side.clients[id];
  if (!socket.fd) return;
  if (sent.moved == Moved::closed) return close_client(at, id);
  bulk_ |= sent.moved == Moved::some;
  if (sent.moved == Moved::all && side.proxy.finished(id)) return close_client(at, id);
  if (side.proxy.waits_for_service(id)) side.proxy.serve(id, now_);
  watch(socket, tag(Role::client, at, id), side.proxy.wants_bytes(id), sent.moved == Moved::some);
}

bool Loop::can_send(std::size_t at, Proxy::ServerId n) const noexcept {
  const Side& side = sides_[at];
  return n < side.servers.size() && side.servers[n].fd && side.proxy.state(n) != Proxy::State::connecting;
}

void Loop::sent_to_server(std::size_t at, Proxy::ServerId n, const Transfer& sent) {
  if (!can_send(at, n)) return;
  if (sent.moved == Moved::closed) return close_server(at, n, std::strerror(sent.error));
  bulk_ |= sent.moved == Moved::some;
  watch(sides_[at].servers[n], tag(Role::server, at, n), true, sent.moved == Moved::some);
}

void Loop::close_client(std::size_t at, std::uint32_t id) {
  Socket& socket = sides_[at].clients[id];
  if (socket.fd) sides_[at].connected->fetch_sub(1, std::memory_order_relaxed);
  socket.fd = Descriptor();
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
