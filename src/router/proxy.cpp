#include "router/proxy.hpp"

namespace arcwise::router {

Proxy::Proxy(Pool pool) : pool_(std::move(pool)) {
  use_servers();
  warn();
}

void Proxy::use_servers() {
  for (Server& server : servers_) server.left = true;
  for (const auto* addresses : {&pool_.addresses, &pool_.failing.gutter})
    for (const std::string& address : *addresses)
      if (const ServerId s = servers_.find(address); s != nobody) servers_[s].left = false;
  server_of_.clear();
  current_.clear();
  for (std::size_t n = 0; n < pool_.addresses.size(); ++n) {
    const ServerId s = servers_.at(pool_.addresses[n]);
    servers_[s].name = pool_.placement.map().nodes()[n].name;
    if (std::find(server_of_.begin(), server_of_.end(), s) == server_of_.end()) current_.push_back(s);
    server_of_.push_back(s);
  }
  use_gutter();
  use_overload();
  use_lanes();
}

void Proxy::adopt(Pool pool) {
  pool.listen = pool_.listen;
  pool.protocol = pool_.protocol;
  pool.standings = pool_.standings;
  pool.marks = pool_.marks;
  pool.standings->forget_failures();
  pool_ = std::move(pool);
  ++maps_;
  use_servers();
  // What they watch may have another owner now.
  for (Client& client : clients_) client.watch_lost |= client.lane != nobody;
  for (ServerId s = 0; s < servers_.size(); ++s) {
    if (!servers_[s].left) continue;
    servers_[s].standing->withdraw();
    let_go(s);
  }
}

std::size_t Proxy::servers_at_most() const noexcept {
  return (current_.size() + gutter_of_.size()) * (pool_.protocol == Protocol::redis ? 2 : 1);
}

bool Proxy::quiet() const noexcept {
  for (const ServerId s : servers_.looked_at())
    if (servers_[s].state != State::stalled && !servers_[s].owes_nothing()) return false;
  return true;
}

Proxy::ServerId Proxy::admit(const Asked& asked, const Target& to, Part& part) {
  ++counters_.parts;
  part.client = asked.id;
  part.generation = asked.client.generation;
  part.mark = pool_.overload.coalesce ? to.mark : no_mark;
  part.sent = asked.now;
  if (to.server == nobody) {
    fail(part, {}, "no server holds this key");
    return nobody;
  }
  // What is known of a server is known by its first connection.
  Server& home = servers_[to.server];
  if (!to.why.empty() || must_wait(home, asked.now)) {
    fail(part, home.name, to.why.empty() ? home.why : to.why);
    return nobody;
  }
  if (home.state == State::idle || home.state == State::waiting) begin_connection(to.server, asked.now);
  const ServerId s = asked.client.own_lanes ? lane_of(asked.client, to.server, asked.now) : to.server;
  if (is_crowded(servers_[s]) && !hold_back(asked.client, s)) {
    busy(part, home, "more waits for it than it takes");
    return nobody;
  }
  counters_.elsewhere += to.elsewhere;
  servers_to_send_.add(servers_, s);
  return s;
}

void Proxy::note(Severity severity, const char* name, const Server& server, std::string_view text) {
  events_.push_back({0, {}, severity, name, pool_.name, server.name, std::string(text)});
}

Time Proxy::deadline(Time now) const noexcept {
  Time first = std::min(rest_at_, reduced_ ? reduced_->until : Time::max());
  for (const ServerId s : servers_.looked_at()) {
    const Server& server = servers_[s];
    first = std::min(first, looked_after_at(server, now));
    first = std::min({first, given_up_at(server), hopeless_at(server)});
    if (!server.held.empty())
      first = std::min(first, server.held.front().sent + pool_.overload.queue_deadline + Time(1));
  }
  return first;
}

void Proxy::tick(Time now) {
  free_clients_.insert(free_clients_.end(), dropped_.begin(), dropped_.end());
  dropped_.clear();
  now_ = now;
  if (pool_.failing.auto_eject) reduce(now);
  servers_.each_looked_at([&](ServerId s) {
    Server& server = servers_[s];
    look_after(s, now);
    if (!server.held.empty()) refuse_late(s, now);
    server.awaited = first_awaited(server);
    if (now >= given_up_at(server)) time_out(s, now);
    if (now >= hopeless_at(server)) connections_.end(s, "it does not answer what it owes");
  });
  servers_.let_rest();
  let_clients_rest(now);
  resume_clients();
}

}  // namespace arcwise::router
