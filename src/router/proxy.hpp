// The router between its connections: bytes and time in, bytes and wishes out. It owns no socket.
//
// Every request becomes slots in its client's queue, in the order in which the client will read, and parts on
// the queues of servers, in the order in which these will answer. A part knows its slot. What can be said of
// the first slot goes out; the rest waits in its slot. So "get a b c" is three values and an end, each
// answered by whom it may be, and always read in order.
//
// Worked example: `get a b` with a on x and b on y, answered by y first.
//     client's slots   value(a)  value(b)  end        x's parts   →value(a)        y's parts   →value(b)
// y's answer is kept in value(b). x's answer goes straight out, then value(b), then END.
//
// Layer: router. One thread. In steady state nothing is allocated: slots, parts and buffers are reused.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arcwise/bounded.hpp"
#include "router/client.hpp"
#include "router/coalesce.hpp"
#include "router/event.hpp"
#include "router/pool.hpp"
#include "router/redis_commands.hpp"
#include "router/servers.hpp"
#include "router/stats.hpp"
#include "router/target.hpp"
#include "router/ttl_cap.hpp"
#include "router/wishes.hpp"

namespace arcwise::router {

class Proxy {
 public:
  using ClientId = router::ClientId;
  using ServerId = router::ServerId;
  explicit Proxy(Pool pool);

  // Clients
  ClientId add_client();
  void refused_client() noexcept { ++counters_.overload.clients_refused; }
  Buffer& client_in(ClientId id) noexcept { return clients_[id].in; }
  Buffer& client_out(ClientId id) noexcept { return clients_[id].out; }
  /// There are new bytes in client_in(), or room in client_out().
  void serve(ClientId id, Time now);
  /// It will say no more, and is to be answered all the same.
  void hang_up(ClientId id, Time now);
  void drop_client(ClientId id);
  bool wants_bytes(ClientId id) const noexcept;
  /// It has more to be served, for which there was no room and now is: serve() it.
  bool waits_for_service(ClientId id) const noexcept {
    return clients_[id].stopped && has_room(clients_[id]);
  }
  /// Little has been answered of what it waits for.
  bool has_more_to_hear(ClientId id) const noexcept;
  /// It has said all it had to: close when client_out() is sent.
  bool finished(ClientId id) const noexcept;
  /// It waits for nothing, and has not begun to ask.
  bool idle(ClientId id) const noexcept {
    const Client& client = clients_[id];
    return client.slots.empty() && client.in.empty() && client.out.empty() && !client.transaction;
  }
  std::size_t clients() const noexcept { return client_count_; }
  /// Connections that it needs at once, but for those of clients that watch keys.
  std::size_t servers_at_most() const noexcept;

  // Servers. A server is an address; it keeps its number, and its connection, from one map to the next.
  static constexpr ServerId nobody = router::nobody;
  const std::string& address(ServerId s) const noexcept { return servers_[s].address; }
  Buffer& server_in(ServerId s) noexcept { return servers_[s].in; }
  Buffer& server_out(ServerId s) noexcept { return servers_[s].out; }
  void connected(ServerId s, Time now);
  /// There are new bytes in server_in(). False: it broke the protocol; its connection must be closed.
  bool answered(ServerId s, Time now);
  void lost(ServerId s, std::string_view why, Time now);

  /// From the next request on, keys go where the new pool's map says. What is under way is answered by whom
  /// it was sent to; a server that has left is let go then. Listening address and protocol stay.
  void adopt(Pool pool);

  // Time
  void tick(Time now);
  /// When tick() has something to do even if nothing happens until then; Time::max(): never. Whatever tick()
  /// waits for must be told here, for the loop sleeps that long.
  Time deadline(Time now) const noexcept;

  /// What the loop has to do: send what clients' and servers' buffers hold, connect, and close.
  template <class Act>
  void each_client_to_send(Act&& act) {
    clients_to_send_.take(clients_, act);
  }
  template <class Act>
  void each_server_to_send(Act&& act) {
    servers_to_send_.take(servers_, act);
  }
  template <class Act>
  void each_to_connect(Act&& act) {
    connections_.each_to_begin(act);
  }
  /// `act(server, why)` ends its connection and says so: lost().
  template <class Act>
  void each_to_disconnect(Act&& act) {
    connections_.each_to_end(act);
    connections_.each_that_leaves([&](ServerId s) {
      // It may be back by now, with a later map.
      if (servers_[s].left && servers_[s].owes_nothing()) act(s, std::string_view("it has left the map"));
    });
  }

  /// Seconds since 1970 at Time 0, for times that memcached takes as dates.
  void set_wall(std::int64_t offset) noexcept { wall_offset_ = offset; }

