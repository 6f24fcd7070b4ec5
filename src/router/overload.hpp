// What keeps an overloaded server from more: requests that wait for their turn, and a budget for asking
// again.
//
// Layer: router. Pure; in steady state nothing is allocated.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "router/buffer.hpp"
#include "router/part.hpp"
#include "router/ring_queue.hpp"

namespace arcwise::router {

/// Requests that are not sent yet, with their commands: first in, first out.
class Held {
 public:
  bool empty() const noexcept { return parts_.empty(); }
  std::size_t size() const noexcept { return parts_.size(); }
  std::size_t bytes() const noexcept { return commands_.size(); }
  void push(const Part& part, std::string_view command) {
    Part& last = parts_.push();
    last = part;
    last.size = static_cast<std::uint32_t>(command.size());
    commands_.append(command);
  }
  const Part& front() const noexcept { return parts_.front(); }
  /// Of the front; valid until something is pushed.
  std::string_view command() const noexcept { return commands_.view().substr(0, front().size); }
  void pop() noexcept {
    commands_.consume(front().size);
    parts_.pop();
  }

 private:
  RingQueue<Part> parts_;
  Buffer commands_;
};

/// So many of a hundred may be done again: each earns a part of a credit, and a second attempt costs a whole
/// one. What is saved up is limited, so that a server that dies after a good hour is not asked again by all
/// at once; a little is there from the start.
class RetryBudget {
 public:
  void earn(unsigned percent) noexcept { credit_ = std::min(credit_ + percent, most); }
  bool spend() noexcept {
    if (credit_ < whole) return false;
    credit_ -= whole;
    return true;
  }

 private:
  static constexpr unsigned whole = 100, most = 100 * whole;
  unsigned credit_ = 10 * whole;
};

}  // namespace arcwise::router
