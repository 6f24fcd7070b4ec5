// Overload: requests that wait for their turn, that share an answer, that are asked again, and that go to
// another server because their own has its part of what is in flight.
#include "router/memcached_key.hpp"
#include "router/proxy.hpp"
#include "router/redis_request.hpp"

namespace arcwise::router {
namespace {

constexpr std::size_t most_held = 65'536;     // requests that wait at one server
constexpr std::chrono::seconds busy_for{10};  // after a refusal a server counts as busy, which is told once

}  // namespace

void Proxy::use_overload() {
  const Overload& overload = pool_.overload;
  guarded_ = overload.in_flight > 0 || overload.coalesce || overload.retry_budget > 0;
  // Of what was written while nobody counted nothing is known.
  pool_.marks->wrote(all_marks);
  bounded_.reset();
  // Of Redis, a command's keys must be where its other keys are.
  if (overload.bound && pool_.protocol == Protocol::memcached)
    bounded_.emplace(pool_.placement, Bound{BoundRule::arcwise, *overload.bound, {}});
}

// The command stands at the end of the server's bytes, from `before` on. Where it is not sent now, it is
// taken away again.
void Proxy::guard(ServerId s, Part& part, std::size_t before) {
  Server& server = servers_[s];
  // What waits is sent in the order in which it came, so that this is its place among the writes.
  if (part.pure && part.mark < all_marks) part.seen = pool_.marks->seen(part.mark);
  if (!part.pure) pool_.marks->wrote(part.mark);
  const std::string_view command = server.out.view().substr(before);
  if (share(s, part, command)) return server.out.truncate(before);
  if (has_turn(server) && server.held.empty()) return ask(s, part, command);
  const bool waits = pool_.overload.queue_deadline > milliseconds(0) && server.held.size() < most_held;
  if (waits) server.held.push(part, command);
  server.out.truncate(before);
  if (!waits) return busy(part, server, std::to_string(server.asked()) + " requests are in flight");
  ++counters_.overload.waited;
}

bool Proxy::has_turn(const Server& server) const noexcept {
  return pool_.overload.in_flight == 0 || server.asked() < pool_.overload.in_flight;
}

// The command is among the server's bytes.
void Proxy::ask(ServerId s, const Part& how, std::string_view command) {
  Server& server = servers_[s];
  Part& part = server.parts.push();
  part = how;
  part.size = 0;
  ++server.requests;
  if (!part.pure) return;
  if (pool_.overload.retry_budget > 0) {
    budget_.earn(pool_.overload.retry_budget);
    part.size = static_cast<std::uint32_t>(command.size());
    server.kept.append(command);
  }
  if (!pool_.overload.coalesce || part.mark >= all_marks || command.size() > ReadsInFlight::longest_command)
    return;
  ReadsInFlight::Read& read = reads_.at(s, command);
  read.server = s;
  read.part = server.parts.end() - 1;
  read.seen = part.seen;
  read.command.assign(command);
}

bool Proxy::share(ServerId s, const Part& part, std::string_view command) {
  if (!pool_.overload.coalesce || !part.pure || part.mark >= all_marks) return false;
  const ReadsInFlight::Read& read = reads_.at(s, command);
  Server& server = servers_[s];
  if (read.server != s || read.command != command || !server.parts.holds(read.part)) return false;
  Part& first = server.parts[read.part];
  // One that was given up is answered when its server likes; and who rides on another is given up with it.
  if (first.use == Use::nothing || read.seen != part.seen) return false;
  if (pool_.timeout && part.sent - first.sent > *pool_.timeout / 2) return false;
  first.riders = riders_.add(first.riders, part);
  ++counters_.overload.shared;
  return true;
}

// As many of those that wait as may be in flight now.
void Proxy::release(ServerId s, Time now) {
  Server& server = servers_[s];
  while (!server.held.empty() && has_turn(server)) {
    Part part = server.held.front();
    part.sent = now;
    const std::string_view command = server.held.command();
    if (!share(s, part, command)) {
      server.out.append(command);
      ask(s, part, command);
      servers_to_send_.add(servers_, s);
    }
    server.held.pop();
  }
}

void Proxy::refuse_late(ServerId s, Time now) {
  Server& server = servers_[s];
  while (!server.held.empty() && now - server.held.front().sent > pool_.overload.queue_deadline) {
    const Part part = server.held.front();
    server.held.pop();
    busy(part, server, "no turn within " + std::to_string(pool_.overload.queue_deadline.count()) + " ms");
  }
}

void Proxy::drop_held(ServerId s, std::string_view why) {
  Server& server = servers_[s];
  for (; !server.held.empty(); ++server.failed) {
    const Part part = server.held.front();
    server.held.pop();
    fail(part, server.name, why);
  }
}

// The connection is lost, and with it the answer to a read that may be asked again: it waits for the next
// one.
bool Proxy::may_ask_again(ServerId s, const Part& part, Time now) {
  Server& server = servers_[s];
  if (!is_awaited(part) || part.again || server.left) return false;
  const std::string_view command = server.kept.view().substr(0, part.size);
  const ServerId to = whom_to_ask_again(s, command, now);
  if (to == nobody || !budget_.spend()) return false;
  Part next = part;
  next.again = true;
  servers_[to].held.push(next, command);
  server.kept.consume(part.size);
  ++counters_.overload.repeated;
  if (to != s) {
    ++counters_.elsewhere;
    release(to, now);
  }
  return true;
}

// Its server or, when its keys are asked elsewhere from now on, that one. A server that has not said yet
// whether it knows meta commands is not asked one.
ServerId Proxy::whom_to_ask_again(ServerId s, std::string_view command, Time now) {
  const Server& server = servers_[s];
  if (server.standing->here()) return s;
  const Target target = target_of_read(server.home, command, now);
  if (target.server == nobody || target.server == server.home || !target.why.empty()) return nobody;
  if (command.starts_with("mg ") && !servers_[target.server].meta) return nobody;
  if (must_wait(servers_[target.server], now)) return nobody;
  for (const ServerId to : {target.server, shared_lane(target.server, server.protocol)})
    if (servers_[to].state == State::idle || servers_[to].state == State::waiting) begin_connection(to, now);
  return shared_lane(target.server, server.protocol);
}

Target Proxy::target_of_read(ServerId owner, std::string_view command, Time now) {
  if (pool_.protocol == Protocol::memcached) {
    McRequest request;
    if (parse_memcached(command, pool_.limits.memcached, request).what != McParsed::What::request) return {};
    if (request.verb == McVerb::meta_get)
      return target_of(McKey(request.key, request.has('b')).view(), Deed::read, now);
    return target_of(next_word(request.rest), Deed::read, now);
  }
  RespRequest request;
  if (request.parse(command, pool_.limits.redis).what != RespRequest::What::request) return {};
  const FoundCommand found{request, command};
  const RedisCommand* known = find_redis_command(found.name(), found.second());
  return known ? target_of_all(*known, found.words(), owner, now) : Target{};
}

// Clients of Redis take TRYAGAIN for what may work a moment later.
void Proxy::busy(const Part& part, Server& server, std::string_view why) {
  ++counters_.overload.refused;
  if (part.sent >= server.busy_until) note(Severity::warning, "server_busy", server, why);
  server.busy_until = part.sent + busy_for;
  const std::string text = "busy: " + server.name + ": " + std::string(why) + "\r\n";
  fail(part, server.name, (pool_.protocol == Protocol::redis ? "-TRYAGAIN " : "SERVER_ERROR ") + text);
}

// What is written elsewhere does not stay there, and what the owner has of it is old.
Target Proxy::within_bound(ServerId owner, std::string_view key, Deed deed, Time now) {
  Target target{owner};
  if (owner == nobody) return target;
  loads_.resize(server_of_.size());
  for (std::size_t n = 0; n < loads_.size(); ++n) loads_[n] = servers_[server_of_[n]].asked();
  const NodeIndex node = bounded_->pick({key, pool_.placement.hash(key), {}}, loads_);
  if (node == no_node || server_of_[node] == owner || !servers_[server_of_[node]].standing->here())
    return target;
  Server& server = servers_[owner];
  // An earlier write may wait there, and would be done after what is dropped now.
  if (deed != Deed::read && !server.held.empty()) return target;
  ++counters_.overload.spilled;
  target.server = server_of_[node];
  target.elsewhere = true;
  if (deed == Deed::read) return target;
  Part& part = server.parts.push();
  part = {};
  part.use = Use::nothing;
  part.sent = now;
  const McDeletion deletion = mc_deletion(key);
  part.reply = deletion.reply;
  server.out.append(deletion.command);
  servers_to_send_.add(servers_, owner);
  return target;
}

}  // namespace arcwise::router
