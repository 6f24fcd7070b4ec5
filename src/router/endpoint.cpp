#include "router/endpoint.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <cctype>

#include "router/socket.hpp"

namespace arcwise::router {
namespace {

using Kind = Endpoint::Kind;

void take_v4(const in_addr& address, Endpoint& out) {
  char text[INET_ADDRSTRLEN] = "";
  inet_ntop(AF_INET, &address, text, sizeof text);
  out.kind = Kind::v4;
  out.host = text;
  out.every = out.host == "0.0.0.0";
  out.loopback = out.host.starts_with("127.");
}

void take_v6(const in6_addr& address, Endpoint& out) {
  if (IN6_IS_ADDR_V4MAPPED(&address)) {
    in_addr inside{};
    std::copy_n(address.s6_addr + 12, 4, reinterpret_cast<unsigned char*>(&inside));
    return take_v4(inside, out);
  }
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(AF_INET6, &address, text, sizeof text);
  out.kind = Kind::v6;
  out.host = text;
  out.every = out.host == "::";
  out.loopback = out.host == "::1";
}

// Sockets of `[::]` take IPv4 clients too.
bool covers(const Endpoint& wide, const Endpoint& other) {
  return wide.every && (wide.kind == Kind::v6 || other.kind != Kind::v6);
}

bool own_machine(const Endpoint& of) {
  return of.loopback || of.every || of.own;
}

}  // namespace

Endpoint endpoint_of(const std::string& address) {
  Endpoint out;
  if (address.starts_with('/')) {
    out.kind = Kind::path;
    out.host = unix_path(address);
    return out;
  }
  const std::size_t colon = std::min(address.rfind(':'), address.size());
  std::string host = address.substr(0, colon);
  if (colon < address.size()) out.port = address.substr(colon + 1);
  out.port.erase(0, std::min(out.port.find_first_not_of('0'), out.port.size()));  // 0 is none
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  in_addr v4{};
  in6_addr v6{};
  if (host.empty() || inet_pton(AF_INET, host.c_str(), &v4) == 1)
    take_v4(v4, out);
  else if (inet_pton(AF_INET6, host.c_str(), &v6) == 1)
    take_v6(v6, out);
  else
    for (const char c : host) out.host += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  out.loopback |= out.kind == Kind::name && out.host == "localhost";
  return out;
}

bool same(const Endpoint& one, const Endpoint& other) {
  if ((one.kind == Kind::path) != (other.kind == Kind::path) || one.port != other.port) return false;
  if (one.kind == Kind::path) return one.host == other.host;
  if (one.port.empty()) return false;
  // What `localhost` stands for is the machine's own affair.
  const bool by_name = one.kind == Kind::name || other.kind == Kind::name;
  return one.host == other.host || (by_name && one.loopback && other.loopback);
}

bool collide(const Endpoint& one, const Endpoint& other) {
  if (same(one, other)) return true;
  return one.port == other.port && !one.port.empty() && (covers(one, other) || covers(other, one));
}

bool leads_to(const Endpoint& to, const Endpoint& listener) {
  if (same(to, listener)) return true;
  if (to.port != listener.port || to.port.empty()) return false;
  return (covers(listener, to) || covers(to, listener)) && own_machine(to) && own_machine(listener);
}

}  // namespace arcwise::router
