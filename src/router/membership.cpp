#include "router/membership.hpp"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "arcwise/check.hpp"

namespace arcwise::router {
namespace {

// Letters and digits as they are, the rest in hexadecimal: no cluster's name leaves the folder.
std::string file_of(const std::string& folder, const std::string& cluster) {
  std::string name;
  for (const char c : cluster) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    char hex[4];
    std::snprintf(hex, sizeof hex, "_%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
    name += plain ? std::string(1, c) : std::string(hex);
  }
  return folder + "/" + name + ".served";
}

std::string said(const std::optional<std::uint64_t>& epoch) {
  return epoch ? "epoch " + std::to_string(*epoch) : "no epoch";
}

Error refusal(const Served& next, const std::string& why, const std::string& advice) {
  return Error{ErrorKind::refused, {}, next.cluster + ", " + said(next.epoch), why, advice};
}

}  // namespace

Served served_by(const Placement& placement) {
  const Fingerprints prints = fingerprints(placement);
  return {placement.map().cluster(), placement.map().epoch(), prints.fingerprint, prints.membership};
}

std::optional<Error> check_succession(const Served& now, const Served& next) {
  if (now.cluster != next.cluster)
    return refusal(next, "this is the map of another cluster than " + now.cluster + ", which is served",
                   "check which file was put in its place");
  if (!now.epoch) return std::nullopt;
  if (!next.epoch || *next.epoch < *now.epoch)
    return refusal(next, "a map of " + said(now.epoch) + " was served already, and none older may follow",
                   "give the map an epoch above it if it is meant");
  const bool same = now.fingerprint == next.fingerprint && now.membership == next.membership;
  if (*next.epoch == *now.epoch && !same)
    return refusal(next,
                   "another map of the same epoch is served (fingerprint " + now.fingerprint + ", here " +
                       next.fingerprint + ")",
                   "two people have changed the map: settle which holds, and raise its epoch");
  return std::nullopt;
}

Result<std::optional<Served>> read_served(const std::string& folder, const std::string& cluster) {
  const std::string path = file_of(folder, cluster);
  if (!std::filesystem::exists(path)) return std::optional<Served>();
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  std::istringstream words(text.str());
  Served out;
  std::string form, epoch, rest;
  out.cluster = cluster;
  std::uint64_t number = 0;
  const bool read = static_cast<bool>(words >> form >> epoch >> out.fingerprint >> out.membership);
  const auto [end, error] = std::from_chars(epoch.data(), epoch.data() + epoch.size(), number);
  if (!read || (words >> rest) || form != "arcwise-served/1" || error != std::errc() ||
      end != epoch.data() + epoch.size())
    return Error{ErrorKind::input,
                 {path, 1, 1},
                 text.str().substr(0, 80),
                 "this is not what a router remembers",
                 "remove the file if the map that is to be served is the newest"};
  out.epoch = number;
  return std::optional<Served>(std::move(out));
}

std::optional<Error> write_served(const std::string& folder, const Served& served) {
  if (!served.epoch) return std::nullopt;
  const std::string path = file_of(folder, served.cluster), fresh = path + ".new";
  std::ofstream out(fresh);
  out << "arcwise-served/1 " << *served.epoch << ' ' << served.fingerprint << ' ' << served.membership
      << '\n';
  out.close();
  if (!out || std::rename(fresh.c_str(), path.c_str()) != 0)
    return Error{ErrorKind::io,
                 {},
                 path,
                 std::string("cannot be written: ") + std::strerror(errno),
                 "check the folder and its rights"};
  return std::nullopt;
}

}  // namespace arcwise::router
