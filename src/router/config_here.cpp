// Whether what a configuration names is of use on this machine.
#include <ifaddrs.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <set>

#include "router/address.hpp"
#include "router/admin.hpp"
#include "router/config_check.hpp"
#include "router/known_hosts.hpp"
#include "router/socket.hpp"

namespace arcwise::router {
namespace {

// Why nothing can be made in a folder; empty: it can.
std::string why_no_folder(const std::string& folder) {
  struct stat seen{};
  if (stat(folder.c_str(), &seen)) return std::strerror(errno);
  if (!S_ISDIR(seen.st_mode)) return "it is no folder";
  return access(folder.c_str(), W_OK | X_OK) ? std::strerror(errno) : "";
}

Error io_fault(const std::string& place, std::string what, std::string why, std::string advice) {
  Error error = fault_in(place, std::move(what), std::move(why), std::move(advice));
  error.kind = ErrorKind::io;
  return error;
}

std::optional<Error> check_state(const Config& config) {
  const std::string& folder = config.daemon.state;
  const std::string why = folder.empty() ? "" : why_no_folder(folder);
  if (why.empty()) return std::nullopt;
  return io_fault(place_of(config.sources, "state", file_of(config)), folder,
                  "`state` cannot be written to: " + why,
                  "make the folder, and give it to the user that the router runs as");
}

std::optional<Error> check_token(const Config& config) {
  if (config.daemon.admin_token.empty()) return std::nullopt;
  const auto token = read_token(config.daemon.admin_token);
  if (token) return std::nullopt;
  Error error = token.error();
  error.why =
      "`admin_token` (" + place_of(config.sources, "admin_token", file_of(config)) + "): " + error.why;
  return error;
}

/// What is listened on, and where that stands.
struct Listener {
  std::string key, address, place;
  std::vector<std::string>& notes;
};

std::vector<Listener> listeners_of(Config& config) {
  std::vector<Listener> out;
  for (PoolConfig& pool : config.pools)
    out.push_back(
        {"listen", pool.pool.listen, place_of(pool.sources, "listen", pool.pool.source), pool.pool.notes});
  if (!config.daemon.admin.empty())
    out.push_back({"admin", admin_address(config.daemon.admin),
                   place_of(config.sources, "admin", file_of(config)), config.notes});
  return out;
}

std::optional<Error> check_path(const Listener& of, const std::string& path) {
  const std::string folder = path.substr(0, std::max<std::size_t>(path.rfind('/'), 1));
  if (const std::string why = why_no_folder(folder); !why.empty())
    return io_fault(of.place, folder, "`" + of.key + "`: no socket can be made in this folder: " + why,
                    "make the folder, and give it to the user that the router runs as");
  struct stat seen{};
  if (lstat(path.c_str(), &seen) || S_ISSOCK(seen.st_mode)) return std::nullopt;
  return io_fault(of.place, path, "`" + of.key + "`: a file that is no socket is there",
                  "name another path, or move the file away");
}

// Whether it is free is not asked: the router that this is the configuration of may run already.
std::optional<Error> check_listener(const Listener& of) {
  if (const std::string path = unix_path(of.address); !path.empty()) return check_path(of, path);
  const auto found = look_up(of.address);
  if (!found)
    return io_fault(of.place, of.address, "`" + of.key + "`: " + found.error().why,
                    "write an address of this machine, or a name that stands for one here");
  if (!may_be_bound(*found))
    of.notes.push_back("`" + of.key + "` (" + of.place + ") is " + of.address +
                       ", and no interface of this machine has that address now");
  return std::nullopt;
}

std::set<std::string> own_hosts() {
  std::set<std::string> out;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all)) return out;
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(all, freeifaddrs);
  for (const ifaddrs* at = all; at; at = at->ifa_next)
    if (at->ifa_addr && (at->ifa_addr->sa_family == AF_INET || at->ifa_addr->sa_family == AF_INET6))
      out.insert(endpoint_of(text_of(*at->ifa_addr)).host);
  return out;
}

// Names are asked for only where they may lead to a listener, by its port.
std::vector<std::string> names_to_ask(const Config& config, const std::vector<Listener>& listeners) {
  std::set<std::string> ports;
  for (const Listener& one : listeners) ports.insert(endpoint_of(one.address).port);
  std::vector<std::string> out;
  const auto add = [&](const std::string& address) {
    const Endpoint at = endpoint_of(address);
    if (at.kind == Endpoint::Kind::name && ports.count(at.port) > 0) out.push_back(address);
  };
  for (const Listener& one : listeners) add(one.address);
  for (const PoolConfig& pool : config.pools) {
    for (const std::string& address : pool.pool.addresses) add(address);
    for (const std::string& address : pool.pool.failing.gutter) add(address);
  }
  return out;
}

// With what is known here: a name that nobody answers within a second stands for itself.
Locate locate_here(const std::vector<std::string>& names) {
  known_hosts().keep("check", names);
  known_hosts().await(names, std::chrono::seconds(1));
  return [asked = std::set(names.begin(), names.end()), own = own_hosts()](const std::string& address) {
    Endpoint at = endpoint_of(address);
    if (asked.count(address) > 0)
      if (const auto found = known_hosts().find(address)) at = endpoint_of(text_of(*found->get()));
    at.own |= own.count(at.host) > 0;
    return at;
  };
}

}  // namespace

std::optional<Error> check_here(Config& config) {
  if (auto error = check_state(config)) return error;
  if (auto error = check_token(config)) return error;
  const std::vector<Listener> listeners = listeners_of(config);
  for (const Listener& one : listeners)
    if (auto error = check_listener(one)) return error;
  auto error = check_addresses(config, locate_here(names_to_ask(config, listeners)));
  known_hosts().keep("check", {});
  return error;
}

}  // namespace arcwise::router
