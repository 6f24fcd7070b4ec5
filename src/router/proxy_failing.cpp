// While a server does not answer, and when it is back: whom its keys are asked of, and what is done before it
// is asked again.
#include "router/proxy.hpp"

namespace arcwise::router {
namespace {

constexpr std::string_view returning = "it comes back in a moment";
constexpr std::string_view left_elsewhere =
    "it is away again, and copies of its keys may be left elsewhere from the last time";
constexpr std::string_view nobody_else = "it does not answer, nor does any other that could be asked";
constexpr std::string_view not_heard = "it does not answer";

constexpr milliseconds default_patience{1000};

// memcached's clock goes by seconds, and an item may live one longer.
constexpr std::chrono::seconds clock_error{2};

}  // namespace

void Proxy::warn() {
  const auto say = [&](Severity severity, const char* name, const char* text) {
    events_.push_back({0, {}, severity, name, pool_.name, "", text});
  };
  if (pool_.failing.auto_eject)
    say(Severity::warning, "auto_eject",
        "servers that fail are ejected as by twemproxy: their keys move, and old values come back with them");
  if (leaves() && !pool_.timeout)
    say(Severity::warning, "no_timeout",
        "without `timeout` a server that is silent is waited for, and nobody asked instead");
}

milliseconds Proxy::patience() const noexcept {
  return pool_.timeout.value_or(default_patience);
}

// Spare servers are chosen by rendezvous: each takes its part of any other's keys.
void Proxy::use_gutter() {
  for (Server& server : servers_)
    if (!server.standing) server.standing = &pool_.standings->of(server.address);
  gutter_.reset();
  gutter_of_.clear();
  ClusterMap::Parts parts;
  parts.placement.recipe = find_recipe("rendezvous");
  parts.placement.hash = parts.placement.recipe->hash;
  for (const std::string& address : pool_.failing.gutter) {
    Node& node = parts.nodes.emplace_back();
    node.name = node.label = node.host = node.address = address;
    const ServerId s = servers_.at(address);
    servers_[s].standing = &pool_.standings->of(address);
    gutter_of_.push_back(s);
  }
  mask_words_.assign(std::max(server_of_.size(), gutter_of_.size()) / 64 + 1, 0);
  skipped_.clear();
  if (gutter_of_.empty()) return;
  if (const auto map = ClusterMap::build(std::move(parts))) gutter_ = compile(*map);
}

bool Proxy::leaves() const noexcept {
  const Failing& failing = pool_.failing;
  return failing.on_failure == OnFailure::next || failing.on_failure == OnFailure::gutter ||
         failing.on_return == OnReturn::flush || failing.ramp.count() > 0;
}

// Another loop may have brought it back since this one lost it.
bool Proxy::must_wait(const Server& server, Time now) const noexcept {
  if (server.state == State::stalled) return true;
  return server.state == State::waiting && now < server.retry && server.returns == server.standing->returns();
}

Target Proxy::refusal(ServerId s, std::string_view why) const noexcept {
  const Server& server = servers_[s];
  if (!why.empty()) return {s, false, why};
  if (!server.why.empty()) return {s, false, server.why};
  return {s, false, server.state == State::up ? returning : not_heard};
}

Target Proxy::all_of(ServerId s) const noexcept {
  if (s == nobody || servers_[s].standing->here()) return {s};
  return refusal(s);
}

Target Proxy::instead_of(std::string_view key, ServerId owner, Deed deed, Time now) {
  const std::uint16_t place = Standing::place(pool_.placement.routing_key(key));
  Standing& standing = *servers_[owner].standing;
  const Failing& failing = pool_.failing;
  if (failing.on_failure == OnFailure::error || failing.on_failure == OnFailure::miss) {
    if (standing.serves(place) && !must_wait(servers_[owner], now)) return {owner};
    if (deed == Deed::remove && pool_.protocol == Protocol::memcached)
      standing.record_removal(key, failing, now);
    return refusal(owner);
  }
  // It may come back between one look and the next.
  for (int attempt = 0; attempt < 3; ++attempt) {
    const Target target = another(key, owner, place, now);
    if (deed == Deed::read || !target.why.empty()) return target;
    bool back = false;
    if (records(key, place, now, back)) return target;
    if (!back) break;
  }
  return refusal(owner, returning);
}

// The first that may be used of those who would own the key if the ones before were not there.
Target Proxy::another(std::string_view key, ServerId owner, std::uint16_t place, Time now) {
  skipped_.clear();
  const auto end = [&](const Target& target) {
    std::fill(mask_words_.begin(), mask_words_.end(), 0);
    return target;
  };
  for (ServerId at = owner;;) {
    const Server& server = servers_[at];
    if (server.standing->serves(place)) return end({at, at != owner});
    if (server.standing->barred(now)) return end(refusal(owner, left_elsewhere));
    skipped_.push_back(at);
    const bool spare = pool_.failing.on_failure == OnFailure::gutter;
    const std::vector<ServerId>& ids = spare ? gutter_of_ : server_of_;
    for (std::size_t n = 0; n < ids.size(); ++n)
      if (ids[n] == at) mask_words_[n / 64] |= std::uint64_t{1} << (n % 64);
    const Placement* placement = spare ? (gutter_ ? &*gutter_ : nullptr) : &pool_.placement;
    NodeIndex next = no_node;
    if (placement) placement->owners({key, placement->hash(key), NodeMask(mask_words_)}, std::span(&next, 1));
    if (next == no_node) return end(refusal(owner, nobody_else));
    at = ids[next];
  }
}

bool Proxy::records(std::string_view key, std::uint16_t place, Time now, bool& back) {
  const Time until = now + pool_.failing.longest_ttl + clock_error + pool_.timeout.value_or(milliseconds(0));
  for (const ServerId s : skipped_) {
    const auto record = servers_[s].standing->record(key, place, pool_.failing, until);
    back = record == Standing::Record::back;
    if (record != Standing::Record::done) return false;
  }
  return true;
}

TtlCap Proxy::ttl_cap(Time now) const noexcept {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now).count();
  return {pool_.failing.longest_ttl, wall_offset_ == 0 ? 0 : wall_offset_ + seconds};
}

