// Answers: what a server says, or that it says nothing, becomes the answer of the slots that wait for it.
#include <charconv>

#include "router/proxy.hpp"
#include "router/reply.hpp"

namespace arcwise::router {
namespace {

std::int64_t number_of(std::string_view reply) noexcept {
  std::int64_t value = 0;
  if (!reply.empty()) std::from_chars(reply.data() + 1, reply.data() + reply.size(), value);
  return value;
}

// "VA 5 f30 c12\r\nhello\r\n" for the key a is "VALUE a 30 5 12\r\nhello\r\n", the cas only where asked for;
// "EN" is nothing.
template <class Sink>
void write_meta_value(Sink& out, const Slot& slot, std::string_view reply) {
  if (!reply.starts_with("VA ")) return;
  const std::size_t line_end = reply.find("\r\n");
  std::string_view line = reply.substr(3, line_end - 3);
  const std::string_view size = next_word(line);
  std::string_view flags = "0", unique;
  for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
    if (word.front() == 'f') flags = word.substr(1);
    if (word.front() == 'c') unique = word.substr(1);
  }
  out.append("VALUE ");
  out.append(slot.bytes);
  out.append(" ");
  out.append(flags);
  out.append(" ");
  out.append(size);
  if (slot.unique) {
    out.append(" ");
    out.append(unique);
  }
  out.append(reply.substr(line_end));
}

template <class Sink>
void write_answer(Sink& out, const Part& part, const Slot& slot, std::string_view reply) {
  switch (part.use) {
    case Use::value:
      if (reply.ends_with("END\r\n")) reply.remove_suffix(5);
      out.append(reply);
      break;
    case Use::quiet:
      // Of a meta get a miss is not told, of others that they were done, with a number or without.
      if (part.read ? reply.starts_with("EN") : reply.starts_with("HD") || reply.starts_with("VA")) break;
      out.append(reply);
      break;
    case Use::element:
      if (reply.starts_with("*1\r\n")) reply.remove_prefix(4);
      out.append(reply);
      break;
    case Use::meta_value:
      write_meta_value(out, slot, reply);
      break;
    case Use::wrapped:
      reply.remove_prefix(std::min(reply.find('\n') + 1, reply.size()));
      out.append(reply.substr(0, RespScanner().scan(reply).size));
      break;
    default:
      out.append(reply);
  }
}

}  // namespace

void Proxy::deliver(ServerId s, const Part& part, std::string_view reply) {
  if (part.riders) riders_.take(part.riders, [&](const Part& rider) { deliver(s, rider, reply); });
  if (part.mark != no_mark && !part.pure) pool_.marks->wrote(part.mark);
  if (is_own(part.use)) return own_answer(s, part, reply);
  Client& client = clients_[part.client];
  if (part.use == Use::nothing || client.generation != part.generation) return;
  reply = within_bounds(client, reply);
  if ((part.use == Use::value || part.use == Use::meta_value) && reply.starts_with('V')) client.see_value();
  const bool error = is_error(pool_.protocol, reply);
  if (error && part.use != Use::whole) return fail(part, servers_[s].name, reply);
  Slot& slot = client.slots[part.slot];
  if (part.use == Use::total) {
    client.slots[part.head].total += number_of(reply);
  } else if (part.use >= Use::first) {
    gather(s, part, slot, reply);
  } else if (part.use != Use::all_ok && part.use != Use::server_ok && part.use != Use::dropped) {
    if (part.slot == part.head && client.slots.first() == part.slot) {
      write_answer(client.out, part, slot, reply);
      client.slots.pop();
      return emit(client, part.client);
    }
    scratch_.clear();
    write_answer(scratch_, part, slot, reply);
    slot.bytes.swap(scratch_);
  }
  client.keep(slot);
  finish(client, part.client, part);
}

bool Proxy::is_miss(const Part& part) const noexcept {
  return pool_.failing.on_failure == OnFailure::miss && part.read;
}

std::string Proxy::failure_text(std::string_view server, std::string_view why) const {
  if (is_error(pool_.protocol, why)) return std::string(why);
  const std::string name = server.empty() ? std::string() : std::string(server) + ": ";
  return (pool_.protocol == Protocol::redis ? "-ERR " : "SERVER_ERROR ") + name + std::string(why) + "\r\n";
}

void Proxy::fail(const Part& part, std::string_view server, std::string_view why) {
  if (part.riders) riders_.take(part.riders, [&](const Part& rider) { fail(rider, server, why); });
  if (is_own(part.use) || part.use == Use::nothing) return;
  Client& client = clients_[part.client];
  if (client.generation != part.generation) return;
  ++counters_.failed_parts;
  client.watch_lost |= client.lane != nobody;
  Slot& slot = client.slots[part.slot];
  Slot& head = client.slots[part.head];
  // What a server says itself is told; policies are for those that say nothing.
  const bool missed = is_miss(part) && !is_error(pool_.protocol, why);
  if (slot.kind == Slot::Kind::value) {
    slot.failed = !missed;
    slot.bytes = slot.failed ? failure_text(server, why) : std::string();
  } else if (missed) {
    if (part.use == Use::quiet)
      slot.bytes.clear();
    else if (pool_.protocol == Protocol::redis)
      slot.bytes = client.session.protocol == 3 ? "_\r\n" : "$-1\r\n";
    // Of a meta get it stands there since it was asked.
  } else if (!head.failed) {
    head.failed = true;
    head.bytes = failure_text(server, why);
  }
  finish(client, part.client, part);
}

// One part less to wait for: of its slot, and of the slot that waits for all parts of the request.
void Proxy::finish(Client& client, ClientId id, const Part& part) {
  Slot& head = client.slots[part.head];
  if (head.waits > 0 && --head.waits == 0 && !head.failed) {
    if (part.use == Use::total) head.bytes = ":" + std::to_string(head.total) + "\r\n";
    if (part.use == Use::all_ok) head.bytes = "+OK\r\n";
    if (part.use == Use::server_ok) head.bytes = "OK\r\n";
    if (part.use >= Use::first) gathered(part.use, head);
  }
  if (part.slot != part.head) client.slots[part.slot].waits = 0;
  emit(client, id);
}

}  // namespace arcwise::router
