#include "router/proxy.hpp"

#include <charconv>

namespace arcwise::router {
namespace {

std::int64_t number_of(std::string_view reply) noexcept {
  std::int64_t value = 0;
  if (!reply.empty()) std::from_chars(reply.data() + 1, reply.data() + reply.size(), value);
  return value;
}

// "VA 5 f30 c12\r\nhello\r\n" for the key a is "VALUE a 30 5 12\r\nhello\r\n", the cas only where asked for;
// "EN" is nothing.
template <class Sink>
void write_meta_value(Sink& out, const Slot& slot, std::string_view reply) {
  if (!reply.starts_with("VA ")) return;
  const std::size_t line_end = reply.find("\r\n");
  std::string_view line = reply.substr(3, line_end - 3);
  const std::string_view size = next_word(line);
  std::string_view flags = "0", unique;
  for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
    if (word.front() == 'f') flags = word.substr(1);
    if (word.front() == 'c') unique = word.substr(1);
  }
  out.append("VALUE ");
  out.append(slot.bytes);
  out.append(" ");
  out.append(flags);
  out.append(" ");
  out.append(size);
  if (slot.unique) {
    out.append(" ");
    out.append(unique);
  }
  out.append(reply.substr(line_end));
}

bool is_error(Protocol protocol, std::string_view reply) noexcept {
  return protocol == Protocol::redis ? reply.starts_with('-') || reply.starts_with('!')
                                     : is_memcached_error(reply);
}

}  // namespace

Proxy::Proxy(Pool pool) : pool_(std::move(pool)) {
  use_servers();
  warn();
}

