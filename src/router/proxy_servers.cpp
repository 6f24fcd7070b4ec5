// Connections to servers: how they begin, what comes by them, and how they end.
#include "router/proxy.hpp"
#include "router/reply.hpp"

namespace arcwise::router {
namespace {

constexpr milliseconds longest_silence{30'000};  // after which the kernel ends a connection, too: socket.cpp

}  // namespace

// A server that has left and owes no answer.
void Proxy::let_go(ServerId s) {
  Server& server = servers_[s];
  if (server.owes_nothing() && (server.state == State::up || server.state == State::connecting))
    connections_.leave(s);
}

void Proxy::begin_connection(ServerId s, Time now) {
  Server& server = servers_[s];
  enter(s, State::connecting, now);
  servers_.look_at(s);
  connections_.begin(s);
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

void Proxy::enter(ServerId s, State state, Time now) {
  if (servers_[s].state == state) return;
  servers_[s].state = state;
  servers_[s].since = now;
}

void Proxy::connected(ServerId s, Time now) {
  Server& server = servers_[s];
  enter(s, State::up, now);
  server.why.clear();
  if (server.failures > 0) note(Severity::note, "server_connected", server, "it can be reached again");
  server.heard = now;
  servers_to_send_.add(servers_, s);
}

void Proxy::lost(ServerId s, std::string_view why, Time now) {
  Server& server = servers_[s];
  connections_.over(s);
  if (server.state == State::idle || server.state == State::waiting) return;
  // An idle connection may be closed by the server: the next request makes another.
  const bool let_go = server.owes_nothing() && (server.left || server.state == State::up);
  const bool was_up = server.state == State::up;
  const bool further = s != server.home;
  server.why = let_go ? std::string_view() : why;
  enter(s, let_go || further ? State::idle : State::waiting, now);
  if (further) lose_lane(s);
  servers_.may_rest();
  if (!let_go && !further && server.failures == 0) note(Severity::warning, "server_lost", server, why);
  server.meta = server.silent = false;
  server.scanner = {};
  server.skip = server.part_in = 0;
  const auto wait =
      std::min(pool_.failing.last_retry, pool_.failing.first_retry * (1u << std::min(server.failures, 10u)));
  server.retry = now + wait;
  if (!further) ++server.failures;
  if (let_go) server.failures = 0;
  if (!let_go && server.trouble < Time{}) server.trouble = now;
  if (!let_go && !further) failed(s, now);
  if (!let_go && !further) away(s, why, now);
  drained(s, now);
  server.in.clear();
  server.out.clear();
  drop_held(s, why);
  while (!server.parts.empty()) {
    const Part part = server.parts.front();
    server.parts.pop();
    if (is_own(part.use)) --server.own;
    if (part.size > 0 && was_up && may_ask_again(s, part, now)) continue;
    server.kept.consume(part.size);
    ++server.failed;
    fail(part, server.name, why);
  }
  if (server.held.empty()) return;
  begin_connection(s, now);
  release(s, now);
}

// Somebody waits for its answer, or for the answer of one who shares it.
bool Proxy::is_awaited(const Part& part) const noexcept {
  if (is_own(part.use)) return part.use != Use::sentinel;
  return part.riders != 0 ||
         (part.use != Use::nothing && clients_[part.client].generation == part.generation);
}

// What is behind it was sent later: each part is passed over once.
std::uint64_t Proxy::first_awaited(const Server& server) const noexcept {
  std::uint64_t i = std::max(server.parts.first(), server.awaited);
  while (i != server.parts.end() && !is_awaited(server.parts[i])) ++i;
  return i;
}

// The time after which it has said nothing for too long. Time::max(): it owes nothing, or may take for ever.
Time Proxy::silent_at(const Server& server) const noexcept {
  const bool connected = server.state == State::connecting || server.state == State::up;
  if (!pool_.timeout || !connected || server.parts.empty()) return Time::max();
  return std::max({server.parts.front().sent, server.heard, server.delivered}) + *pool_.timeout + Time(1);
}

// A stalled server owes answers, and is used again when it has given them; it may never do, as with half an
// answer. Where they are all of reads its connection can be ended, for nothing will come of them later. What
// a write does that was given up nobody could tell.
Time Proxy::hopeless_at(const Server& server) const noexcept {
  if (server.state != State::stalled || server.parts.first() < server.last_change) return Time::max();
  return std::max({server.since, server.heard, server.delivered}) + longest_silence;
}

// The time after which something is given up: all that it owes, when it is silent, or what somebody waits for
// and is older than it may be, though the server answers others. Worked example, a timeout of 400 ms and a
// server that takes 100 ms for each of 20 reads that were sent together: four are answered. At 400 ms the
// others are given up, at their own age; those of a client that came at 300 ms are awaited until 700 ms.
// While large answers come in nobody's age counts: who asks for many of them would cost others their server.
Time Proxy::given_up_at(const Server& server) const noexcept {
  if (!pool_.timeout || server.parts.empty()) return Time::max();
  const std::uint64_t first = first_awaited(server);
  if (first == server.parts.end()) return silent_at(server);
  return std::min(silent_at(server),
                  std::max(server.parts[first].sent, server.delivered) + *pool_.timeout + Time(1));
}

void Proxy::time_out(ServerId s, Time now) {
  Server& server = servers_[s];
  ++counters_.timeouts;
  ++server.timeouts;
  const bool silent = now >= silent_at(server);
  const std::string limit = std::to_string(pool_.timeout->count()) + " ms";
  const std::string why = silent ? "no reply for " + limit : "replies take longer than " + limit;
  if (server.state == State::up && !pool_.failing.draining) return connections_.end(s, why);
  if (server.state == State::connecting) return connections_.end(s, why);
  if (server.state == State::up) stall(s, why, now);
  give_up(s, why, silent ? now : now - *pool_.timeout - Time(1));
}

void Proxy::stall(ServerId s, std::string_view why, Time now) {
  Server& server = servers_[s];
  enter(s, State::stalled, now);
  server.why = servers_[server.home].why = why;
  if (server.trouble < Time{}) server.trouble = now;
  note(Severity::warning, "server_stalled", server, why);
  drop_held(s, why);
  server.owes = true;
  server.owes_since = now;
  server.standing->owe();
  server.fencing = 0;
  failed(server.home, now);
  away(server.home, why, now);
  server.last_change = server.parts.first();
  for (std::uint64_t i = server.parts.first(); i != server.parts.end(); ++i) {
    const Part& part = server.parts[i];
    if (is_own(part.use) ? part.use == Use::fence : !part.pure) server.last_change = i + 1;
  }
  own_question(s, Use::sentinel, sentinel(pool_.protocol, now), now, McReply::version);
}

// What was sent until then, is not answered and has not been given up. What is owed for it stays owed.
void Proxy::give_up(ServerId s, std::string_view why, Time sent) {
  Server& server = servers_[s];
  std::uint64_t i = first_awaited(server);
  for (; i != server.parts.end() && server.parts[i].sent <= sent; ++i) {
    const Part part = server.parts[i];
    if (is_own(part.use) && part.use != Use::fence) continue;
    if (is_own(part.use)) --server.own;
    server.parts[i].use = Use::nothing;
    server.parts[i].riders = 0;
    fail(part, server.name, why);
  }
  server.awaited = i;
}

}  // namespace arcwise::router
