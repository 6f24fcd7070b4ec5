// The log: one line an event, for people (logfmt) or programs (JSON).
//
// Layer: router. A server that comes and goes all the time does not fill a disk: of each kind of such events
// a few are written in each stretch of time, and how many were held back is said.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "router/config.hpp"
#include "router/event.hpp"

namespace arcwise::router {

/// `held_back`: events of the kind that were not written since the last one that was.
std::string log_line(const Event& event, LogForm form, std::uint64_t held_back);

/// How many events of one kind may be written.
class Throttle {
 public:
  static constexpr std::uint64_t burst = 5;
  static constexpr std::chrono::seconds stretch{10};

  /// Whether this one is written; then `held_back` is how many before it were not.
  bool admits(const Event& event, std::uint64_t& held_back);
  /// The last one of each kind that was held back and whose stretch of time is over, with their number.
  void end_stretches(std::chrono::steady_clock::time_point now,
                     const std::function<void(const Event&, std::uint64_t)>& say);

 private:
  struct Kind {
    std::chrono::steady_clock::time_point began;
    std::uint64_t written = 0, held_back = 0;
    Event last;
  };
  std::map<std::string, Kind, std::less<>> kinds_;
};

/// Thread-safe.
class Log {
 public:
  using Write = std::function<void(std::string_view line)>;
  Log(LogForm form, Severity least, Write write) : form_(form), least_(least), write_(std::move(write)) {}
  void say(const Event& event);
  /// To be called now and then, so that what was held back is told even if nothing follows.
  void catch_up(std::chrono::steady_clock::time_point now);

 private:
  std::mutex mutex_;
  LogForm form_;
  Severity least_;
  Write write_;
  Throttle throttle_;
};

/// Writes lines to a descriptor on a thread of its own, each in one piece, so that nobody waits for who reads
/// them. Where more wait than are kept, the newest are left out, and a line says how many.
class LineWriter {
 public:
  static constexpr std::size_t kept = 1000;

  explicit LineWriter(int fd);
  /// What waits is written, unless nobody takes it within a second.
  ~LineWriter();
  void write(std::string_view line);

 private:
  void run();
  /// False: nobody takes it, and it is the end.
  bool put(std::string_view line);

  int fd_;
  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<std::string> lines_;
  std::uint64_t left_out_ = 0;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace arcwise::router
