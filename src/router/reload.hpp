// New maps and settings while a router runs: reads its files again when they change or when told to, and
// hands what may follow to the loops.
//
// Layer: router. The reading, compiling and comparing is done on a thread of its own.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "arcwise/change.hpp"
#include "router/config.hpp"
#include "router/loops.hpp"
#include "router/membership.hpp"

namespace arcwise::router {

/// A pool as it is served.
struct Serving {
  Pool pool;
  Served served;
  std::chrono::system_clock::time_point since;  ///< with this map
};

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
  /// What is served, by pool. Thread-safe.
  std::vector<std::shared_ptr<const Serving>> serving() const;
  /// What another map changes for a pool, where it may follow; `adopt`: and from now on it is served.
  /// Thread-safe. `expected`: the fingerprint that must be served now; empty: any.
  Result<Diff> follow(const Pool& next, const std::string& expected, bool adopt);

 private:
  using Clock = std::chrono::steady_clock;

  /// `told`: it is no mere look whether the files are still those read at the start. `again`: these files
  /// were read before, and something failed that has nothing to do with what they say.
  void read_again(bool asked, bool told, bool again);
  // Each returns whether it has said anything. On the thread alone.
  bool take(Config config);
  bool refuse_map(const std::string& pool, const Error& error);
  bool refuse(const Error& error);
  bool say(Severity severity, const char* name, const std::string& pool, std::string text);
  bool consider(PoolConfig config);
  /// What was changed: settings that loops take up, and others, which are told.
  struct Changed {
    bool live, later;
  };
  Changed consider_settings(const PoolConfig& now, PoolConfig& next);
  /// What is set in vain, and was not before.
  bool tell_notes(PoolConfig& now, const PoolConfig& next);
  /// nullptr: no pool of this name is served.
  PoolConfig* find(const std::string& pool);
  /// Where `to` may follow, and is another map: remembered, so that none older does.
  Result<bool> step(const Served& from, const Served& to);
  void serve(const PoolConfig& now, const Served& to);
  void tell_adopted(const std::string& pool, const Served& from, const Served& to, const Diff& change);

  Loops& loops_;
  Read read_;
  Journal& journal_;
  std::mutex changing_;                   ///< held while what is served changes
  Config current_;                        ///< as it is served
  std::map<std::string, Served> served_;  ///< by pool
  std::function<void(bool)> reloading_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Serving>> serving_;  ///< for others to see
  std::condition_variable wake_;
  bool asked_ = false, stop_ = false;
  // Of the thread alone
  bool failed_ = false;         ///< for a reason that may pass: a disk, descriptors
  std::set<std::string> said_;  ///< since these files were read first: each further try says what is new
  std::thread thread_;
};

}  // namespace arcwise::router
