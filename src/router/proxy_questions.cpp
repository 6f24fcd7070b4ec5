// The router's own questions to a server: whether it answers, and what is done on it before it is used again.
#include "router/memcached_key.hpp"
#include "router/proxy.hpp"
#include "router/reply.hpp"

namespace arcwise::router {

void Proxy::own_question(ServerId s, Use use, std::string_view text, Time now, McReply reply) {
  Server& server = servers_[s];
  Part& part = server.parts.push();
  part = {};
  part.use = use;
  part.reply = reply;
  part.sent = now;
  ++server.own;
  server.out.append(text);
  servers_to_send_.add(servers_, s);
}

void Proxy::probe(ServerId s, Time now) {
  servers_[s].probing = true;
  if (pool_.protocol == Protocol::memcached) return own_question(s, Use::meta_probe, "mn\r\n", now);
  own_question(s, Use::probe, "*1\r\n$4\r\nPING\r\n", now);
}

void Proxy::carry_out(ServerId s, const Standing::Task& task, Time now) {
  const bool redis = pool_.protocol == Protocol::redis;
  servers_[s].fence_failed = false;
  servers_[s].fencing = static_cast<std::uint32_t>(task.remove.size()) + task.flush;
  if (task.flush)
    own_question(s, Use::fence, redis ? "*1\r\n$7\r\nFLUSHDB\r\n" : "flush_all\r\n", now, McReply::done);
  for (const std::string& key : task.remove) {
    const McDeletion deletion =
        redis ? McDeletion{"*2\r\n$6\r\nUNLINK\r\n$" + std::to_string(key.size()) + "\r\n" + key + "\r\n", {}}
              : mc_deletion(key);
    own_question(s, Use::fence, deletion.command, now, deletion.reply);
  }
  if (servers_[s].fencing == 0) fenced(s, now);
}

void Proxy::fenced(ServerId s, Time now) {
  Server& server = servers_[s];
  if (server.fence_failed) {
    server.standing->abandoned(this);
    server.return_after = now + pool_.failing.last_retry;
    return note(Severity::warning, "return_refused", server, server.why);
  }
  switch (server.standing->fulfilled(this, pool_.failing, now)) {
    case Standing::Progress::again:
      return carry_out(s, server.standing->next_task(pool_.failing), now);
    case Standing::Progress::here:
      return note(Severity::note, "server_back", server, "all its keys are its own again");
    case Standing::Progress::part:
    case Standing::Progress::lost:
      return;
  }
}

void Proxy::own_answer(ServerId s, const Part& part, std::string_view reply) {
  Server& server = servers_[s];
  const bool error = is_error(pool_.protocol, reply);
  switch (part.use) {
    case Use::greeting:
      if (!error) return;
      server.refusal = "it refused: " + std::string(reply.substr(1, reply.find('\r') - 1));
      note(Severity::warning, "server_refused", server, server.refusal);
      connections_.end(s, server.refusal);
      return;
    case Use::meta_probe:
      server.meta = reply.starts_with("MN");
      [[fallthrough]];
    case Use::probe:
      // A Redis that reads its data still says so; a memcached that knows no meta commands says ERROR.
      server.probing = false;
      if (!error || pool_.protocol == Protocol::memcached)
        server.proved = part.sent;
      else
        server.return_after = now_ + pool_.failing.first_retry;
      if (server.standing->away()) look_after(s, now_);
      return;
    case Use::sentinel:
      return;
    default:
      server.fence_failed |= error;
      if (error)
        server.why = "it refused to drop what was written elsewhere: " +
                     std::string(reply.substr(0, reply.find('\r')));
      if (server.fencing > 0 && --server.fencing == 0) fenced(s, now_);
  }
}

}  // namespace arcwise::router
