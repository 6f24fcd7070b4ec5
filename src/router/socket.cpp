#include "router/socket.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "router/address.hpp"
#include "router/known_hosts.hpp"

namespace arcwise::router {
namespace {

Descriptor open_for(const Address& address) {
  Descriptor fd(socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int yes = 1;
  if (address.family() != AF_UNIX) setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return fd;
}

// A host that is gone says nothing. A stopped process on one that is there still has a kernel that answers.
void notice_death(const Descriptor& fd) {
  const auto set = [&](int level, int name, int value) {
    setsockopt(fd.get(), level, name, &value, sizeof value);
  };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 10);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set(IPPROTO_TCP, TCP_KEEPCNT, 4);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, 30'000);
}

Result<Descriptor> bound(const std::string& name, const Address& where, bool share, unsigned backlog) {
  Descriptor fd = open_for(where);
  const int yes = 1;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (share) setsockopt(fd.get(), SOL_SOCKET, SO_REUSEPORT, &yes, sizeof yes);
  if (!fd || bind(fd.get(), where.get(), where.size) || listen(fd.get(), static_cast<int>(backlog)))
    return address_error(name, std::string("cannot listen: ") + std::strerror(errno));
  return fd;
}

Result<std::vector<Descriptor>> share_port(const std::string& name, const Address& where,
                                           const Listening& how, std::size_t many) {
  std::vector<Descriptor> all;
  while (all.size() < many) {
    // Port 0 is chosen once.
    const auto at = all.empty() ? Result<Address>(where) : look_up(address_of(all.front()));
    if (!at) return at.error();
    auto fd = bound(name, *at, true, how.backlog);
    if (!fd) return fd.error();
    all.push_back(std::move(*fd));
  }
  return all;
}

// What a process that was killed has left behind is removed; what another one listens on is not.
std::optional<Error> clear_path(const std::string& path, const Address& where) {
  struct stat seen{};
  if (lstat(path.c_str(), &seen)) return std::nullopt;
  if (!S_ISSOCK(seen.st_mode)) return address_error(path, "cannot listen: a file that is no socket is there");
  const Descriptor probe = open_for(where);
  if (connect(probe.get(), where.get(), where.size) == 0 || errno == EAGAIN)
    return address_error(path, "cannot listen: another process listens there");
  unlink(path.c_str());
  return std::nullopt;
}

// Loops share one socket, each by a descriptor of its own.
Result<std::vector<Descriptor>> listen_on_path(const std::string& address, const Listening& how,
                                               std::size_t many) {
  const auto listener = unix_listener(address);
  if (!listener) return listener.error();
  const std::string& path = listener->path;
  const auto where = look_up(path);
  if (!where) return where.error();
  if (auto error = clear_path(path, *where)) return *error;
  auto fd = bound(path, *where, false, how.backlog);
  if (!fd) return fd.error();
  if (listener->mode && chmod(path.c_str(), *listener->mode))
    return address_error(address, std::string("cannot set the permissions: ") + std::strerror(errno));
  std::vector<Descriptor> all;
  while (all.size() + 1 < many) all.emplace_back(fcntl(fd->get(), F_DUPFD_CLOEXEC, 0));
  all.push_back(std::move(*fd));
  return all;
}

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) close(fd_);
}

Result<UnixListener> unix_listener(const std::string& listen) {
  UnixListener out{unix_path(listen), {}};
  if (out.path.size() == listen.size()) return out;
  const char* end = listen.data() + listen.size();
  unsigned mode = 0;
  const auto [read, error] = std::from_chars(listen.data() + out.path.size() + 1, end, mode, 8);
  const auto wrong = [&](const char* why) {
    return Error{ErrorKind::input, {}, listen, why, "write for example " + out.path + " 0660"};
  };
  if (error != std::errc() || read != end || mode > 0777)
    return wrong("what stands behind the path is no permission");
  if ((mode & 0222) == 0) return wrong("nobody could connect: that needs the right to write");
  out.mode = mode;
  return out;
}

bool may_be_bound(const Address& address) {
  Address any_port = address;
  if (address.family() == AF_INET) reinterpret_cast<sockaddr_in&>(any_port.bytes).sin_port = 0;
  if (address.family() == AF_INET6) reinterpret_cast<sockaddr_in6&>(any_port.bytes).sin6_port = 0;
  const Descriptor fd = open_for(any_port);
  return bind(fd.get(), any_port.get(), any_port.size) == 0 || errno != EADDRNOTAVAIL;
}

std::string unix_path(const std::string& listen) {
  return listen.starts_with('/') ? listen.substr(0, listen.rfind(' ')) : std::string();
}

Result<std::vector<Descriptor>> listen_on(const std::string& address, const Listening& how,
                                          std::size_t many) {
  if (address.starts_with('/')) return listen_on_path(address, how, many);
  const auto where = look_up(address);
  if (!where) return where.error();
  if (how.reuse_port) return share_port(address, *where, how, many);
  // Sockets that share a port do not notice those of another process that share it too. One that does not
  // share it does; it gives its address to those that do.
  std::vector<Descriptor> all(1);
  {
    auto first = bound(address, *where, false, how.backlog);
    if (!first) return first.error();
    all.front() = std::move(*first);
  }
  if (many == 1) return all;
  const auto got = look_up(address_of(all.front()));
  all.clear();
  if (!got) return got.error();
  return share_port(address, *got, how, many);
}

std::string address_of(const Descriptor& listener) {
  Address address;
  address.size = sizeof address.bytes;
  getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address.bytes), &address.size);
  return text_of(*address.get());
}

Result<Descriptor> connect_to(const std::string& address) {
  const auto where = known_hosts().find(address);
  if (!where) return where.error();
  Descriptor fd = open_for(*where);
  if (!fd) return address_error(address, std::strerror(errno));
  if (where->family() != AF_UNIX) notice_death(fd);
  if (connect(fd.get(), where->get(), where->size) && errno != EINPROGRESS)
    return address_error(address, std::strerror(errno));
  return fd;
}

Descriptor accept_from(const Descriptor& listener, const Listening& how) {
  Descriptor fd(accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  const int yes = 1;
  if (!fd) return fd;
  setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (how.keepalive) setsockopt(fd.get(), SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
  return fd;
}

std::string connection_error(const Descriptor& connection) {
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(connection.get(), SOL_SOCKET, SO_ERROR, &error, &size)) error = errno;
  return error ? std::strerror(error) : "";
}

std::uint64_t raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit)) return 1024;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

}  // namespace arcwise::router
