// New maps while a router runs: reads its file again when it changes or when told to, and hands what may
// follow to the loop.
//
// Layer: router. The reading, compiling and comparing is done on a thread of its own.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <thread>

#include "router/loop.hpp"
#include "router/membership.hpp"

namespace arcwise::router {

class Reload {
 public:
  using Pools = std::function<Result<std::vector<Pool>>()>;

  /// `state`: the folder in which the highest map served is remembered; empty: it is not.
  Reload(Loop& loop, std::string file, std::string state, Pools read, Journal& journal)
      : loop_(loop),
        file_(std::move(file)),
        state_(std::move(state)),
        read_(std::move(read)),
        journal_(journal) {}
  ~Reload();

  /// The pools to begin with. Refused where a later map was served before.
  std::optional<Error> begin(const std::vector<Pool>& pools);
  /// Watches the file until destruction.
  void watch();
  /// Read it now, changed or not. For signal handlers.
  void ask() noexcept { asked_.store(true, std::memory_order_relaxed); }

 private:
  void read_again();
  void refuse(const std::string& pool, const std::string& why);
  void consider(Pool pool);

  Loop& loop_;
  std::string file_, state_;
  Pools read_;
  Journal& journal_;
  struct Current {
    Served served;
    Placement placement;
  };
  std::map<std::string, Current> current_;  ///< by pool
  std::atomic<bool> asked_{false}, stop_{false};
  std::thread thread_;
};

}  // namespace arcwise::router
