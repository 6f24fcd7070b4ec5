// Server lines. Which words take a value matters: in `cookie weight` the second word is no option.
#include <algorithm>
#include <array>

#include "format/columns.hpp"
#include "format/haproxy.hpp"
#include "place/ip_address.hpp"

namespace arcwise {
namespace {

using Fault = std::optional<Error>;

constexpr std::uint64_t most_servers = 100'000, most_id = 2'147'483'647;

// Options that do not change which server a key belongs to.
constexpr std::array<std::string_view, 48> flags{
    "agent-check",
    "allow-0rtt",
    "check",
    "check-reuse-pool",
    "check-send-proxy",
    "check-sni-auto",
    "check-ssl",
    "check-via-socks4",
    "force-sslv3",
    "force-tlsv10",
    "force-tlsv11",
    "force-tlsv12",
    "force-tlsv13",
    "no-agent-check",
    "no-check",
    "no-check-reuse-pool",
    "no-check-send-proxy",
    "no-check-sni-auto",
    "no-check-ssl",
    "no-send-proxy",
    "no-send-proxy-v2",
    "no-send-proxy-v2-ssl",
    "no-send-proxy-v2-ssl-cn",
    "no-sni-auto",
    "no-ssl",
    "no-ssl-reuse",
    "no-sslv3",
    "no-tfo",
    "no-tls-tickets",
    "no-tlsv10",
    "no-tlsv11",
    "no-tlsv12",
    "no-tlsv13",
    "no-verifyhost",
    "non-stick",
    "renegotiate",
    "no-renegotiate",
    "send-proxy",
    "send-proxy-v2",
    "send-proxy-v2-ssl",
    "send-proxy-v2-ssl-cn",
    "sni-auto",
    "ssl",
    "ssl-reuse",
    "stick",
    "strict-maxconn",
    "tfo",
    "tls-tickets",
};
constexpr std::array<std::string_view, 74> with_value{
    "addr",
    "agent-addr",
    "agent-inter",
    "agent-port",
    "agent-send",
    "alpn",
    "ca-file",
    "cc",
    "check-alpn",
    "check-pool-conn-name",
    "check-proto",
    "check-sni",
    "ciphers",
    "ciphersuites",
    "client-sigalgs",
    "cookie",
    "crl-file",
    "crt",
    "curves",
    "downinter",
    "ech",
    "error-limit",
    "fall",
    "fastinter",
    "idle-ping",
    "init-addr",
    "init-state",
    "inter",
    "interface",
    "ktls",
    "log-bufsize",
    "log-proto",
    "max-reuse",
    "maxconn",
    "maxqueue",
    "minconn",
    "namespace",
    "npn",
    "observe",
    "on-error",
    "on-marked-down",
    "on-marked-up",
    "pool-conn-name",
    "pool-low-conn",
    "pool-max-conn",
    "pool-purge-delay",
    "port",
    "proto",
    "proxy-v2-options",
    "quic-cc-algo",
    "redir",
    "resolve-net",
    "resolve-opts",
    "resolve-prefer",
    "resolvers",
    "rise",
    "shard",
    "sigalgs",
    "slowstart",
    "sni",
    "socks4",
    "source",
    "ssl-max-ver",
    "ssl-min-ver",
    "sslcert",
    "tcp-md5sig",
    "tcp-ut",
    "track",
    "usesrc",
    "verify",
    "verifyhost",
    "ws",
    "tls-ticket-keys",
    "ca-verify-file",
};

bool one_of(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Fault read_value(const Source& source, const ConfigWord& option, const ConfigWord& value,
                 HaproxyServer& out) {
  if (value.from_environment)
    return fault_at(source, value, "`" + option.text + "` is a variable of the environment",
                    "write its value in a copy of the file");
  if (option.text == "weight") {
    const auto weight = parse_count(value.text, 256);
    if (!weight)
      return fault_at(source, value, "a weight that is not a whole number from 0 to 256",
                      "HAProxy takes no other: scale all weights down");
    out.weight = static_cast<std::uint32_t>(*weight);
  } else if (option.text == "id") {
    out.id = parse_count(value.text, most_id);
    if (!out.id || *out.id == 0)
      return fault_at(source, value, "a number of a server that is not from 1 to 2147483647",
                      "write id 1, id 2, …");
  } else if (option.text == "guid") {
    out.guid = value.text;
  } else {
    static constexpr std::array<std::string_view, 5> keys{"id", "id32", "addr", "addr-port", "guid"};
    if (!one_of(keys, value.text))
      return fault_at(source, value, "no such hash-key", "HAProxy knows: id, id32, addr, addr-port, guid");
    out.hash_key = value;
  }
  return std::nullopt;
}

// "ipv4@10.0.0.1:80", "[::1]:80", "::1:80", "name", "/path"; what only HAProxy can reach stays as written.
Fault read_address(const Source& source, const ConfigWord& word, HaproxyServer& out) {
  if (word.from_environment)
    return fault_at(source, word, "the address is a variable of the environment",
                    "write its value in a copy of the file");
  std::string_view text = word.text;
  for (const std::string_view family :
       {"ipv4@", "ipv6@", "tcp@", "tcp4@", "tcp6@", "quic4@", "quic6@", "unix@"})
    if (text.starts_with(family)) {
      text.remove_prefix(family.size());
      break;
    }
  out.has_port = false;
  if (text.starts_with('/') || text.find('@') != std::string_view::npos) {
    out.address = out.host = text;
    return std::nullopt;
  }
  const std::size_t colon = text.ends_with(']') ? std::string_view::npos : text.rfind(':');
  std::string_view host = text.substr(0, colon);
  const std::string_view port = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  if (host.size() > 1 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  if (host.empty() || host == "*" || (host.find(':') != std::string_view::npos && !ip_address(host)))
    return fault_at(source, word, "no address of a server",
                    "write host, host:port, [IPv6]:port or /path; of an IPv6 address without brackets "
                    "HAProxy takes what follows the last colon for the port");
  const bool relative = port.starts_with('+') || port.starts_with('-');
  const auto number = parse_count(relative ? port.substr(1) : port, 65535);
  if (!port.empty() && !number)
    return fault_at(source, word, "a port that is not a number up to 65535", "write host:port");
  out.has_port = !port.empty() && !relative && *number > 0;
  out.host = host;
  out.address = joined_address(host, out.has_port ? port : "");
  return std::nullopt;
}

// "3" or "4-7": the first and the last number.
std::optional<std::pair<std::uint64_t, std::uint64_t>> numbers_of(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto low = dash == std::string_view::npos ? std::optional<std::uint64_t>(1)
                                                  : parse_count(text.substr(0, dash), most_id);
  const auto high = parse_count(dash == std::string_view::npos ? text : text.substr(dash + 1), most_id);
  if (!low || !high || *high < *low || *high - *low >= most_servers) return std::nullopt;
  return std::pair{*low, *high};
}

}  // namespace

std::optional<Error> read_haproxy_options(const Source& source, const HaproxyLine& line, std::size_t first,
                                          HaproxyServer& out) {
  static constexpr std::array<std::string_view, 4> placed{"weight", "id", "guid", "hash-key"};
  for (std::size_t i = first; i < line.size(); ++i) {
    const ConfigWord& option = line[i];
    if (option.text == "backup" || option.text == "no-backup") {
      out.backup = option.text == "backup";
    } else if (option.text == "disabled" || option.text == "enabled") {
      out.disabled = option.text == "disabled";
    } else if (one_of(placed, option.text) || one_of(with_value, option.text) ||
               option.text.starts_with("set-proxy-v2-tlv-fmt")) {
      if (i + 1 == line.size())
        return fault_at(source, option, "this option of a server has no value", "write one behind it");
      ++i;
      if (!one_of(placed, option.text)) continue;
      if (auto fault = read_value(source, option, line[i], out)) return fault;
    } else if (!one_of(flags, option.text)) {
      return fault_at(source, option, "no option of a server that is known here",
                      "drop it from a copy of the file, if it does not change which server a key goes to");
    }
  }
  return std::nullopt;
}

std::optional<Error> read_haproxy_servers(const Source& source, const HaproxyLine& line,
                                          const HaproxyServer& defaults, std::vector<HaproxyServer>& out) {
  const bool several = line.front().text == "server-template";
  const std::size_t address = several ? 3 : 2;
  if (line.size() <= address)
    return fault_at(
        source, line.front(), "this line ends before the server's address",
        several ? "write server-template PREFIX NUMBER HOST:PORT" : "write server NAME HOST:PORT");
  HaproxyServer server = defaults;
  server.name = line[1].text;
  server.at = line[1].at;
  if (auto fault = read_address(source, line[address], server)) return fault;
  if (auto fault = read_haproxy_options(source, line, address + 1, server)) return fault;
  if (!several) {
    out.push_back(std::move(server));
    return std::nullopt;
  }
  const auto numbers = numbers_of(line[2].text);
  if (!numbers || out.size() + (numbers->second - numbers->first) > most_servers)
    return fault_at(source, line[2], "no number, or range of numbers, of at most 100000 servers",
                    "write for example 10, or 1-10");
  if (server.id)
    return fault_at(source, line.front(), "one `id` for all servers of a template",
                    "write a `server` line for each");
  for (std::uint64_t n = numbers->first; n <= numbers->second; ++n) {
    out.push_back(server);
    out.back().name += std::to_string(n);
  }
  return std::nullopt;
}

}  // namespace arcwise