  bool has_wishes() const noexcept {
    return !(clients_to_send_.empty() && servers_to_send_.empty() && connections_.none());
  }

  const Pool& pool() const noexcept { return pool_; }
  struct Counters {
    std::uint64_t requests = 0, errors = 0, parts = 0, failed_parts = 0, timeouts = 0;
    OverloadCounts overload;
    std::uint64_t elsewhere = 0;  ///< sent to another than the owner, which was away
  };
  const Counters& counters() const noexcept { return counters_; }
  using State = ServerState;
  State state(ServerId s) const noexcept { return servers_[s].state; }
  /// Nothing is under way but what was given up.
  bool quiet() const noexcept;
  PoolStats stats(Time now) const;
  /// What has happened since it was called last.
  std::vector<Event> take_events() { return std::exchange(events_, {}); }
  std::vector<Slow> take_slow() { return std::exchange(slow_, {}); }

 private:
  /// The request being answered.
  struct Asked {
    ClientId id;
    Client& client;
    Time now;
  };

  bool has_room(const Client& client) const noexcept {
    const std::size_t waiting = client.slots.size();
    return waiting < std::min(client.most_waiting(), pool_.limits.requests) &&
           client.out.size() + client.kept + waiting * client.usual < pool_.limits.unsent &&
           (client.held_by == nobody || !is_crowded(servers_[client.held_by]));
  }
  /// It takes less than it is sent. One that refuses everything is not crowded, for nothing waits for it.
  bool is_crowded(const Server& server) const noexcept {
    return server.out.size() + server.held.bytes() > pool_.limits.unsent && server.state != State::stalled;
  }

  // proxy.cpp
  /// Asks a server on behalf of a slot of the client's. False: it cannot be asked, and that is the slot's
  /// answer. `write(Buffer&)` appends the command. `head`: the slot that waits for all parts of the request.
  template <class Write>
  bool send(const Asked& asked, const Target& to, std::uint64_t head, const Part& how, Write&& write) {
    return send_for(asked, to, head, how, head, write);
  }
  template <class Write>
  bool send_for(const Asked& asked, const Target& to, std::uint64_t head, const Part& how, std::uint64_t slot,
                Write&& write) {
    Part part = how;
    part.head = head;
    part.slot = slot;
    const ServerId s = admit(asked, to, part);
    if (s == nobody) return false;
    Server& server = servers_[s];
    const std::size_t before = server.out.size();
    write(server.out);
    if (guarded_) [[unlikely]]
      return guard(s, part, before), true;
    server.parts.push() = part;
    ++server.requests;
    return true;
  }
  /// The connection on which to ask; nobody: it cannot be asked, and that is answered.
  ServerId admit(const Asked& asked, const Target& to, Part& part);
  /// By the map; without those ejected, where the pool ejects servers.
  ServerId owner_of(std::string_view key) const noexcept {
    return reduced_ ? reduced_->owner_of(key) : server_of(pool_.placement.owner(key));
  }
  /// The key's owner or, where that is away, whom the pool's policy has instead.
  Target target_of(std::string_view key, Deed deed, Time now) {
    return target_of(key, owner_of(key), deed, now);
  }
  Target target_of(std::string_view key, ServerId owner, Deed deed, Time now) {
    const bool here =
        owner == nobody || (servers_[owner].state <= State::up && servers_[owner].standing->here());
    if (here && !bounded_) return {owner, false, {}, mark_of(key)};
    Target target = here ? within_bound(owner, key, deed, now) : instead_of(key, owner, deed, now);
    target.mark = mark_of(key);
    return target;
  }
  KeyMark mark_of(std::string_view key) const noexcept {
    return pool_.overload.coalesce ? WriteMarks::of(key) : no_mark;
  }
  ServerId server_of(NodeIndex node) const noexcept { return node == no_node ? nobody : server_of_[node]; }
  void use_servers();
  void note(Severity severity, const char* name, const Server& server, std::string_view text);

  // proxy_clients.cpp
  Slot& add_slot(Client& client, Slot::Kind kind, std::uint32_t waits);
  void answer_now(Client& client, std::string_view text);
  void let_clients_rest(Time now);
  std::unique_ptr<Transaction> take_transaction(Client& client) noexcept;
  void emit(Client& client, ClientId id);
  void emit_front(Client& client);

  // proxy_answers.cpp
  void deliver(ServerId s, const Part& part, std::string_view reply);
  void fail(const Part& part, std::string_view server, std::string_view why);
  void finish(Client& client, ClientId id, const Part& part);
  std::string failure_text(std::string_view server, std::string_view why) const;
  bool is_miss(const Part& part) const noexcept;

