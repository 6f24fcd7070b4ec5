// Reads that share one answer: a read of what is being read rides along, unless its key was written since.
//
// Layer: router. The rule: a read rides on an earlier one only if, since that was sent, no write of its key
// has been sent or acknowledged by any loop of this process. Why both: a client that sends a write and then a
// read must not get what was read before its write, though nobody has acknowledged that; and another loop's
// write, sent on another connection, may be done after a read that was sent later, so that its acknowledgment
// counts too.
//
// Worked example, key k, loops 1 and 2 with a connection each: 2 sends a set; 1 sends a read, which the
// server takes up first; the set is acknowledged; 1 gets another read. It must not ride on the first.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "router/part.hpp"

namespace arcwise::router {

/// Where to find a read that is on its way: the newest of each place of a table. Of a collision the older one
/// is forgotten, and shares its answer with nobody else.
class ReadsInFlight {
 public:
  struct Read {
    std::uint32_t server = 0;
    std::uint64_t part = 0;  ///< its number in the server's queue
    std::uint64_t seen = 0;  ///< as its part has it
    std::string command;
  };
  static constexpr std::size_t longest_command = 512;

  /// Where a read of this command is, or is to be, noted.
  Read& at(std::uint32_t server, std::string_view command);

 private:
  std::vector<Read> table_;
};

/// Lists of parts, numbered from 1. In steady state nothing is allocated.
class Riders {
 public:
  /// Puts a part in front of the list `at`, which may be none (0). The list's new number.
  std::uint32_t add(std::uint32_t at, const Part& part);
  /// Ends a list: calls `visit(part)` for each of it, the last first.
  template <class Visit>
  void take(std::uint32_t at, Visit&& visit) {
    while (at != 0) {
      const Part part = all_[at - 1].part;
      const std::uint32_t next = all_[at - 1].next;
      all_[at - 1].next = free_;
      free_ = at;
      at = next;
      visit(part);
    }
  }

 private:
  struct Rider {
    Part part;
    std::uint32_t next = 0;
  };
  std::vector<Rider> all_;
  std::uint32_t free_ = 0;
};

}  // namespace arcwise::router
