// What happens to a router that people should know of.
//
// Layer: router.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace arcwise::router {

enum class Severity : std::uint8_t { note, warning, alarm };
std::string_view name_of(Severity severity) noexcept;

struct Event {
  std::uint64_t number = 0;                    ///< rises by one; given by the journal
  std::chrono::system_clock::time_point when;  ///< for people; given by the journal
  Severity severity = Severity::note;
  std::string name;    ///< what kind: `server_lost`, `map_adopted`, …
  std::string pool;    ///< empty: of the whole router
  std::string server;  ///< its node's name; empty: of the whole pool
  std::string text;    ///< for people
  static constexpr std::size_t no_loop = ~std::size_t{0};
  std::size_t loop = no_loop;  ///< that noticed it
  /// Given by the journal, for what counts how long ago it was: a wall clock may be set back.
  std::chrono::steady_clock::time_point at{};
};

/// The newest events. Thread-safe.
class Journal {
 public:
  static constexpr std::size_t kept = 1000;

  /// `sink` is called with each event, one at a time, on the thread that adds it.
  explicit Journal(std::function<void(const Event&)> sink = {}) : sink_(std::move(sink)) {}
  /// What other loops have said within this second is not said again: each notices that a server is away.
  void add(Event event);
  /// Nothing is taken after it, whoever still has something to say.
  void add_last(Event event);
  /// Those with a higher number that are still kept, oldest first.
  std::vector<Event> since(std::uint64_t number) const;

 private:
  bool is_echo(const Event& event) const;
  void keep(Event event);

  mutable std::mutex mutex_;
  std::deque<Event> events_;
  std::uint64_t last_ = 0;
  bool closed_ = false;
  std::function<void(const Event&)> sink_;
};

}  // namespace arcwise::router
