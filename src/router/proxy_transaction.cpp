// MULTI and EXEC: commands wait here, and go to their server in one piece. WATCH, before them.
//
// Servers' connections are shared, and a transaction is a state of a connection. So nothing is sent before
// EXEC, and then MULTI, the commands and EXEC stand behind each other on the connection, where nobody else's
// can come between. What a server would refuse when it is queued, it refuses then, and EXEC's answer says so.
// WATCH cannot wait: its client gets a connection of its own (proxy_lanes.cpp), on which EXEC then goes.
#include "router/proxy.hpp"
#include "router/redis_request.hpp"

namespace arcwise::router {

void Proxy::transaction(const Asked& asked, const RedisCommand& command, std::string_view bytes) {
  Client& client = asked.client;
  auto& open = client.transaction;
  const std::string_view name = command.name;
  if (name == "watch") return watch(asked, command, bytes);
  if (name == "unwatch") {
    if (open) return queue(asked, command, bytes);
    if (client.lane != nobody) return unwatch(asked, Use::whole);
    client.watch_lost = false;
    return answer_now(client, "+OK\r\n");
  }
  if (name == "multi") {
    if (open) return answer_now(client, "-ERR MULTI calls can not be nested\r\n");
    open = std::make_unique<Transaction>();
    open->maps = maps_;
    return answer_now(client, "+OK\r\n");
  }
  if (!open)
    return refuse(asked, name == "exec" ? "-ERR EXEC without MULTI\r\n" : "-ERR DISCARD without MULTI\r\n");
  const std::unique_ptr<Transaction> queued = take_transaction(client);
  if (name == "exec") follow_map(*queued);
  const bool lost = client.watch_lost;
  const bool moved =
      client.lane != nobody && queued->server != nobody && queued->server != servers_[client.lane].home;
  if (name == "exec" && !queued->broken && !lost && !moved && (queued->count > 0 || client.lane != nobody))
    return execute(asked, *queued);
  client.watch_lost = false;
  if (client.lane != nobody) unwatch(asked, Use::nothing);
  if (name == "discard") return answer_now(client, "+OK\r\n");
  if (queued->parted)
    return refuse(asked,
                  "-EXECABORT Transaction discarded because a new map has given its keys to different nodes; "
                  "begin it again\r\n");
  if (queued->broken)
    return refuse(asked, "-EXECABORT Transaction discarded because of previous errors.\r\n");
  // As if a key that was watched had been changed: it may have been.
  if (lost || moved) return answer_now(client, resp_nil(client.session.protocol, true));
  answer_now(client, "*0\r\n");
}

void Proxy::watch(const Asked& asked, const RedisCommand& command, std::string_view bytes) {
  Client& client = asked.client;
  if (client.transaction) return answer_now(client, "-ERR WATCH inside MULTI is not allowed\r\n");
  if (client.lane == nobody && !client.slots.empty()) return later(client);
  const auto owner = owner_of_all(asked, command, bytes);
  if (!owner) return;
  const ServerId server = *owner;
  if (client.lane != nobody && servers_[client.lane].home != server)
    return refuse(asked, "-CROSSSLOT Keys that are watched must belong to one node\r\n");
  if (client.lane == nobody && server != nobody) take_lane(asked, server);
  add_slot(client, Slot::Kind::whole, 1);
  send(asked, all_of(server), client.slots.end() - 1, Part{},
       [&](Buffer& out) { append_command(out, client.request, bytes); });
}

void Proxy::unwatch(const Asked& asked, Use use) {
  Client& client = asked.client;
  if (use == Use::whole) add_slot(client, Slot::Kind::whole, 1);
  Part part;
  part.use = use;
  const bool sent = send(asked, all_of(servers_[client.lane].home), client.slots.end() - 1, part,
                         [](Buffer& out) { out.append("*1\r\n$7\r\nUNWATCH\r\n"); });
  client.watch_lost = false;
  if (client.lane != nobody) release_lane(client, sent);
}

// What was queued goes where its keys are now: together, or not at all.
void Proxy::follow_map(Transaction& queued) const {
  if (std::exchange(queued.maps, maps_) == maps_ || queued.server == nobody) return;
  ServerId server = nobody;
  RespRequest request;
  for (std::string_view rest = queued.commands; !rest.empty() && !queued.parted; request.reset()) {
    const std::size_t used = request.parse(rest, pool_.limits.redis).used;
    const FoundCommand found{request, rest.substr(0, used)};
    each_redis_key(*find_redis_command(found.name(), found.second()), found.words(), [&](std::size_t i) {
      const ServerId owner = owner_of(found.word(i));
      if (server == nobody) server = owner;
      queued.parted |= owner != server;
    });
    rest.remove_prefix(used);
  }
  queued.broken |= queued.parted;
  if (!queued.parted) queued.server = server;
}

void Proxy::queue(const Asked& asked, const RedisCommand& command, std::string_view bytes) {
  Transaction& queued = *asked.client.transaction;
  const bool keyless = command.keys[0].at == 0;
  if (!may_be_queued(command))
    return refuse(asked, "-ERR '" + std::string(command.name) +
                             "' is not routed in a transaction: it belongs to no single key\r\n");
  const auto owner = keyless ? std::optional(nobody) : owner_of_all(asked, command, bytes);
  if (!owner) return;
  follow_map(queued);
  if (queued.parted)
    return refuse(asked, "-ERR a new map has given the keys of this transaction to different nodes\r\n");
  const ServerId watched =
      asked.client.lane != nobody && !asked.client.watch_lost ? servers_[asked.client.lane].home : *owner;
  if (*owner != nobody && (*owner != watched || (queued.server != nobody && *owner != queued.server)))
    return refuse(asked, "-CROSSSLOT Keys of a transaction must belong to one node\r\n");
  if (queued.commands.size() + bytes.size() > pool_.limits.redis.command)
    return refuse(asked, "-ERR the transaction is too large\r\n");
  if (queued_ + bytes.size() > pool_.limits.held)
    return refuse(asked, "-ERR out of memory: clients have too much queued in transactions\r\n");
  if (*owner != nobody) queued.server = *owner;
  ++queued.count;
  const std::size_t before = queued.commands.size();
  append_command(queued.commands, asked.client.request, bytes);
  queued_ += queued.commands.size() - before;
  answer_now(asked.client, "+QUEUED\r\n");
}

void Proxy::execute(const Asked& asked, const Transaction& queued) {
  Client& client = asked.client;
  const ServerId to = client.lane != nobody     ? servers_[client.lane].home
                      : queued.server != nobody ? queued.server
                                                : any_server(asked.now);
  add_slot(client, Slot::Kind::whole, 1);
  Part part;
  part.unheard = 1 + queued.count;
  const bool sent = send(asked, all_of(to), client.slots.end() - 1, part, [&](Buffer& out) {
    out.append("*1\r\n$5\r\nMULTI\r\n", queued.commands, "*1\r\n$4\r\nEXEC\r\n");
  });
  client.watch_lost = false;
  if (client.lane != nobody) release_lane(client, sent);
}

// RESET, and with it what was watched and queued.
void Proxy::end_session(const Asked& asked) {
  Client& client = asked.client;
  take_transaction(client);
  client.watch_lost = false;
  if (client.lane != nobody) unwatch(asked, Use::nothing);
}

}  // namespace arcwise::router
