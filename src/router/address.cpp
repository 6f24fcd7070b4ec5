#include "router/address.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <cstring>
#include <memory>
#include <optional>

namespace arcwise::router {
namespace {

Result<Address> unix_address(const std::string& path) {
  Address out;
  sockaddr_un local{};
  local.sun_family = AF_UNIX;
  if (path.size() >= sizeof local.sun_path)
    return address_error(path, "the path is too long for a unix socket");
  std::memcpy(local.sun_path, path.c_str(), path.size() + 1);
  std::memcpy(&out.bytes, &local, sizeof local);
  out.size = sizeof local;
  return out;
}

struct Found {
  std::optional<Address> address;
  int error = 0;
};

// `flags`: AI_NUMERICHOST does not wait.
Found ask(const std::string& host, const std::string& port, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | flags;
  addrinfo* all = nullptr;
  Found out;
  out.error = getaddrinfo(host.empty() ? nullptr : host.c_str(), port.c_str(), &hints, &all);
  if (out.error) return out;
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(all, freeaddrinfo);
  Address address;
  std::memcpy(&address.bytes, all->ai_addr, all->ai_addrlen);
  address.size = all->ai_addrlen;
  out.address = address;
  return out;
}

struct Place {
  std::string host, port;
};

Result<Place> place_of(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos) return address_error(address, "no port: write host:port");
  Place out{address.substr(0, colon), address.substr(colon + 1)};
  std::string& host = out.host;
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  return out;
}

}  // namespace

std::string text_of(const sockaddr& address) {
  if (address.sa_family == AF_UNIX) return reinterpret_cast<const sockaddr_un&>(address).sun_path;
  const bool six = address.sa_family == AF_INET6;
  char host[NI_MAXHOST], port[NI_MAXSERV];
  if (getnameinfo(&address, six ? sizeof(sockaddr_in6) : sizeof(sockaddr_in), host, sizeof host, port,
                  sizeof port, NI_NUMERICHOST | NI_NUMERICSERV))
    return "?";
  return (six ? "[" + std::string(host) + "]" : std::string(host)) + ":" + port;
}

Error address_error(const std::string& address, const std::string& why) {
  return Error{ErrorKind::io, {}, address, why, "check the address, and who else uses it"};
}

Result<std::optional<Address>> without_asking(const std::string& address) {
  if (address.starts_with('/')) {
    const auto local = unix_address(address);
    if (!local) return local.error();
    return std::optional<Address>(*local);
  }
  const auto place = place_of(address);
  if (!place) return place.error();
  return ask(place->host, place->port, AI_NUMERICHOST).address;
}

Result<Address> look_up(const std::string& address) {
  const auto plain = without_asking(address);
  if (!plain) return plain.error();
  if (plain->has_value()) return **plain;
  const auto place = place_of(address);
  if (!place) return place.error();
  const Found found = ask(place->host, place->port, 0);
  if (!found.address) return address_error(address, gai_strerror(found.error));
  return *found.address;
}

}  // namespace arcwise::router
