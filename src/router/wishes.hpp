// What a proxy has its loop do: send what buffers hold, connect, and close.
//
// Layer: router. What is done about one wish may make others, of the same kind too: they are taken the next
// time.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "router/part.hpp"

namespace arcwise::router {

/// Clients or servers that have something to be sent, each listed once: their `listed` says so.
class ToSend {
 public:
  bool empty() const noexcept { return ids_.empty(); }
  template <class All>
  void add(All& all, std::uint32_t id) {
    if (!all[id].listed) ids_.push_back(id);
    all[id].listed = true;
  }
  template <class All, class Act>
  void take(All& all, Act&& act) {
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      all[ids_[i]].listed = false;
      act(ids_[i]);
    }
    ids_.clear();
  }

 private:
  std::vector<std::uint32_t> ids_;
};

/// Connections to servers that are to begin, or to end.
class Connections {
  static auto is(ServerId s) noexcept {
    return [s](const auto& one) { return one.first == s; };
  }

 public:
  bool none() const noexcept { return begin_.empty() && end_.empty() && leave_.empty(); }
  void begin(ServerId s) { begin_.push_back(s); }
  /// A connection is ended once, for the reason that was first.
  void end(ServerId s, std::string_view why) {
    if (std::none_of(end_.begin(), end_.end(), is(s))) end_.emplace_back(s, std::string(why));
  }
  /// Its server has left the map.
  void leave(ServerId s) { leave_.push_back(s); }
  /// It is lost: what was wished of it is over, and not the next connection's.
  void over(ServerId s) {
    std::erase(begin_, s);
    std::erase_if(end_, is(s));
  }

  template <class Act>
  void each_to_begin(Act&& act) {
    for (const ServerId s : std::exchange(begin_, {})) act(s);
  }
  template <class Act>
  void each_to_end(Act&& act) {
    for (const auto& [s, why] : std::exchange(end_, {})) act(s, std::string_view(why));
  }
  template <class Act>
  void each_that_leaves(Act&& act) {
    for (const ServerId s : std::exchange(leave_, {})) act(s);
  }

 private:
  std::vector<ServerId> begin_, leave_;
  std::vector<std::pair<ServerId, std::string>> end_;
};

}  // namespace arcwise::router