  // proxy_servers.cpp
  void begin_connection(ServerId s, Time now);
  void enter(ServerId s, State state, Time now);
  void let_go(ServerId s);
  bool is_awaited(const Part& part) const noexcept;
  std::uint64_t first_awaited(const Server& server) const noexcept;
  Time silent_at(const Server& server) const noexcept;
  Time given_up_at(const Server& server) const noexcept;
  Time hopeless_at(const Server& server) const noexcept;
  void time_out(ServerId s, Time now);
  void stall(ServerId s, std::string_view why, Time now);
  void give_up(ServerId s, std::string_view why, Time sent);

  // proxy_replies.cpp
  void take(ServerId s, std::string_view reply, Time now);
  void tell_breach(const Server& server, std::string_view said);

  // proxy_overload.cpp
  void use_overload();
  void guard(ServerId s, Part& part, std::size_t before);
  void ask(ServerId s, const Part& part, std::string_view command);
  bool share(ServerId s, const Part& part, std::string_view command);
  bool has_turn(const Server& server) const noexcept;
  void release(ServerId s, Time now);
  void refuse_late(ServerId s, Time now);
  bool may_ask_again(ServerId s, const Part& part, Time now);
  ServerId whom_to_ask_again(ServerId s, std::string_view command, Time now);
  Target target_of_read(ServerId owner, std::string_view command, Time now);
  void drop_held(ServerId s, std::string_view why);
  void busy(const Part& part, Server& server, std::string_view why);
  Target within_bound(ServerId owner, std::string_view key, Deed deed, Time now);

  // proxy_failing.cpp
  Target instead_of(std::string_view key, ServerId owner, Deed deed, Time now);
  Target another(std::string_view key, ServerId owner, std::uint16_t place, Time now);
  /// A server for what belongs to no single key, or to several.
  Target all_of(ServerId server) const noexcept;
  Target refusal(ServerId server, std::string_view why = {}) const noexcept;
  bool records(std::string_view key, std::uint16_t place, Time now, bool& back);
  TtlCap ttl_cap(Time now) const noexcept;
  std::string_view capped_time(std::string_view time, const Target& target, Time now);
  std::string_view capped_rest(const McRequest& request, Time now);
  void cap_flags(McVerb verb, std::string& flags, Time now);
  Target target_of_all(const RedisCommand& command, const RedisWords& words, ServerId owner, Time now);
  void send_capped(const Asked& asked, const Target& target, const RedisCommand& command,
                   const RedisWords& words, std::string_view bytes);
  void warn();
  milliseconds patience() const noexcept;
  void use_gutter();
  void failed(ServerId s, Time now);
  void look_for_cascade(ServerId s, Time now);
  void reduce(Time now);
  bool must_wait(const Server& server, Time now) const noexcept;
  bool leaves() const noexcept;
  void away(ServerId s, std::string_view why, Time now);
  void drained(ServerId s, Time now);
  void look_after(ServerId s, Time now);
  Time looked_after_at(const Server& server, Time now) const noexcept;
  void look_whether_silent(ServerId s, Time now);
  Time seems_silent_at(const Server& server) const noexcept;
  void is_heard(ServerId s, Time now);

  // proxy_questions.cpp
  void own_question(ServerId s, Use use, std::string_view text, Time now, McReply reply = McReply::noop);
  void probe(ServerId s, Time now);
  void carry_out(ServerId s, const Standing::Task& task, Time now);
  void fenced(ServerId s, Time now);
  void own_answer(ServerId s, const Part& part, std::string_view reply);

  // proxy_room.cpp
  bool hold_back(Client& client, ServerId s);
  void resume_clients();

  // proxy_stats.cpp
  void count_answer(Server& server, const Part& part, std::string_view reply, Time now);
  /// What a slow request is known by; nothing where none is looked for.
  void label(Part& part, std::string_view command, std::string_view key) const noexcept {
    if (pool_.limits.slow.count() > 0) part.label.set(command, key);
  }

  // proxy_explain.cpp
  std::string explained(std::string_view which) const;
  void explain_redis(const Asked& asked, std::string_view bytes);

  // proxy_memcached.cpp
  std::size_t serve_memcached(const Asked& asked, std::string_view bytes);
  void route_memcached(const Asked& asked, const McRequest& request);
  bool get_values(const Asked& asked, const McRequest& request);
  void refuse_value(const Asked& asked, const McRequest& request, std::string_view error);
  void send_meta(const Asked& asked, const McRequest& request);
  void send_line(const Asked& asked, const McRequest& request);
  void flush_all(const Asked& asked, const McRequest& request);
  std::string statistics(std::string_view which) const;

