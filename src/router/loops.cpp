#include "router/loops.hpp"

#include <unistd.h>

#include "router/address.hpp"

namespace arcwise::router {
namespace {

// Loops do not wait for names of hosts. One that is not found now is looked for again later.
void find_hosts(const Pool& pool) {
  for (const std::string& address : pool.addresses) (void)look_up(address).ok();
  for (const std::string& address : pool.failing.gutter) (void)look_up(address).ok();
}

// What one of so many loops may have in flight; each may have something.
Pool part_of(const Pool& pool, std::size_t loops) {
  Pool part = pool;
  part.overload.in_flight = (pool.overload.in_flight + loops - 1) / loops;
  return part;
}

}  // namespace

Loops::Loops(std::size_t threads, Io io, Journal& journal, Board& board) {
  for (std::size_t i = 0; i < threads; ++i) loops_.emplace_back(i, threads, io, journal, board);
}

Loops::~Loops() {
  if (!ended()) drain(milliseconds(0));
  for (std::thread& thread : threads_) thread.join();
  for (const std::string& path : paths_) unlink(path.c_str());
}

Result<std::string> Loops::add(const Pool& pool) {
  find_hosts(pool);
  auto listeners = listen_on(pool.listen, pool.listening, loops_.size());
  if (!listeners) return listeners.error();
  if (std::string path = unix_path(pool.listen); !path.empty()) paths_.push_back(std::move(path));
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
