// MULTI and EXEC: commands wait here, and go to their server in one piece.
//
// Servers' connections are shared, and a transaction is a state of a connection. So nothing is sent before
// EXEC, and then MULTI, the commands and EXEC stand behind each other on the connection, where nobody else's
// can come between. What a server would refuse when it is queued, such as a wrong number of words, it refuses
// then, and EXEC's answer says so. WATCH, which cannot wait, is not routed.
#include "router/proxy.hpp"

namespace arcwise::router {

void Proxy::transaction(const Asked& asked, std::string_view name) {
  auto& open = asked.client.transaction;
  if (name == "multi") {
    if (open) return refuse(asked, "-ERR MULTI calls can not be nested\r\n");
    open = std::make_unique<Transaction>();
    return answer_now(asked.client, "+OK\r\n");
  }
  if (!open)
    return refuse(asked, name == "exec" ? "-ERR EXEC without MULTI\r\n" : "-ERR DISCARD without MULTI\r\n");
  const std::unique_ptr<Transaction> queued = std::move(open);
  if (name == "discard") return answer_now(asked.client, "+OK\r\n");
  if (queued->broken)
    return refuse(asked, "-EXECABORT Transaction discarded because of previous errors.\r\n");
  if (queued->count == 0) return answer_now(asked.client, "*0\r\n");
  execute(asked, *queued);
}

void Proxy::queue(const Asked& asked, const RedisCommand& command, std::string_view bytes) {
  Transaction& queued = *asked.client.transaction;
  if (command.keys[0].at == 0)
    return refuse(asked, "-ERR '" + std::string(command.name) +
                             "' is not routed in a transaction: it belongs to no single key\r\n");
  const auto server = owner_of_all(asked, command, bytes);
  if (!server) return;
  if (queued.count > 0 && *server != queued.server)
    return refuse(asked, "-CROSSSLOT Keys of a transaction must belong to one node\r\n");
  if (queued.commands.size() + bytes.size() > pool_.limits.redis.command)
    return refuse(asked, "-ERR the transaction is too large\r\n");
  queued.server = *server;
  ++queued.count;
  append_command(queued.commands, asked.client.request, bytes);
  answer_now(asked.client, "+QUEUED\r\n");
}

void Proxy::execute(const Asked& asked, const Transaction& queued) {
  add_slot(asked.client, Slot::Kind::whole, 1);
  Part part;
  part.unheard = 1 + queued.count;
  send(asked, all_of(queued.server), asked.client.slots.end() - 1, part,
       [&](Buffer& out) { out.append("*1\r\n$5\r\nMULTI\r\n", queued.commands, "*1\r\n$4\r\nEXEC\r\n"); });
}

}  // namespace arcwise::router
