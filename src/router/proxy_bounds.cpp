// What is kept for a client is bounded, however long the answers are and however slowly it reads.
//
// Three bounds. A client is served only while what waits for it, and what its requests under way are likely
// to bring, is less than `unsent`: likely is what its last answers had, so that one that asks for long values
// has few requests under way. What was under way before that was known may bring more: when more than `held`
// waits for all clients, answers become errors for those that have more than `unsent` waiting, one for each,
// so that the client stays in step. And an answer that is longer than `reply` is passed over as it comes, and
// is an error, too.
#include "router/proxy.hpp"

namespace arcwise::router {
namespace {

constexpr std::size_t small = 4096;  ///< which an error may have

std::string_view said(Protocol protocol, std::string_view memcached, std::string_view redis) noexcept {
  return protocol == Protocol::redis ? redis : memcached;
}

}  // namespace

// All clients together: counted anew at most once for a time, and in between long answers are added.
bool Proxy::crowded_with_answers(const Client& client, std::size_t more) noexcept {
  waiting_ += more;
  if (waiting_ <= pool_.limits.held) return false;
  if (counted_at_ != now_) {
    counted_at_ = now_;
    waiting_ = more;
    for (const Client& each : clients_) waiting_ += each.out.size() + each.kept;
  }
  return waiting_ > pool_.limits.held && client.out.size() + client.kept + more > pool_.limits.unsent;
}

std::string_view Proxy::within_bounds(Client& client, std::string_view reply) noexcept {
  client.usual = std::max(reply.size(), client.usual - client.usual / 16);
  if (reply.size() <= small || !crowded_with_answers(client, reply.size())) return reply;
  return said(pool_.protocol,
              "SERVER_ERROR out of memory: the answers before this one are to be read first\r\n",
              "-ERR out of memory: the answers before this one are to be read first\r\n");
}

// The first part's: what has come of it is not kept, and what is to come is passed over.
void Proxy::give_up_reply(ServerId s, std::size_t spare, McReply spared) {
  Server& server = servers_[s];
  server.skip = pool_.protocol == Protocol::redis ? server.scanner.forget() : spare;
  server.pass_over();
  Part& part = server.parts.front();
  const Part asked = part;
  part.use = Use::nothing;
  part.riders = 0;
  part.reply = spared;
  part.tag = 0;
  deliver(s, asked,
          said(pool_.protocol, "SERVER_ERROR the answer is longer than the router's limit\r\n",
               "-ERR the answer is longer than the router's limit\r\n"));
}

}  // namespace arcwise::router
