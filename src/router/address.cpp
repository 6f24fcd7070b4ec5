#include "router/address.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace arcwise::router {
namespace {

/// What names were found to be; none: nothing.
class KnownNames {
 public:
  void put(const std::string& name, const std::optional<Address>& found) {
    const std::lock_guard lock(mutex_);
    auto& known = names_[name];
    if (found) known = found;
  }
  std::optional<Address> get(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    const auto found = names_.find(name);
    return found == names_.end() ? std::nullopt : found->second;
  }
  std::vector<std::string> all() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> out;
    for (const auto& [name, address] : names_) out.push_back(name);
    return out;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::optional<Address>> names_;
};

KnownNames& known_names() {
  static KnownNames names;
  return names;
}

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

Result<Address> resolve(const std::string& address, bool may_wait) {
  if (address.starts_with('/')) return unix_address(address);
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos) return address_error(address, "no port: write host:port");
  std::string host = address.substr(0, colon);
  const std::string port = address.substr(colon + 1);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  Found found = ask(host, port, AI_NUMERICHOST);
  if (found.address) return *found.address;
  if (may_wait) {
    found = ask(host, port, 0);
    known_names().put(address, found.address);
    if (!found.address) return address_error(address, gai_strerror(found.error));
  } else {
    found.address = known_names().get(address);
  }
  if (!found.address) return address_error(address, "no host of this name was found");
  return *found.address;
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

Result<Address> look_up(const std::string& address) {
  return resolve(address, true);
}

Result<Address> known_address(const std::string& address) {
  return resolve(address, false);
}

void look_up_again() {
  for (const std::string& address : known_names().all()) (void)resolve(address, true).ok();
}

}  // namespace arcwise::router
