// Replies: a server's bytes, taken apart, and each given to whom it answers.
#include <algorithm>

#include "router/proxy.hpp"
#include "router/reply.hpp"

namespace arcwise::router {
namespace {

constexpr std::size_t much = std::size_t{64} << 10;  // bytes of one answer: its server is busy sending it

// Of the answer that is coming in there are so many bytes.
void note_delivery(Server& server, std::size_t bytes, Time now) noexcept {
  if (bytes < server.part_in) server.part_in = 0;
  if (bytes < server.part_in + much) return;
  server.part_in = bytes;
  server.delivered = now;
}

// Its beginning, for people.
std::string quoted(std::string_view bytes) {
  constexpr std::size_t most = 32;
  std::string out = "'";
  for (const char c : bytes.substr(0, std::min(bytes.find_first_of("\r\n"), most)))
    out += c >= ' ' && c <= '~' ? c : '?';
  return out + (bytes.size() > most ? "...'" : "'");
}

}  // namespace

void Proxy::take(ServerId s, std::string_view reply, Time now) {
  Server& server = servers_[s];
  server.failures = 0;
  server.trouble = Time(-1);
  if (reply.size() >= much) server.delivered = now;
  if (pool_.failing.auto_eject) server.standing->count_success();
  if (server.parts.front().unheard > 0) {
    --server.parts.front().unheard;
  } else {
    const Part part = server.parts.front();
    server.parts.pop();
    if (is_own(part.use)) --server.own;
    if (part.size > 0) server.kept.consume(part.size);
    count_answer(server, part, reply, now);
    deliver(s, part, reply);
  }
  is_heard(s, now);
}

bool Proxy::answered(ServerId s, Time now) {
  Server& server = servers_[s];
  now_ = now;
  if (server.skip > 0) server.pass_over();
  const std::string_view bytes = server.in.view();
  std::size_t at = 0;
  Reply reply;
  while (at < bytes.size() && !server.parts.empty()) {
    reply = reply_to(pool_.protocol, server, server.parts.front(), bytes.substr(at));
    if (reply.size == 0 || reply.broken) break;
    if (!reply.unasked) take(s, bytes.substr(at, reply.size), now);
    at += reply.size;
    // What was sent behind a greeting that is refused is not done, or not as it should be.
    if (!server.refusal.empty()) break;
  }
  note_delivery(server, bytes.size() - at, now);
  // Bytes that nobody asked for belong to no request.
  const bool broken = reply.broken || (server.parts.empty() && at < bytes.size());
  if (broken) tell_breach(server, bytes.substr(at));
  server.in.consume(at);
  if (server.in.size() > pool_.limits.reply && !server.parts.empty() && !broken)
    give_up_reply(s, reply.spare, reply.spared);
  if (server.state == State::stalled && server.parts.empty()) {
    enter(s, State::up, now);
    note(Severity::note, "server_drained", server, "it has answered all that was given up");
    drained(s, now);
  }
  if (!server.held.empty()) release(s, now);
  if (server.left) let_go(s);
  return !broken;
}

void Proxy::tell_breach(const Server& server, std::string_view said) {
  std::string text = "it said " + quoted(said);
  if (server.parts.empty())
    text += ", and was asked nothing";
  else if (is_own(server.parts.front().use))
    text += " when it was asked whether it answers";
  else if (server.parts.front().label.size > 0)
    text += " when it was asked " + quoted(server.parts.front().label.view());
  note(Severity::warning, "server_broke_protocol", server, text);
}

}  // namespace arcwise::router
