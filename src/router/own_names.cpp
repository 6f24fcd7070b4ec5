#include "router/own_names.hpp"

#include <netdb.h>
#include <unistd.h>

#include <mutex>
#include <thread>

namespace arcwise::router {
namespace {

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

std::string canonical_name(const std::string& name) {
  addrinfo hints{};
  hints.ai_flags = AI_CANONNAME;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(name.c_str(), nullptr, &hints, &found) != 0) return {};
  std::string out = found->ai_canonname ? found->ai_canonname : "";
  freeaddrinfo(found);
  return out;
}

}  // namespace

struct OwnNames::Known {
  std::mutex mutex;
  std::vector<std::string> names;

  void add(const std::string& name) {
    const std::lock_guard lock(mutex);
    if (!name.empty()) names.push_back(name);
  }
};

OwnNames::OwnNames() : known_(std::make_shared<Known>()) {}

void OwnNames::add(const std::string& name) {
  known_->add(name);
}

void OwnNames::ask() {
  const std::string name = host_name();
  if (name.empty()) return;
  add(name);
  // Nobody waits for it, at the end neither.
  std::thread([known = known_, name] { known->add(canonical_name(name)); }).detach();
}

std::vector<std::string> OwnNames::all() const {
  const std::lock_guard lock(known_->mutex);
  return known_->names;
}

}  // namespace arcwise::router
