// Further connections to a server, for what a shared one cannot do.
//
// A connection to Redis speaks one version of its protocol: the types of a script's answer, and the shape of
// many others', depend on it, so that no translation is right for all. Clients that have said HELLO 3
// therefore share a second connection to each server. And what is watched is a state of a connection: a
// client has one to itself from WATCH to EXEC, and meanwhile sends all that is for this server on it, in its
// order. What is known of the server (that it is away, say) is known by its first connection, or its
// standing.
//
// A client passes from one connection to another only when all it asked for is answered, so that its commands
// are never done out of order.
#include "router/proxy.hpp"

#include <algorithm>
#include <map>

namespace arcwise::router {

Proxy::ServerId Proxy::lane_of(Client& client, ServerId server, Time now) {
  const bool watches = client.lane != nobody && servers_[client.lane].home == server;
  const ServerId lane = watches ? client.lane : shared_lane(server, client.session.protocol);
  if (servers_[lane].state == State::idle) begin_connection(lane, now);
  return lane;
}

Proxy::ServerId Proxy::shared_lane(ServerId server, std::uint32_t protocol) {
  if (protocol != 3) return server;
  if (servers_[server].resp3 == nobody) servers_[server].resp3 = servers_.add_lane(server, 3);
  return servers_[server].resp3;
}

void Proxy::take_lane(const Asked& asked, ServerId server) {
  Client& client = asked.client;
  const std::uint32_t protocol = client.session.protocol;
  std::vector<ServerId>& spare = servers_[server].spare;
  const auto fits = [&](ServerId lane) {
    return servers_[lane].state == State::idle || servers_[lane].protocol == protocol;
  };
  const auto found = std::find_if(spare.rbegin(), spare.rend(), fits);  // the last one is connected still
  if (found == spare.rend()) {
    client.lane = servers_.add_lane(server, protocol);
  } else {
    client.lane = *found;
    spare.erase(std::next(found).base());
    servers_[server].warm -= servers_[client.lane].state != State::idle;
  }
  servers_[client.lane].protocol = protocol;
  servers_[client.lane].watcher = asked.id;
  client.own_lanes = true;
}

// Clean: what ends its watching has been sent. Else the connection ends with what it watches, and is nobody's
// until it has.
void Proxy::release_lane(Client& client, bool clean) {
  const ServerId lane = client.lane;
  servers_[lane].watcher = nobody;
  const bool idle = servers_[lane].state == State::idle;
  Server& home = servers_[servers_[lane].home];
  if (clean || idle) {
    home.spare.push_back(lane);
    home.warm += !idle;
  } else {
    connections_.end(lane, "what was watched on it is over");
  }
  client.lane = nobody;
  client.own_lanes = client.session.protocol == 3;
  client.alone = true;
}

// Nothing is watched on it any more: it may be had by another.
void Proxy::lose_lane(ServerId lane) {
  Server& home = servers_[servers_[lane].home];
  if (servers_[lane].watcher != nobody) {
    Client& client = clients_[servers_[lane].watcher];
    release_lane(client, true);
    client.watch_lost = true;
  } else if (lane != home.resp3) {
    if (std::find(home.spare.begin(), home.spare.end(), lane) == home.spare.end())
      home.spare.push_back(lane);
    else
      --home.warm;
  }
}

// Nobody watches by it, for a while or beside many others: it ends, and its number waits for who does.
void Proxy::end_spare(ServerId lane, Time now) {
  if (now < ends_at(servers_[lane])) return;
  Server& home = servers_[servers_[lane].home];
  if (std::erase(home.spare, lane) == 0) return;  // it ends already; and is nobody's until it has
  --home.warm;
  connections_.end(lane, "nobody has used it for a while");
}

Time Proxy::ends_at(const Server& lane) const noexcept {
  constexpr milliseconds kept{10'000};
  constexpr std::uint32_t few = 16;
  const Server& home = servers_[lane.home];
  const bool spare = lane.watcher == nobody && (home.resp3 == nobody || &servers_[home.resp3] != &lane);
  if (!spare || lane.state != State::up || !lane.owes_nothing()) return Time::max();
  return home.warm > few ? lane.heard : lane.heard + kept;
}

// What was asked on further connections is the server's, too.
void Proxy::add_lanes(PoolStats& stats, Time now) const {
  std::map<ServerId, ServerStats> more;  // by server
  for (const Server& lane : servers_)
    if (&lane != &servers_[lane.home]) {
      ServerStats one;
      count_of(lane, now, one);
      add_counts(more[lane.home], one);
    }
  if (more.empty()) return;
  for (std::size_t n = 0; n < server_of_.size(); ++n)
    if (const auto found = more.find(server_of_[n]); found != more.end())
      add_counts(stats.servers[n], found->second);
}

void Proxy::use_lanes() {
  for (Server& lane : servers_) {
    const Server& home = servers_[lane.home];
    lane.left = home.left;
    lane.name = home.name;
    lane.address = home.address;
    lane.standing = home.standing;
  }
}

}  // namespace arcwise::router
