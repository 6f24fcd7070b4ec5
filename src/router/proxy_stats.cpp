// What a proxy counts of each answer: plain integers of the server, no more than a few lines of cache.
#include <algorithm>
#include <cstring>

#include "router/proxy.hpp"

namespace arcwise::router {
namespace {

constexpr std::size_t most_slow = 16;  // of one tick: what comes behind these is of the same moment

enum class Found : std::uint8_t { hit, miss, neither };

// "VA", "VALUE" and "HD" found something, "EN" and "END" did not; of Redis "$-1" and "_", also as the one
// element of an array, are nothing.
Found found(Protocol protocol, std::string_view reply) noexcept {
  if (protocol == Protocol::memcached) {
    if (reply.starts_with('V') || reply.starts_with("HD")) return Found::hit;
    return reply.starts_with("EN") ? Found::miss : Found::neither;
  }
  if (reply.starts_with('-') || reply.starts_with('!')) return Found::neither;
  if (reply.starts_with("*1\r\n")) reply.remove_prefix(4);
  return reply.starts_with("$-1") || reply.starts_with('_') ? Found::miss : Found::hit;
}

}  // namespace

void Part::Label::set(std::string_view command, std::string_view key) noexcept {
  const auto add = [this](std::string_view bytes) {
    const std::size_t fits = std::min(bytes.size(), text.size() - size);
    if (fits) std::memcpy(text.data() + size, bytes.data(), fits);
    size = static_cast<std::uint8_t>(size + fits);
  };
  size = 0;
  add(command);
  add(" ");
  add(key);
}

void Proxy::count_answer(Server& server, const Part& part, std::string_view reply, Time now) {
  if (is_own(part.use)) return;
  const Time took = now - part.sent;
  server.latency.add(static_cast<std::uint64_t>(took.count()));
  if (pool_.limits.slow.count() > 0 && took > pool_.limits.slow && slow_.size() < most_slow)
    slow_.push_back({{},
                     pool_.name,
                     server.name,
                     std::string(part.label.view()),
                     static_cast<std::uint64_t>(took.count())});
  if (!part.read && part.use != Use::value) return;
  const Found what = found(pool_.protocol, reply);
  server.hits += what == Found::hit;
  server.misses += what == Found::miss;
}

void count_of(const Server& server, Time now, ServerStats& out) {
  if (!server.parts.empty())
    out.waited_us =
        static_cast<std::uint64_t>((now - std::max(server.parts.front().sent, server.heard)).count());
  out.in_flight = server.parts.size();
  out.queued = server.held.size();
  out.requests = server.requests;
  out.failures = server.failed;
  out.timeouts = server.timeouts;
  out.hits = server.hits;
  out.misses = server.misses;
  out.bytes_sent = server.out.consumed();
  out.bytes_received = server.in.consumed();
  out.latency = server.latency;
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
    to.state = server.silent && server.state == State::up ? State::silent : server.state;
    to.why = server.why;
    // Attempts to connect are of one absence.
    const bool attempts = server.state == State::connecting || server.state == State::waiting;
    const Time since = attempts && server.trouble >= Time{} ? server.trouble : server.since;
    to.since_us = static_cast<std::uint64_t>((now - since).count());
    to.usable = server.standing->share();
    count_of(server, now, to);
  }
  add_lanes(out, now);
  return out;
}

}  // namespace arcwise::router
