#include "router/known_hosts.hpp"

#include <signal.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <thread>

namespace arcwise::router {

using std::chrono::steady_clock;

namespace {

constexpr std::size_t most_threads = 16;
constexpr unsigned most_silences = 5;

struct Host {
  std::optional<Address> found;
  std::string why = "its name was not answered yet";
  bool asked = false;  ///< and not answered
  steady_clock::time_point asked_at{};
};

bool is_name(const std::string& address) {
  const auto plain = without_asking(address);
  return plain && !plain->has_value();
}

}  // namespace

struct KnownHosts::Shared : std::enable_shared_from_this<KnownHosts::Shared> {
  explicit Shared(LookUp how) : look_up(std::move(how)) {}

  // Under the lock.
  void ask(const std::string& name) {
    Host& host = hosts[name];
    if (host.asked) return;
    host.asked = true;
    host.asked_at = steady_clock::now();
    waiting.push_back(name);
  }
  void begin_threads() {
    // Signals are for the thread that waits for them.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      for (std::size_t i = 0; i < waiting.size() && threads < most_threads; ++i, ++threads)
        std::thread([self = shared_from_this()] { self->work(); }).detach();
    } catch (const std::system_error&) {  // those that there are, or the next time
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  void work() {
    std::unique_lock lock(mutex);
    while (!waiting.empty()) {
      const std::string name = std::move(waiting.front());
      waiting.pop_front();
      lock.unlock();
      const auto found = look_up(name);
      lock.lock();
      answered_at = steady_clock::now();
      answered.notify_all();
      const auto host = hosts.find(name);
      if (host == hosts.end()) continue;
      host->second.asked = false;
      if (found) host->second.found = *found;
      if (!found) host->second.why = found.error().why;
    }
    --threads;
  }
  /// Whether its first answer is still to come.
  bool is_open(const std::string& name) const {
    const auto host = hosts.find(name);
    return host != hosts.end() && host->second.asked && !host->second.found;
  }
  bool is_kept(const std::string& name) const {
    return std::any_of(kept.begin(), kept.end(), [&](const auto& one) { return one.second.count(name) > 0; });
  }

  const LookUp look_up;
  std::mutex mutex;
  std::condition_variable answered;
  std::map<std::string, Host> hosts;
  std::map<std::string, std::set<std::string>> kept;  ///< by user
  std::deque<std::string> waiting;
  std::size_t threads = 0;
  steady_clock::time_point answered_at{};
};

KnownHosts::KnownHosts(LookUp look_up) : shared_(std::make_shared<Shared>(std::move(look_up))) {}

void KnownHosts::keep(const std::string& user, const std::vector<std::string>& addresses) {
  std::set<std::string> names;
  std::copy_if(addresses.begin(), addresses.end(), std::inserter(names, names.end()), is_name);
  const std::lock_guard lock(shared_->mutex);
  for (const std::string& name : names)
    if (shared_->hosts.count(name) == 0) shared_->ask(name);
  shared_->begin_threads();
  shared_->kept[user] = std::move(names);
}

void KnownHosts::renew() {
  const std::lock_guard lock(shared_->mutex);
  std::erase_if(shared_->hosts, [&](const auto& host) { return !shared_->is_kept(host.first); });
  std::erase_if(shared_->waiting, [&](const std::string& name) { return shared_->hosts.count(name) == 0; });
  for (const auto& [name, host] : shared_->hosts) shared_->ask(name);
  shared_->begin_threads();
}

std::vector<KnownHosts::Unknown> KnownHosts::await(const std::vector<std::string>& addresses,
                                                   std::chrono::milliseconds silence) const {
  const std::set<std::string> all(addresses.begin(), addresses.end());
  const auto began = steady_clock::now();
  std::unique_lock lock(shared_->mutex);
  for (;;) {
    auto last = shared_->answered_at;
    bool open = false;
    for (const std::string& name : all) {
      if (!shared_->is_open(name)) continue;
      open = true;
      last = std::max(last, shared_->hosts[name].asked_at);
    }
    const auto until = std::min(last + silence, began + most_silences * silence);
    if (!open || steady_clock::now() >= until) break;
    shared_->answered.wait_until(lock, until);
  }
  std::vector<Unknown> out;
  for (const std::string& name : all)
    if (const auto host = shared_->hosts.find(name); host != shared_->hosts.end() && !host->second.found)
      out.push_back({name, host->second.why});
  return out;
}

Result<Address> KnownHosts::find(const std::string& address) const {
  const auto plain = without_asking(address);
  if (!plain) return plain.error();
  if (plain->has_value()) return **plain;
  const std::lock_guard lock(shared_->mutex);
  const auto host = shared_->hosts.find(address);
  if (host == shared_->hosts.end()) return address_error(address, "its name was not asked for");
  if (!host->second.found) return address_error(address, host->second.why);
  return *host->second.found;
}

KnownHosts& known_hosts() {
  // Never destroyed: its threads may still run when the process ends.
  static KnownHosts& hosts = *new KnownHosts(look_up);
  return hosts;
}

}  // namespace arcwise::router
