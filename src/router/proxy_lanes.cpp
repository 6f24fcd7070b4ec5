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

namespace arcwise::router {

Proxy::ServerId Proxy::lane_of(Client& client, ServerId server, Time now) {
  const bool watches = client.lane != nobody && servers_[client.lane].home == server;
  const ServerId lane = watches ? client.lane : shared_lane(server, client.session.protocol);
  if (servers_[lane].state == State::idle) begin_connection(lane, now);
  return lane;
}

Proxy::ServerId Proxy::shared_lane(ServerId server, std::uint32_t protocol) {
  if (protocol != 3) return server;
  if (servers_[server].resp3 == nobody) servers_[server].resp3 = add_lane(server, 3);
  return servers_[server].resp3;
}

Proxy::ServerId Proxy::add_lane(ServerId server, std::uint32_t protocol) {
  const auto lane = static_cast<ServerId>(servers_.size());
  Server& added = servers_.emplace_back();
  added.home = server;
  added.name = servers_[server].name;
  added.address = servers_[server].address;
  added.left = servers_[server].left;
  added.standing = servers_[server].standing;
  added.protocol = protocol;
  return lane;
}

void Proxy::take_lane(const Asked& asked, ServerId server) {
  Client& client = asked.client;
  const std::uint32_t protocol = client.session.protocol;
  std::vector<ServerId>& spare = servers_[server].spare;
  const auto fits = [&](ServerId lane) {
    return servers_[lane].state == State::idle || servers_[lane].protocol == protocol;
  };
  const auto found = std::find_if(spare.begin(), spare.end(), fits);
  if (found == spare.end()) {
    client.lane = add_lane(server, protocol);
  } else {
    client.lane = *found;
    spare.erase(found);
  }
  servers_[client.lane].protocol = protocol;
  servers_[client.lane].watcher = asked.id;
  client.own_lanes = true;
}

void Proxy::release_lane(Client& client) noexcept {
  Server& lane = servers_[client.lane];
  lane.watcher = nobody;
  servers_[lane.home].spare.push_back(client.lane);
  client.lane = nobody;
  client.own_lanes = client.session.protocol == 3;
  client.alone = true;
}

// What was watched is not watched any more.
void Proxy::lose_lane(ServerId lane) {
  if (servers_[lane].watcher == nobody) return;
  Client& client = clients_[servers_[lane].watcher];
  release_lane(client);
  client.watch_lost = true;
}

// What was asked on further connections is the server's, too.
void Proxy::add_lanes(PoolStats& stats, Time now) const {
  for (const Server& lane : servers_) {
    if (&lane == &servers_[lane.home]) continue;
    ServerStats more;
    count_of(lane, now, more);
    for (std::size_t n = 0; n < server_of_.size(); ++n)
      if (server_of_[n] == lane.home) add_counts(stats.servers[n], more);
  }
}

void Proxy::use_lanes() {
  for (Server& lane : servers_) {
    lane.left = servers_[lane.home].left;
    lane.name = servers_[lane.home].name;
  }
}

}  // namespace arcwise::router
