#include "router/loops.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "router/known_hosts.hpp"

namespace arcwise::router {
namespace {

constexpr milliseconds silence{1000};
constexpr std::size_t most_named = 5;

// What one of so many loops may have in flight; each may have something.
Pool part_of(const Pool& pool, std::size_t loops) {
  Pool part = pool;
  part.overload.in_flight = (pool.overload.in_flight + loops - 1) / loops;
  return part;
}

}  // namespace

Loops::Loops(std::size_t threads, Io io, Journal& journal, Board& board) : journal_(journal) {
  for (std::size_t i = 0; i < threads; ++i) loops_.emplace_back(i, threads, io, journal, board);
}

Loops::~Loops() {
  if (!ended()) drain(milliseconds(0));
  for (std::thread& thread : threads_) thread.join();
  remove_sockets();
}

void Loops::remember_socket(const std::string& path) {
  struct stat seen{};
  if (!path.empty() && lstat(path.c_str(), &seen) == 0) sockets_.push_back({path, seen.st_dev, seen.st_ino});
}

// While the listeners are still open nobody takes a path for one that was left behind, and puts a socket of
// its own there: a router that is begun while this one drains.
void Loops::remove_sockets() {
  for (const UnixSocket& own : sockets_) {
    struct stat seen{};
    if (lstat(own.path.c_str(), &seen) == 0 && seen.st_dev == own.device && seen.st_ino == own.inode)
      unlink(own.path.c_str());
  }
  sockets_.clear();
}

// Loops do not wait for names of hosts.
void Loops::find_hosts(const Pool& pool) {
  std::vector<std::string> all = pool.addresses;
  all.insert(all.end(), pool.failing.gutter.begin(), pool.failing.gutter.end());
  known_hosts().keep("pool " + pool.name, all);
  const auto unknown = known_hosts().await(all, silence);
  if (unknown.empty()) return;
  std::string names;
  for (std::size_t i = 0; i < std::min(unknown.size(), most_named); ++i)
    names += (names.empty() ? "" : ", ") + unknown[i].address + " (" + unknown[i].why + ")";
  if (unknown.size() > most_named) names += ", and " + std::to_string(unknown.size() - most_named) + " more";
  journal_.add({0,
                {},
                Severity::warning,
                "host_unknown",
                pool.name,
                {},
                "names are asked for again every 5 s, and these servers are away until then: " + names});
}

Result<std::string> Loops::add(const Pool& pool) {
  find_hosts(pool);
  auto listeners = listen_on(pool.listen, pool.listening, loops_.size());
  if (!listeners) return listeners.error();
  remember_socket(unix_path(pool.listen));
  const std::string address = address_of(listeners->front());
  const auto clients = std::make_shared<std::atomic<std::size_t>>(0);
  for (std::size_t i = 0; i < loops_.size(); ++i)
    loops_[i].add(part_of(pool, loops_.size()), std::move((*listeners)[i]), clients);
  return address;
}

void Loops::start() {
  running_ = loops_.size();
  for (Loop& loop : loops_)
    threads_.emplace_back([this, &loop] {
      loop.run();
      running_.fetch_sub(1, std::memory_order_release);
    });
}

void Loops::post(const Pool& pool) {
  find_hosts(pool);
  for (Loop& loop : loops_) loop.post(part_of(pool, loops_.size()));
}

void Loops::drain(milliseconds at_most) {
  draining_ = true;
  remove_sockets();
  for (Loop& loop : loops_) loop.drain(at_most);
}

bool Loops::alive() {
  std::vector<std::uint64_t> now;
  bool all = true;
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    now.push_back(loops_[i].answered());
    all &= answered_.empty() || now[i] > answered_[i];
  }
  if (!all) return false;
  answered_ = std::move(now);
  for (Loop& loop : loops_) loop.ask();
  return true;
}

}  // namespace arcwise::router