std::string_view Proxy::capped_time(std::string_view time, const Target& target, Time now) {
  if (!target.elsewhere) return time;
  capped_.clear();
  append_capped(capped_, time, ttl_cap(now));
  return capped_;
}

std::string_view Proxy::capped_rest(const McRequest& request, Time now) {
  capped_.clear();
  append_capped_rest(capped_, request, ttl_cap(now));
  return capped_;
}

void Proxy::cap_flags(McVerb verb, std::string& flags, Time now) {
  capped_.clear();
  append_capped_flags(capped_, verb, flags, ttl_cap(now));
  flags.swap(capped_);
}

// The server is given up, and its keys are asked elsewhere from now on, by all loops.
void Proxy::away(ServerId s, std::string_view why, Time now) {
  Server& server = servers_[s];
  if (server.fencing > 0) server.standing->abandoned(this);
  server.fencing = 0;
  server.probing = false;
  server.proved = Time(-1);
  if (!leaves() || server.left || !server.standing->leave(now)) return;
  note(Severity::warning, "server_away", server, why);
}

// What was given up has been done by now, or never will be.
void Proxy::drained(ServerId s, Time now) {
  Server& server = servers_[s];
  if (!std::exchange(server.owes, false)) return;
  pool_.standings->written_late(server.owes_since, now + pool_.failing.longest_ttl + clock_error);
  server.standing->pay();
}

// `server.failures` counts what has gone before this one.
void Proxy::failed(ServerId s, Time now) {
  Server& server = servers_[s];
  if (server.left) return;
  server.counted = now;
  if (server.failures <= 1 || server.state == State::stalled) look_for_cascade(s, now);
  const Failing& failing = pool_.failing;
  if (!failing.auto_eject || server.standing->ejected_until() > now) return;
  if (!server.standing->count_failure(failing.failure_limit, now + failing.eject_for)) return;
  note(Severity::warning, "server_ejected", server, "its keys move to others, and come back with it");
  reduce(now);
}

void Proxy::look_for_cascade(ServerId s, Time now) {
  const auto at = std::find(server_of_.begin(), server_of_.end(), s);
  if (at == server_of_.end()) return;
  const auto node = static_cast<NodeIndex>(at - server_of_.begin());
  const auto chain = pool_.standings->failed(pool_.placement, node, pool_.failing, now);
  if (chain.empty()) return;
  constexpr std::size_t named = 3;  // at each end
  std::string names;
  for (std::size_t i = 0; i < chain.size(); ++i)
    if (i < named || i + named >= chain.size())
      names += (names.empty() ? "" : ", ") + servers_[server_of_[chain[i]]].name;
    else if (i == named)
      names += ", " + std::to_string(chain.size() - 2 * named) + " others";
  note(Severity::alarm, "cascade", servers_[s],
       names +
           " failed one after the other, each the next owner of a large part of the keys of the one before: "
           "what one was asked may have felled the next");
}

