// Labels: the text of a node that its system hashes. Names are as the system's own files write them.
#include <array>
#include <charconv>

#include "model/build.hpp"

namespace arcwise {
namespace {

// "10.0.0.1:11211" -> host and port; "::1:11211" too, because these systems write a port after the last colon
// and no brackets. A bracketed host keeps its brackets. No number after the last colon: no port.
struct HostPort {
  std::string_view host, port;
};

HostPort split(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == name.size()) return {name, {}};
  const std::string_view port = name.substr(colon + 1);
  if (port.find_first_not_of("0123456789") != std::string_view::npos) return {name, {}};
  return {name.substr(0, colon), port};
}

bool is_path(std::string_view name) {
  return !name.empty() && name.front() == '/';
}

std::string without_port(std::string_view name, std::string_view port) {
  const HostPort parts = split(name);
  return std::string(parts.port == port ? parts.host : name);
}

// npm hashring cuts at every colon: the first piece is the host, the second the port.
std::string without_default_port(std::string_view name, std::int64_t port) {
  const std::size_t colon = name.find(':');
  if (port == 0 || colon == std::string_view::npos) return std::string(name);
  const std::string_view rest = name.substr(colon + 1);
  const bool is_default = rest.substr(0, rest.find(':')) == std::to_string(port);
  return std::string(is_default ? name.substr(0, colon) : name);
}

std::string_view without_brackets(std::string_view host) {
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  return bracketed ? host.substr(1, host.size() - 2) : host;
}

bool is_ipv4(std::string_view text) {
  int dots = 0;
  for (char c : text) {
    if (c == '.')
      ++dots;
    else if (c < '0' || c > '9')
      return false;
  }
  return dots == 3;
}

// "2001:db8::2" as Java writes it: eight groups, no leading zeros, nothing left out. Empty: not IPv6.
std::string java_ipv6(std::string_view text) {
  std::array<unsigned, 8> groups{};
  std::size_t count = 0, gap = 9;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    if (*at == ':' && at + 1 < end && at[1] == ':' && gap == 9) {
      gap = count;
      at += 2;
      continue;
    }
    if (count && gap != count) {
      if (*at != ':') return {};
      ++at;
    }
    if (count == 8) return {};
    const auto [next, code] = std::from_chars(at, end, groups[count], 16);
    if (code != std::errc() || next - at > 4) return {};
    at = next;
    ++count;
  }
  if (count < 2 && gap == 9) return {};
  if (gap == 9 ? count != 8 : count == 8) return {};
  std::string out;
  for (std::size_t i = 0; i < 8; ++i) {
    const bool left_out = gap != 9 && i >= gap && i < gap + 8 - count;
    const std::size_t from = gap == 9 || i < gap ? i : i - (8 - count);
    char digits[8];
    const auto shown = std::to_chars(digits, digits + sizeof digits, left_out ? 0u : groups[from], 16);
    out += (i ? ":" : "") + std::string(digits, shown.ptr);
  }
  return out;
}

// An address as java.net.InetAddress prints it; empty: the text is a host name.
std::string java_literal(std::string_view host) {
  host = without_brackets(host);
  return is_ipv4(host) ? std::string(host) : java_ipv6(host);
}

struct JavaNode {
  std::string host;     // as java.net.InetAddress.getHostName() gives it
  std::string address;  // what it resolved to; the host where the map does not say
  bool literal;         // the name is an address
  std::string port;
};

JavaNode java_node(const Node& node) {
  const HostPort name = split(node.name);
  const std::string own = java_literal(name.host);
  JavaNode out{own.empty() ? std::string(name.host) : own, own, !own.empty(), std::string(name.port)};
  if (out.address.empty()) out.address = java_literal(split(node.address).host);
  if (out.address.empty()) out.address = java_literal(node.address);
  return out;
}

// InetSocketAddress.toString(): host/address:port, IPv6 in brackets; a literal address has no host.
std::string java_socket(const Node& node, std::string_view before_literal) {
  const JavaNode java = java_node(node);
  if (java.address.empty() || java.port.empty()) return node.name;
  const bool ipv6 = java.address.find(':') != std::string::npos;
  return (java.literal ? std::string(before_literal) : java.host + "/") +
         (ipv6 ? "[" + java.address + "]" : java.address) + ":" + java.port;
}

std::string with_java_port(const std::string& host, const std::string& port) {
  return port.empty() || port == "11211" ? host : host + ":" + port;
}

std::string dalli(const std::string& name) {
  if (is_path(name)) return name;
  const bool bracketed = name.front() == '[' && name.back() == ']';
  const HostPort parts = bracketed ? HostPort{name, {}} : split(name);
  return std::string(without_brackets(parts.host)) + ":" +
         (parts.port.empty() ? "11211" : std::string(parts.port));
}

}  // namespace

std::string label_of(const PlacementSettings& placement, const Node& node) {
  const std::string& name = node.name;
  switch (placement.recipe->label) {
    case LabelRule::name:
      return name;
    case LabelRule::drop_11211:
      return without_port(name, "11211");
    case LabelRule::drop_default_port:
      return without_default_port(name, placement.integer("default_port"));
    case LabelRule::libmemcached:
      return is_path(name) ? name + ":0" : without_port(name, "11211");
    case LabelRule::libmemcached_spy:
      return "/" + name + (is_path(name) ? ":0" : "");
    case LabelRule::twemproxy:
      return is_path(name) ? name + ":" : without_port(name, "11211");
    case LabelRule::java_socket:
      return java_socket(node, "");
    case LabelRule::java_socket_slash:
      return java_socket(node, "/");
    case LabelRule::java_host:
      return with_java_port(java_node(node).host, java_node(node).port);
    case LabelRule::java_address: {
      const JavaNode java = java_node(node);
      return with_java_port(java.address.empty() ? java.host : java.address, java.port);
    }
    case LabelRule::dalli:
      return dalli(name);
    case LabelRule::evcache:
      return std::string(split(name).host) + "/" + name;
    case LabelRule::pymemcache:
      return name.starts_with("unix:") ? name.substr(5) : dalli(name);
    case LabelRule::none:
      return {};
  }
  return name;
}

}  // namespace arcwise
