// Questions to many addresses at once: what servers hold, what other routers serve.
//
// Layer: router. Waits, so it is for threads that may; connections of its own, apart from traffic.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace arcwise::router {

struct Question {
  std::string address;
  std::string bytes;                                   ///< said once the connection stands
  std::function<bool(std::string_view answer)> whole;  ///< empty: whole when the other side closes
};
struct Reply {
  std::string bytes;
  std::string why;  ///< empty: `bytes` is a whole answer
};

/// The answers, in the order of the questions. Takes no longer than `patience`: of names, what is known.
std::vector<Reply> ask_all(const std::vector<Question>& questions, std::chrono::milliseconds patience);

}  // namespace arcwise::router
