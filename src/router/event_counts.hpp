// How many events there were so far, by severity: unlike a journal, all of them.
//
// Layer: router.
#pragma once

#include <array>
#include <atomic>

#include "router/event.hpp"

namespace arcwise::router {

/// Thread-safe. Each begins at 0, so that a rise from none is seen.
class EventCounts {
 public:
  static constexpr std::size_t severities = 3;
  void add(Severity severity) noexcept { ++counts_[static_cast<std::size_t>(severity)]; }
  std::uint64_t of(Severity severity) const noexcept { return counts_[static_cast<std::size_t>(severity)]; }

 private:
  std::array<std::atomic<std::uint64_t>, severities> counts_{};
};

}  // namespace arcwise::router
