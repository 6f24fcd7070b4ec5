// How clients come, are refused, and are let go at the end.
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "router/loop.hpp"

namespace arcwise::router {

namespace {
constexpr milliseconds tell_again_after{1000}, deaf_for{100};
constexpr std::size_t at_once = 64;
}  // namespace

// False: no more are waiting.
bool Loop::accept_clients(std::size_t at) {
  Side& side = sides_[at];
  const Pool& pool = side.proxy.pool();
  for (std::size_t i = 0; i < at_once; ++i) {
    if (!side.listener || side.deaf_until != Time{}) return false;
    Descriptor fd = accept_from(side.listener, pool.listening);
    if (!fd) {
      if ((errno == EMFILE || errno == ENFILE) && out_of_descriptors(at)) continue;
      return false;
    }
    if (side.connected->fetch_add(1, std::memory_order_relaxed) >= pool.limits.clients) {
      side.connected->fetch_sub(1, std::memory_order_relaxed);
      refuse(at, fd, "max number of clients reached");
      continue;
    }
    if (is_servers(fd)) {
      side.connected->fetch_sub(1, std::memory_order_relaxed);
      refuse(at, fd, "no file descriptor is left");
      continue;
    }
    const auto id = side.proxy.add_client();
    if (side.clients.size() <= id) side.clients.resize(id + 1);
    side.clients[id] = {std::move(fd), false, true};
    add_to_epoll(side.clients[id].fd, tag(Role::client, at, id), EPOLLIN);
  }
  return true;
}

// The last descriptors are for servers, which may have none at the moment: a client that had one of them
// would keep all others from a server that is back. The lowest that is free is given to whoever comes, so
// that a high number tells that few are left.
bool Loop::is_servers(const Descriptor& fd) const noexcept {
  constexpr std::size_t others = 16;  // files that are read, the admin address, names that are asked for
  std::size_t servers = 0;
  for (const Side& side : sides_) servers += side.proxy.servers_at_most();
  const std::size_t kept = std::min(servers * loops_ + others, descriptors_ / 2);
  return static_cast<std::size_t>(fd.get()) + kept >= descriptors_;
}

// The listener would go on telling of the client that cannot be taken. It is taken by the descriptor that is
// kept for this, and refused. False: not even that is left, so that the listener is not heard for a while.
bool Loop::out_of_descriptors(std::size_t at) {
  Side& side = sides_[at];
  if (spare_) {
    spare_ = Descriptor();
    const Descriptor client = accept_from(side.listener, side.proxy.pool().listening);
    if (client) refuse(at, client, "no file descriptor is left");
  }
  spare_ = Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (spare_) return true;
  side.deaf_until = now_ + deaf_for;
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, side.listener.get(), nullptr);
  return false;
}

void Loop::listen_again() {
  for (std::size_t at = 0; at < sides_.size(); ++at) {
    Side& side = sides_[at];
    if (side.deaf_until == Time{} || now_ < side.deaf_until || !side.listener) continue;
    if (!spare_) spare_ = Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC));
    side.deaf_until = spare_ ? Time{} : now_ + deaf_for;
    if (!spare_) continue;
    add_to_epoll(side.listener, tag(Role::listener, at, 0), EPOLLIN | EPOLLEXCLUSIVE);
  }
}

void Loop::refuse(std::size_t at, const Descriptor& client, const char* why) {
  Side& side = sides_[at];
  const Pool& pool = side.proxy.pool();
  side.proxy.refused_client();
  const std::string text =
      std::string(pool.protocol == Protocol::redis ? "-ERR " : "SERVER_ERROR ") + why + "\r\n";
  (void)::send(client.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (now_ - side.refusal_told < tell_again_after) return;
  side.refusal_told = now_;
  journal_.add({0, {}, Severity::alarm, "client_refused", pool.name, {}, why, number_});
}

void Loop::begin_drain() {
  draining_ = true;
  drained_at_ = now_ + milliseconds(drain_ms_.load(std::memory_order_relaxed));
  for (std::size_t at = 0; at < sides_.size(); ++at) {
    // Those that were there before, which are no more than may wait.
    for (std::size_t i = 0; i <= sides_[at].proxy.pool().listening.backlog && accept_clients(at);
         i += at_once) {
    }
    // Another loop may go on to hold what this descriptor stands for, and epoll would go on telling of it.
    epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, sides_[at].listener.get(), nullptr);
    sides_[at].listener = Descriptor();
    sides_[at].deaf_until = {};
  }
}

bool Loop::drain_on() {
  // What has arrived by now is under way: it is read before a client can be taken for idle.
  if (looks_++ == 0) return false;
  bool done = true;
  for (std::size_t at = 0; at < sides_.size(); ++at) {
    Side& side = sides_[at];
    for (std::uint32_t id = 0; id < side.clients.size(); ++id) {
      if (!side.clients[id].fd) continue;
      if (side.proxy.idle(id))
        close_client(at, id);
      else
        done = false;
    }
    done &= side.proxy.quiet();
  }
  return done || now_ >= drained_at_;
}

}  // namespace arcwise::router