// As nutcracker: the ring is built anew of the servers that are left, whose points may change with it.
void Proxy::reduce(Time now) {
  const bool same = ejections_ == pool_.standings->ejections();
  if (same && (!reduced_ || now < reduced_->until)) return;
  ejections_ = pool_.standings->ejections();
  auto reduced = std::make_unique<Reduced>();
  reduced->until = Time::max();
  ClusterMap::Parts parts = pool_.placement.map().parts();
  std::vector<Node> nodes;
  for (std::size_t n = 0; n < server_of_.size(); ++n) {
    const Time until = servers_[server_of_[n]].standing->ejected_until();
    if (until > now) {
      reduced->until = std::min(reduced->until, until);
      continue;
    }
    nodes.push_back(std::move(parts.nodes[n]));
    reduced->servers.push_back(server_of_[n]);
  }
  reduced_.reset();
  // Owners that are listed range by range are nobody else's keys.
  if (nodes.size() == server_of_.size() || !parts.placement.table.empty()) return;
  parts.nodes = std::move(nodes);
  if (!parts.nodes.empty()) {
    const auto map = ClusterMap::build(std::move(parts));
    if (!map) return;
    reduced->placement = compile(*map);
  }
  reduced_ = std::move(reduced);
}

// A server that says nothing is told of, whatever its requests are allowed to take, or none would ever say
// that a stopped server of a pool without `timeout` does not answer.
Time Proxy::seems_silent_at(const Server& server) const noexcept {
  const milliseconds every = pool_.failing.probe_every;
  if (server.state != State::up || server.silent || server.parts.empty()) return Time::max();
  return std::max(server.parts.front().sent, server.heard) + (every.count() > 0 ? every : default_patience) +
         Time(1);
}

void Proxy::look_whether_silent(ServerId s, Time now) {
  Server& server = servers_[s];
  if (now < seems_silent_at(server)) return;
  server.silent = true;
  note(Severity::warning, "server_silent", server,
       pool_.timeout ? "it says nothing; it has its time still"
                     : "it says nothing; without `timeout` it is waited for");
}

void Proxy::is_heard(ServerId s, Time now) {
  Server& server = servers_[s];
  server.heard = now;
  if (!std::exchange(server.silent, false) || server.state != State::up) return;
  note(Severity::note, "server_heard", server, "it answers again");
}

// Before a client pays for it: whether a server answers, and what its return waits for.
void Proxy::look_after(ServerId s, Time now) {
  Server& server = servers_[s];
  if (server.left) return;
  if (server.home != s) return end_spare(s, now);
  // A twemproxy would ask it again and again, and count.
  if (pool_.failing.auto_eject && server.state == State::stalled && now - server.counted > patience())
    failed(s, now);
  look_whether_silent(s, now);
  const Standing& standing = *server.standing;
  const milliseconds every = pool_.failing.probe_every;
  const bool asked_for = every.count() > 0 || standing.away();
  if (server.state == State::idle || (server.state == State::waiting && !must_wait(server, now))) {
    if (asked_for) begin_connection(s, now);
    return;
  }
  if (server.state != State::up || server.probing) return;
  if (!standing.away()) {
    if (every.count() > 0 && server.parts.empty() && now - server.heard >= every) probe(s, now);
    return;
  }
  if (server.fencing > 0 || now < server.return_after) return;
  if (server.proved < standing.left()) return probe(s, now);
  if (const auto task = server.standing->begin_return(this, pool_.failing, now)) carry_out(s, *task, now);
}

// When look_after() has something to do by itself.
Time Proxy::looked_after_at(const Server& server, Time now) const noexcept {
  constexpr milliseconds soon{20};  // another loop, or another server's return, is waited for
  if (server.left) return Time::max();
  if (&server != &servers_[server.home]) return ends_at(server);
  if (pool_.failing.auto_eject && server.state == State::stalled)
    return server.counted + patience() + Time(1);
  const milliseconds every = pool_.failing.probe_every;
  const bool away = server.standing->away(), asked_for = every.count() > 0 || away;
  if (server.state == State::idle) return asked_for ? now : Time::max();
  if (server.state == State::waiting) return asked_for ? server.retry : Time::max();
  const Time silent = seems_silent_at(server);
  if (server.state != State::up || server.probing) return silent;
  if (away) return server.fencing > 0 ? silent : std::min(silent, std::max(server.return_after, now + soon));
  return every.count() > 0 && server.parts.empty() ? server.heard + every : silent;
}

}  // namespace arcwise::router