void Proxy::use_servers() {
  for (Server& server : servers_) server.left = true;
  server_of_.clear();
  current_.clear();
  for (std::size_t n = 0; n < pool_.addresses.size(); ++n) {
    ServerId id = 0;
    while (id < servers_.size() && servers_[id].address != pool_.addresses[n]) ++id;
    if (id == servers_.size()) servers_.emplace_back().left = true;
    Server& server = servers_[id];
    server.home = id;
    server.name = pool_.placement.map().nodes()[n].name;
    server.address = pool_.addresses[n];
    server_of_.push_back(id);
    if (server.left) current_.push_back(id);
    server.left = false;
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
  use_servers();
  // What they watch may have another owner now.
  for (Client& client : clients_) client.watch_lost |= client.lane != nobody;
  for (ServerId s = 0; s < servers_.size(); ++s) {
    if (!servers_[s].left) continue;
    servers_[s].standing->withdraw();
    let_go(s);
  }
}

// A server that has left and owes no answer.
void Proxy::let_go(ServerId s) {
  Server& server = servers_[s];
  if (server.owes_nothing() && (server.state == State::up || server.state == State::connecting))
    to_let_go_.push_back(s);
}

Proxy::ClientId Proxy::add_client() {
  if (free_clients_.empty()) {
    free_clients_.push_back(static_cast<ClientId>(clients_.size()));
    clients_.emplace_back();
  }
  const ClientId id = free_clients_.back();
  free_clients_.pop_back();
  clients_[id].used = true;
  ++client_count_;
  return id;
}

// Its parts stay on the servers' queues; their generation tells that nobody waits for them.
void Proxy::drop_client(ClientId id) noexcept {
  Client& client = clients_[id];
  if (!client.used) return;
  if (client.lane != nobody) {
    to_disconnect_.push_back(client.lane);  // with what it watches
    release_lane(client);
  }
  const std::uint32_t generation = client.generation + 1;
  client = Client{};
  client.generation = generation;
  --client_count_;
  dropped_.push_back(id);
}

void Proxy::hang_up(ClientId id, Time now) {
  serve(id, now);
  clients_[id].closing = true;
  list(clients_to_send_, clients_, id);
}

bool Proxy::wants_bytes(ClientId id) const noexcept {
  const Client& client = clients_[id];
  return client.used && !client.closing && !client.stopped;
}

bool Proxy::finished(ClientId id) const noexcept {
  const Client& client = clients_[id];
  return client.closing && client.slots.empty();
}

bool Proxy::quiet() const noexcept {
  for (const Server& server : servers_)
    if (server.state != State::stalled && !server.owes_nothing()) return false;
  return true;
}

void Proxy::serve(ClientId id, Time now) {
  Client& client = clients_[id];
  client.stopped = false;
  while (!client.closing && client.in.size() >= std::max<std::size_t>(client.wanted, 1)) {
    client.wanted = 0;
    const Asked asked{id, client, now};
    const std::string_view bytes = client.in.view();
    const std::size_t used =
        pool_.protocol == Protocol::redis ? serve_redis(asked, bytes) : serve_memcached(asked, bytes);
    client.in.consume(used);
    if (client.stopped || used == 0) break;
  }
  if (client.stopped && !std::exchange(client.resumes, true)) stopped_.push_back(id);
  emit(client, id);
}

Slot& Proxy::add_slot(Client& client, Slot::Kind kind, std::uint32_t waits) {
  Slot& slot = client.slots.push();
  slot.kind = kind;
  slot.failed = slot.unique = false;
  slot.waits = waits;
  slot.elements = 0;
  slot.total = 0;
  slot.kept = 0;
  slot.bytes.clear();
  return slot;
}

void Proxy::answer_now(Client& client, std::string_view text) {
  if (client.slots.empty()) {
    client.out.append(text);
    return;
  }
  Slot& slot = add_slot(client, Slot::Kind::whole, 0);
  slot.bytes.assign(text);
  keep(client, slot);
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
  list(servers_to_send_, servers_, s);
  return s;
}

void Proxy::enter(ServerId s, State state, Time now) {
  if (servers_[s].state == state) return;
  servers_[s].state = state;
  servers_[s].since = now;
}

void Proxy::note(Severity severity, const char* name, const Server& server, std::string_view text) {
  events_.push_back({0, {}, severity, name, pool_.name, server.name, std::string(text)});
}

PoolStats Proxy::stats(Time now) const {
  PoolStats out;
  out.pool = pool_.name;
  out.clients = client_count_;
  out.requests = counters_.requests;
  out.errors = counters_.errors;
  out.overload = counters_.overload;
  out.elsewhere = counters_.elsewhere;
  for (const ServerId s : server_of_) {
    const Server& server = servers_[s];
    ServerStats& to = out.servers.emplace_back();
    to.name = server.name;
    to.address = server.address;
    to.state = server.state;
    to.why = server.why;
    to.since_us = static_cast<std::uint64_t>((now - server.since).count());
    to.usable = server.standing->share();
    count_of(server, now, to);
  }
  add_lanes(out, now);
  return out;
}

void Proxy::begin_connection(ServerId s, Time now) {
  Server& server = servers_[s];
  enter(s, State::connecting, now);
  to_connect_.push_back(s);
  server.returns = server.standing->returns();
  server.refusal.clear();
  const auto say = [&](Use use, std::string_view text) { own_question(s, use, text, now); };
  if (pool_.protocol == Protocol::memcached) return probe(s, now);
  const auto bulk = [](std::string_view text) {
    return "$" + std::to_string(text.size()) + "\r\n" + std::string(text) + "\r\n";
  };
  if (server.protocol == 3) {
    const std::string auth =
        pool_.password.empty() ? std::string() : "$4\r\nAUTH\r\n$7\r\ndefault\r\n" + bulk(pool_.password);
    say(Use::greeting, (auth.empty() ? "*2" : "*5") + ("\r\n$5\r\nHELLO\r\n$1\r\n3\r\n" + auth));
  } else if (!pool_.password.empty()) {
    say(Use::greeting, "*2\r\n$4\r\nAUTH\r\n" + bulk(pool_.password));
  }
  if (pool_.database != 0)
    say(Use::greeting, "*2\r\n$6\r\nSELECT\r\n" + bulk(std::to_string(pool_.database)));
  if (s != server.home) return;
  if (server.standing->away() || pool_.failing.probe_every.count() > 0) probe(s, now);
}

void Proxy::connected(ServerId s, Time now) {
  Server& server = servers_[s];
  enter(s, State::up, now);
  if (server.failures > 0) note(Severity::note, "server_connected", server, "it can be reached again");
  server.heard = now;
  list(servers_to_send_, servers_, s);
}

bool Proxy::answered(ServerId s, Time now) {
  Server& server = servers_[s];
  now_ = now;
  if (server.skip > 0) skip_reply(server);
  const std::string_view bytes = server.in.view();
  std::size_t at = 0, spare = 0;
  bool broken = false;
  while (at < bytes.size() && !broken && !server.parts.empty()) {
    const Part part = server.parts.front();
    std::size_t size = 0;
    if (pool_.protocol == Protocol::redis) {
      const auto found = server.scanner.scan(bytes.substr(at));
      size = found.size;
      broken = found.broken;
      if (size > 0 && bytes[at] == '>') {  // nobody asked for it, and it answers nothing
        at += size;
        continue;
      }
    } else {
      const McScan found = scan_memcached(part.reply, bytes.substr(at));
      size = found.size;
      broken = found.broken;
      spare = found.spare;
    }
    if (size == 0) break;
    server.failures = 0;
    if (pool_.failing.auto_eject) server.standing->count_success();
    if (part.unheard > 0) {
      --server.parts.front().unheard;
    } else {
      server.parts.pop();
      if (is_own(part.use)) --server.own;
      if (part.size > 0) server.kept.consume(part.size);
      count_answer(server, part, bytes.substr(at, size), now);
      deliver(s, part, bytes.substr(at, size));
    }
    at += size;
    server.heard = now;
    // What was sent behind a greeting that is refused is not done, or not as it should be.
    if (is_own(part.use) && !server.refusal.empty()) break;
  }
  // Bytes that nobody asked for belong to no request.
  broken |= server.parts.empty() && at < bytes.size();
  server.in.consume(at);
  if (server.in.size() > pool_.limits.reply && !server.parts.empty() && !broken) give_up_reply(s, spare);
  if (server.state == State::stalled && server.parts.empty()) {
    enter(s, State::up, now);
    note(Severity::note, "server_drained", server, "it has answered all that was given up");
    drained(s, now);
  }
  if (!server.held.empty()) release(s, now);
  if (server.left) let_go(s);
  return !broken;
}

void Proxy::lost(ServerId s, std::string_view why, Time now) {
  Server& server = servers_[s];
  if (server.state == State::idle || server.state == State::waiting) return;
  // An idle connection may be closed by the server: the next request makes another.
  const bool let_go = server.owes_nothing() && (server.left || server.state == State::up);
  const bool was_up = server.state == State::up;
  const bool further = s != server.home;
  server.why = let_go ? std::string_view() : why;
  enter(s, let_go || further ? State::idle : State::waiting, now);
  if (further) lose_lane(s);
  if (!let_go && !further && server.failures == 0) note(Severity::warning, "server_lost", server, why);
  server.meta = false;
  server.scanner = {};
  server.skip = 0;
  const auto wait =
      std::min(pool_.failing.last_retry, pool_.failing.first_retry * (1u << std::min(server.failures, 10u)));
  server.retry = now + wait;
  if (!further) ++server.failures;
  if (let_go) server.failures = 0;
  if (!let_go && !further) failed(s, now);
  if (!let_go && !further) away(s, why, now);
  drained(s, now);
  server.in.clear();
  server.out.clear();
  // What is answered now may send more, and to this server too: not while its queue is emptied.
  drop_held(s, why);
  for (const std::uint64_t end = server.parts.end(); server.parts.first() != end;) {
    const Part part = server.parts.front();
    server.parts.pop();
    if (is_own(part.use)) --server.own;
    if (part.size > 0 && was_up && may_ask_again(s, part)) continue;
    server.kept.consume(part.size);
    ++server.failed;
    fail(part, server.name, why);
  }
  if (server.held.empty()) return;
  begin_connection(s, now);
  release(s, now);
}

Time Proxy::deadline(Time now) const noexcept {
  Time first = reduced_ ? reduced_->until : Time::max();
  for (const Server& server : servers_) {
    first = std::min(first, looked_after_at(server, now));
    first = std::min(first, given_up_at(server));
    if (!server.held.empty())
      first = std::min(first, server.held.front().sent + pool_.overload.queue_deadline + Time(1));
  }
  return first;
}

// The time after which what was asked first has waited too long. Time::max(): nothing waits, or for ever.
Time Proxy::given_up_at(const Server& server) const noexcept {
  const bool awaited = server.state == State::connecting || server.state == State::up;
  if (!pool_.timeout || !awaited || server.parts.empty()) return Time::max();
  return std::max(server.parts.front().sent, server.heard) + *pool_.timeout + Time(1);
}

void Proxy::tick(Time now) {
  free_clients_.insert(free_clients_.end(), dropped_.begin(), dropped_.end());
  dropped_.clear();
  now_ = now;
  if (pool_.failing.auto_eject) reduce(now);
  for (ServerId s = 0; s < servers_.size(); ++s) {
    Server& server = servers_[s];
    look_after(s, now);
    if (!server.held.empty()) refuse_late(s, now);
    if (now < given_up_at(server)) continue;
    ++counters_.timeouts;
    ++server.timeouts;
    const std::string why = "no reply for " + std::to_string(pool_.timeout->count()) + " ms";
    if (server.state == State::up && pool_.failing.draining) {
      stall(s, why, now);
    } else {
      to_disconnect_.push_back(s);
      lost(s, why, now);
    }
  }
  resume_clients();
}

void Proxy::stall(ServerId s, std::string_view why, Time now) {
  Server& server = servers_[s];
  enter(s, State::stalled, now);
  server.why = servers_[server.home].why = why;
  note(Severity::warning, "server_stalled", server, why);
  drop_held(s, why);
  server.owes = true;
  server.owes_since = now;
  server.standing->owe();
  server.fencing = 0;
  failed(server.home, now);
  away(server.home, why, now);
  for (std::uint64_t i = server.parts.first(); i != server.parts.end(); ++i) {
    const Part part = server.parts[i];
    if (is_own(part.use) && part.use != Use::fence) continue;
    if (is_own(part.use)) --server.own;
    server.parts[i].use = Use::nothing;
    server.parts[i].riders = 0;
    fail(part, server.name, why);
  }
}

template <class Sink>
void Proxy::write_answer(Sink& out, const Part& part, const Slot& slot, std::string_view reply) const {
  switch (part.use) {
    case Use::value:
      if (reply.ends_with("END\r\n")) reply.remove_suffix(5);
      out.append(reply);
      break;
    case Use::quiet:
      // Of a meta get a miss is not told, of others that they were done, with a number or without.
      if (part.read ? reply.starts_with("EN") : reply.starts_with("HD") || reply.starts_with("VA")) break;
      out.append(reply);
      break;
    case Use::element:
      if (reply.starts_with("*1\r\n")) reply.remove_prefix(4);
      out.append(reply);
      break;
    case Use::meta_value:
      write_meta_value(out, slot, reply);
      break;
    case Use::wrapped:
      reply.remove_prefix(std::min(reply.find('\n') + 1, reply.size()));
      out.append(reply.substr(0, RespScanner().scan(reply).size));
      break;
    default:
      out.append(reply);
  }
}

void Proxy::deliver(ServerId s, const Part& part, std::string_view reply) {
  if (part.riders) riders_.take(part.riders, [&](const Part& rider) { deliver(s, rider, reply); });
  if (part.mark != no_mark && !part.pure) pool_.marks->wrote(part.mark);
  if (is_own(part.use)) return own_answer(s, part, reply);
  Client& client = clients_[part.client];
  if (part.use == Use::nothing || client.generation != part.generation) return;
  reply = within_bounds(client, reply);
  const bool error = is_error(pool_.protocol, reply);
  if (error && part.use != Use::whole) return fail(part, servers_[s].name, reply);
  Slot& slot = client.slots[part.slot];
  if (part.use == Use::total) {
    client.slots[part.head].total += number_of(reply);
  } else if (part.use >= Use::first) {
    gather(s, part, slot, reply);
  } else if (part.use != Use::all_ok && part.use != Use::server_ok) {
    if (part.slot == part.head && client.slots.first() == part.slot) {
      write_answer(client.out, part, slot, reply);
      client.slots.pop();
      return emit(client, part.client);
    }
    scratch_.clear();
    write_answer(scratch_, part, slot, reply);
    slot.bytes.swap(scratch_);
  }
  keep(client, slot);
  finish(client, part.client, part);
}

bool Proxy::is_miss(const Part& part) const noexcept {
  return pool_.failing.on_failure == OnFailure::miss && part.read;
}

std::string Proxy::failure_text(std::string_view server, std::string_view why) const {
  if (is_error(pool_.protocol, why)) return std::string(why);
  const std::string name = server.empty() ? std::string() : std::string(server) + ": ";
  return (pool_.protocol == Protocol::redis ? "-ERR " : "SERVER_ERROR ") + name + std::string(why) + "\r\n";
}

void Proxy::fail(const Part& part, std::string_view server, std::string_view why) {
  if (part.riders) riders_.take(part.riders, [&](const Part& rider) { fail(rider, server, why); });
  if (is_own(part.use) || part.use == Use::nothing) return;
  Client& client = clients_[part.client];
  if (client.generation != part.generation) return;
  ++counters_.failed_parts;
  client.watch_lost |= client.lane != nobody;
  Slot& slot = client.slots[part.slot];
  Slot& head = client.slots[part.head];
  // What a server says itself is told; policies are for those that say nothing.
  const bool missed = is_miss(part) && !is_error(pool_.protocol, why);
  if (slot.kind == Slot::Kind::value) {
    slot.failed = !missed;
    slot.bytes = slot.failed ? failure_text(server, why) : std::string();
  } else if (missed) {
    slot.bytes = part.use == Use::quiet              ? ""
                 : pool_.protocol != Protocol::redis ? "EN\r\n"
                 : client.session.protocol == 3      ? "_\r\n"
                                                     : "$-1\r\n";
  } else if (!head.failed) {
    head.failed = true;
    head.bytes = failure_text(server, why);
  }
  finish(client, part.client, part);
}

// One part less to wait for: of its slot, and of the slot that waits for all parts of the request.
void Proxy::finish(Client& client, ClientId id, const Part& part) {
  Slot& head = client.slots[part.head];
  if (head.waits > 0 && --head.waits == 0 && !head.failed) {
    if (part.use == Use::total) head.bytes = ":" + std::to_string(head.total) + "\r\n";
    if (part.use == Use::all_ok) head.bytes = "+OK\r\n";
    if (part.use == Use::server_ok) head.bytes = "OK\r\n";
    if (part.use >= Use::first) gathered(part.use, head);
  }
  if (part.slot != part.head) client.slots[part.slot].waits = 0;
  emit(client, id);
}

void Proxy::emit_front(Client& client) {
  Slot& slot = client.slots.front();
  if (slot.kind == Slot::Kind::value && slot.failed) {
    client.failure = slot.bytes;
  } else if (slot.kind == Slot::Kind::end && !client.failure.empty()) {
    client.out.append(client.failure);
    client.failure.clear();
    ++counters_.errors;
  } else {
    client.out.append(slot.bytes);
  }
  const std::uint32_t elements = slot.failed ? slot.elements : 0;
  // An array that is an error now has no elements.
  for (std::uint32_t i = 0; i <= elements; ++i) {
    unkeep(client, client.slots.front());
    client.slots.pop();
  }
}

void Proxy::emit(Client& client, ClientId id) {
  while (!client.slots.empty() && client.slots.front().waits == 0) emit_front(client);
  if (!client.out.empty() || finished(id)) list(clients_to_send_, clients_, id);
}

}  // namespace arcwise::router
