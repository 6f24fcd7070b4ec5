// The servers of a proxy by number, and which of them a tick has to look at.
//
// Layer: router. A number is a server's as long as its address is in a map, or anything is under way; then it
// is given to the next new address, so that maps that come and go, and connections that clients had to
// themselves, cost nothing for ever.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "router/server.hpp"

namespace arcwise::router {

class Servers {
 public:
  Server& operator[](ServerId s) noexcept { return all_[s]; }
  const Server& operator[](ServerId s) const noexcept { return all_[s]; }
  auto begin() noexcept { return all_.begin(); }
  auto end() noexcept { return all_.end(); }
  auto begin() const noexcept { return all_.begin(); }
  auto end() const noexcept { return all_.end(); }
  ServerId size() const noexcept { return static_cast<ServerId>(all_.size()); }

  /// The server of an address; nobody: there is none.
  ServerId find(const std::string& address) const noexcept;
  /// The server of an address, which is in the map from now on.
  ServerId at(const std::string& address);
  /// A further connection to a server.
  ServerId add_lane(ServerId home, std::uint32_t protocol);
  bool is_lane(ServerId s) const noexcept { return all_[s].home != s; }

  /// In each tick, until it rests: nothing is under way, and no map has it.
  void look_at(ServerId s);
  /// Calls `act(s)` for those; what it adds to them, too.
  template <class Act>
  void each_looked_at(Act&& act) {
    for (std::size_t i = 0; i < looked_at_.size(); ++i) act(looked_at_[i]);
  }
  const std::vector<ServerId>& looked_at() const noexcept { return looked_at_; }
  /// A connection has ended: it may rest now.
  void may_rest() noexcept { some_rest_ = true; }
  void let_rest();

 private:
  bool is_free(ServerId s) const noexcept;

  std::deque<Server> all_;
  std::vector<ServerId> looked_at_;
  bool some_rest_ = false;
};

}  // namespace arcwise::router