  // proxy_redis.cpp
  std::size_t serve_redis(const Asked& asked, std::string_view bytes);
  void route_redis(const Asked& asked, std::string_view bytes);
  void own_answer(const Asked& asked, const RedisCommand& command, std::string_view bytes);
  void to_owner(const Asked& asked, const RedisCommand& command, std::string_view bytes);
  void to_server(const Asked& asked, const RedisCommand& command, ServerId server, std::string_view bytes);
  void split(const Asked& asked, const RedisCommand& command, std::string_view bytes);
  void refuse(const Asked& asked, std::string_view text);
  /// The server that holds all keys of the command, nobody where there are none; nullopt: refused, and
  /// answered.
  std::optional<ServerId> owner_of_all(const Asked& asked, const RedisCommand& command,
                                       std::string_view bytes);
  /// This command again, when all before it is answered.
  void later(Client& client) noexcept { client.stopped = client.alone = true; }

  // proxy_keyspace.cpp
  void to_any(const Asked& asked, std::string_view bytes);
  void to_all(const Asked& asked, const RedisCommand& command, std::string_view bytes);
  void scan(const Asked& asked, std::string_view bytes);
  void gather(ServerId s, const Part& part, Slot& head, std::string_view reply);
  void gathered(Use use, Slot& head);
  std::size_t append_owned(ServerId s, std::string_view keys, std::string& out) const;
  ServerId any_server(Time now) const noexcept;

  // proxy_bounds.cpp
  std::string_view within_bounds(Client& client, std::string_view reply) noexcept;
  bool crowded_with_answers(const Client& client, std::size_t more) noexcept;
  void give_up_reply(ServerId s, std::size_t spare, McReply spared);

  // proxy_lanes.cpp
  ServerId lane_of(Client& client, ServerId server, Time now);
  ServerId shared_lane(ServerId server, std::uint32_t protocol);
  void take_lane(const Asked& asked, ServerId server);
  void release_lane(Client& client, bool clean);
  void lose_lane(ServerId lane);
  void use_lanes();
  void end_spare(ServerId lane, Time now);
  Time ends_at(const Server& lane) const noexcept;
  void add_lanes(PoolStats& stats, Time now) const;

  // proxy_transaction.cpp
  void transaction(const Asked& asked, const RedisCommand& command, std::string_view bytes);
  void watch(const Asked& asked, const RedisCommand& command, std::string_view bytes);
  void unwatch(const Asked& asked, Use use);
  void queue(const Asked& asked, const RedisCommand& command, std::string_view bytes);
  void execute(const Asked& asked, const Transaction& transaction);
  void follow_map(Transaction& queued) const;
  void end_session(const Asked& asked);

  Pool pool_;
  std::vector<Client> clients_;
  std::vector<ClientId> free_clients_, dropped_;  ///< dropped: free from the next tick on, for the
                                                  ///< loop may have events of theirs still
  std::size_t client_count_ = 0;
  Servers servers_;                        ///< also those that have left
  std::vector<ServerId> server_of_;        ///< by node
  std::vector<ServerId> current_;          ///< the map's servers, each once
  std::optional<Placement> gutter_;        ///< over the spare servers
  std::vector<ServerId> gutter_of_;        ///< by its nodes
  std::vector<std::uint64_t> mask_words_;  ///< nodes that are not asked; empty between uses
  std::vector<ServerId> skipped_;          ///< of the servers of one key: those that are away
  std::unique_ptr<Reduced> reduced_;
  std::uint32_t maps_ = 0;       ///< adopted so far
  std::uint32_t ejections_ = 0;  ///< of the standings, when last seen
  Time now_{};                   ///< of the call under way
  std::int64_t wall_offset_ = 0;
  ToSend clients_to_send_, servers_to_send_;
  Connections connections_;
  std::vector<ClientId> stopped_;  ///< clients that wait for room
  std::string scratch_, capped_;
  bool guarded_ = false;  ///< the pool's Overload asks for anything that each request pays for
  std::optional<Bounded> bounded_;
  std::vector<std::uint64_t> loads_;  ///< by node; for bounded_
  ReadsInFlight reads_;
  Riders riders_;
  RetryBudget budget_;
  bool marks_stale_ = false;      ///< memcached: a client has marked items as stale
  std::vector<ServerId> owners_;  ///< of the keys of a command that is split
  std::size_t waiting_ = 0;       ///< bytes that wait for all clients, at least since counted_at_
  Time counted_at_{-1};
  std::size_t queued_ = 0;  ///< bytes of all transactions
  Time rest_at_{Time::max()};
  std::uint64_t picks_ = 0;  ///< of one among several answers, so far
  Counters counters_;
  std::vector<Event> events_;
  std::vector<Slow> slow_;
};

}  // namespace arcwise::router
