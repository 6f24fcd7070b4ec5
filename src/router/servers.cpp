#include "router/servers.hpp"

#include <algorithm>

namespace arcwise::router {

ServerId Servers::find(const std::string& address) const noexcept {
  for (ServerId s = 0; s < size(); ++s)
    if (!is_lane(s) && all_[s].address == address) return s;
  return nobody;
}

ServerId Servers::at(const std::string& address) {
  ServerId s = find(address);
  if (s == nobody) {
    s = 0;
    while (s < size() && !is_free(s)) ++s;
    if (s == size())
      all_.emplace_back();
    else
      all_[s].begin_anew();
    all_[s].home = s;
    all_[s].name = all_[s].address = address;
  }
  all_[s].left = false;
  look_at(s);
  return s;
}

ServerId Servers::add_lane(ServerId home, std::uint32_t protocol) {
  const ServerId lane = size();
  Server& added = all_.emplace_back();
  ++all_[home].lanes;
  added.home = home;
  added.name = all_[home].name;
  added.address = all_[home].address;
  added.left = all_[home].left;
  added.standing = all_[home].standing;
  added.protocol = protocol;
  return lane;
}

// All its further connections must be at rest, too: those that clients have are not among the spare ones.
bool Servers::is_free(ServerId s) const noexcept {
  const auto rests = [&](ServerId each) {
    const Server& server = all_[each];
    return server.left && server.state == ServerState::idle && server.owes_nothing();
  };
  const Server& server = all_[s];
  const bool shared = server.resp3 != nobody;
  return !is_lane(s) && rests(s) && (!shared || rests(server.resp3)) &&
         server.spare.size() + shared == server.lanes && std::ranges::all_of(server.spare, rests);
}

void Servers::look_at(ServerId s) {
  if (!std::exchange(all_[s].looked_at, true)) looked_at_.push_back(s);
}

void Servers::let_rest() {
  if (!std::exchange(some_rest_, false)) return;
  std::erase_if(looked_at_, [&](ServerId s) {
    const bool in_map = !all_[s].left && !is_lane(s);
    all_[s].looked_at = in_map || all_[s].state != ServerState::idle;
    return !all_[s].looked_at;
  });
}

}  // namespace arcwise::router
