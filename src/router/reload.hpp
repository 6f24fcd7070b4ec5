// New maps and settings while a router runs: reads its files again when they change or when told to, and
// hands what may follow to the loops.
//
// Layer: router. The reading, compiling and comparing is done on a thread of its own.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "router/config.hpp"
#include "router/loops.hpp"
#include "router/membership.hpp"

namespace arcwise::router {

class Reload {
 public:
  using Read = std::function<Result<Config>()>;

  Reload(Loops& loops, Read read, Journal& journal)
      : loops_(loops), read_(std::move(read)), journal_(journal) {}
  ~Reload();

  /// The configuration to begin with. Refused where a later map was served before.
  std::optional<Error> begin(const Config& config);
  /// Watches its files until destruction. `reloading` is told of each time before and after (true, false).
  void watch(std::function<void(bool)> reloading = {});
  /// Read them now, changed or not.
  void ask();

 private:
  void read_again(bool asked);
  void take(Config config);
  void refuse(const std::string& pool, const std::string& why);
  void say(Severity severity, const char* name, const std::string& pool, std::string text);
  void consider(PoolConfig config);
  /// Whether a setting has changed that loops take up; those that they do not are told.
  bool consider_settings(const PoolConfig& now, PoolConfig& next);

  Loops& loops_;
  Read read_;
  Journal& journal_;
  Config current_;                        ///< as it is served
  std::map<std::string, Served> served_;  ///< by pool
  std::function<void(bool)> reloading_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool asked_ = false, stop_ = false, said_ = false;
  std::thread thread_;
};

}  // namespace arcwise::router
