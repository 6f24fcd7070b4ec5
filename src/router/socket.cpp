#include "router/socket.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace arcwise::router {
namespace {

Error io_error(const std::string& address, const std::string& why) {
  return Error{ErrorKind::io, {}, address, why, "check the address, and who else uses it"};
}

/// An address as the kernel takes it.
struct Address {
  sockaddr_storage bytes{};
  socklen_t size = 0;
  int family() const noexcept { return bytes.ss_family; }
  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&bytes); }
};

Result<Address> unix_address(const std::string& path) {
  Address out;
  sockaddr_un local{};
  local.sun_family = AF_UNIX;
  if (path.size() >= sizeof local.sun_path) return io_error(path, "the path is too long for a unix socket");
  std::memcpy(local.sun_path, path.c_str(), path.size() + 1);
  std::memcpy(&out.bytes, &local, sizeof local);
  out.size = sizeof local;
  return out;
}

Result<Address> resolve(const std::string& address) {
  if (address.starts_with('/')) return unix_address(address);
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos) return io_error(address, "no port: write host:port");
  std::string host = address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int failed =
      getaddrinfo(host.empty() ? nullptr : host.c_str(), address.c_str() + colon + 1, &hints, &found);
  if (failed) return io_error(address, gai_strerror(failed));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, freeaddrinfo);
  Address out;
  std::memcpy(&out.bytes, found->ai_addr, found->ai_addrlen);
  out.size = found->ai_addrlen;
  return out;
}

Descriptor open_for(const Address& address) {
  Descriptor fd(socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int yes = 1;
  if (address.family() != AF_UNIX) setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return fd;
}

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) close(fd_);
}

Result<Descriptor> listen_on(const std::string& address) {
  const auto where = resolve(address);
  if (!where) return where.error();
  Descriptor fd = open_for(*where);
  const int yes = 1;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (where->family() == AF_UNIX) unlink(address.c_str());
  if (!fd || bind(fd.get(), where->get(), where->size) || listen(fd.get(), 1024))
    return io_error(address, std::string("cannot listen: ") + std::strerror(errno));
  return fd;
}

std::string address_of(const Descriptor& listener) {
  Address address;
  address.size = sizeof address.bytes;
  getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address.bytes), &address.size);
  if (address.family() == AF_UNIX) return reinterpret_cast<const sockaddr_un*>(&address.bytes)->sun_path;
  char host[NI_MAXHOST], port[NI_MAXSERV];
  if (getnameinfo(address.get(), address.size, host, sizeof host, port, sizeof port,
                  NI_NUMERICHOST | NI_NUMERICSERV))
    return "?";
  return (address.family() == AF_INET6 ? "[" + std::string(host) + "]" : std::string(host)) + ":" + port;
}

Result<Descriptor> connect_to(const std::string& address) {
  const auto where = resolve(address);
  if (!where) return where.error();
  Descriptor fd = open_for(*where);
  if (!fd || (connect(fd.get(), where->get(), where->size) && errno != EINPROGRESS))
    return io_error(address, std::strerror(errno));
  return fd;
}

Descriptor accept_from(const Descriptor& listener) {
  Descriptor fd(accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  const int yes = 1;
  if (fd) setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return fd;
}

std::string connection_error(const Descriptor& connection) {
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(connection.get(), SOL_SOCKET, SO_ERROR, &error, &size)) error = errno;
  return error ? std::strerror(error) : "";
}

}  // namespace arcwise::router
