#include "router/membership.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <thread>

#include "format/read_file.hpp"
#include "router/socket.hpp"

namespace arcwise::router {
namespace {

constexpr std::uint64_t most_remembered = 4096;

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

Error cannot_write(const std::string& path, int code) {
  return {ErrorKind::io,
          {},
          path,
          std::string("cannot be written: ") + std::strerror(code),
          "check the folder and its rights"};
}

// Held while it lives. By a file of its own, for a folder cannot be locked everywhere.
Result<Descriptor> lock_folder(const std::string& folder) {
  constexpr int tries = 100;
  const std::string path = folder + "/lock";
  Descriptor fd(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666));
  if (!fd) return cannot_write(path, errno);
  for (int i = 0; flock(fd.get(), LOCK_EX | LOCK_NB); ++i) {
    const int code = errno;
    if (i == tries || (code != EWOULDBLOCK && code != EINTR)) return cannot_write(path, code);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return fd;
}

bool write_and_sync(const Descriptor& fd, const std::string& text) {
  return fchmod(fd.get(), 0644) == 0 &&
         write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
         fsync(fd.get()) == 0;
}

// Whole or not at all, and for good.
std::optional<Error> replace_file(const std::string& folder, const std::string& path,
                                  const std::string& text) {
  std::string fresh = path + ".XXXXXX";
  const Descriptor fd(mkostemp(fresh.data(), O_CLOEXEC));
  if (!fd) return cannot_write(path, errno);
  if (!write_and_sync(fd, text) || std::rename(fresh.c_str(), path.c_str()) != 0) {
    const int code = errno;
    unlink(fresh.c_str());
    return cannot_write(path, code);
  }
  const Descriptor entries(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!entries || fsync(entries.get())) return cannot_write(folder, errno);
  return std::nullopt;
}

}  // namespace

Served served_by(const Placed& placement) {
  const Fingerprints& prints = placement.prints();
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
  struct stat seen{};
  if (lstat(path.c_str(), &seen) && errno == ENOENT) return std::optional<Served>();
  const auto text = read_regular_file(path, most_remembered);
  if (!text) return text.error();
  std::istringstream words(*text);
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
                 text->substr(0, 80),
                 "this is not what a router remembers",
                 "remove the file if the map that is to be served is the newest"};
  out.epoch = number;
  return std::optional<Served>(std::move(out));
}

std::optional<Error> remember_served(const std::string& folder, const Served& next) {
  const auto lock = lock_folder(folder);
  if (!lock) return lock.error();
  const auto before = read_served(folder, next.cluster);
  if (!before) return before.error();
  if (before->has_value()) {
    if (auto error = check_succession(**before, next)) return error;
    if (next.epoch == (*before)->epoch) return std::nullopt;  // the same map
  }
  if (!next.epoch) return std::nullopt;
  return replace_file(folder, file_of(folder, next.cluster),
                      "arcwise-served/1 " + std::to_string(*next.epoch) + ' ' + next.fingerprint + ' ' +
                          next.membership + '\n');
}

}  // namespace arcwise::router
