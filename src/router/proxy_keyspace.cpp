// Redis's commands about all keys, or none: to all servers, or any, and one answer of theirs.
//
// Of a list of keys each server's own are kept: a key that was left behind on a server when the map changed
// cannot be read through the router, so it is not listed either, and none is listed twice.
#include <algorithm>
#include <charconv>

#include "router/proxy.hpp"

namespace arcwise::router {
namespace {

/// The cursor's lowest bits name the server by its place in the map. Servers count up to the size of their
/// tables, so that the sum stays within 53 bits, which is what clients of doubles can take.
constexpr unsigned place_bits = 16;

// Behind the first character of an array, a string or a number: what it says, taken with its line.
std::int64_t take_header(std::string_view& reply) noexcept {
  std::int64_t value = -1;
  const std::size_t end = reply.find("\r\n");
  if (end == reply.npos || end == 0) return value;
  std::from_chars(reply.data() + 1, reply.data() + end, value);
  reply.remove_prefix(end + 2);
  return value;
}

/// Takes a string; it has a size, for replies that are not whole are not delivered.
std::string_view take_bulk(std::string_view& reply) noexcept {
  const std::int64_t size = take_header(reply);
  if (size < 0) return {};
  const std::string_view text = reply.substr(0, static_cast<std::size_t>(size));
  reply.remove_prefix(std::min(reply.size(), text.size() + 2));
  return text;
}

std::uint64_t mix(std::uint64_t n) noexcept {
  return n * 0x9e3779b97f4a7c15u >> 32u;
}

bool is_null(std::string_view reply) noexcept {
  return reply.starts_with("$-1") || reply.starts_with('_');
}

}  // namespace

Proxy::ServerId Proxy::any_server(Time now) const noexcept {
  for (const ServerId s : current_) {
    const Server& server = servers_[s];
    if (server.standing->here() && !must_wait(server, now)) return s;
  }
  return current_.empty() ? nobody : current_.front();
}

void Proxy::to_any(const Asked& asked, std::string_view bytes) {
  add_slot(asked.client, Slot::Kind::whole, 1);
  send(asked, all_of(any_server(asked.now)), asked.client.slots.end() - 1, Part{},
       [&](Buffer& out) { append_command(out, asked.client.request, bytes); });
}

void Proxy::to_all(const Asked& asked, const RedisCommand& command, std::string_view bytes) {
  static constexpr Use uses[] = {Use::all_ok, Use::total, Use::first, Use::all_true, Use::keys, Use::one_of};
  const std::uint64_t head = asked.client.slots.end();
  add_slot(asked.client, Slot::Kind::whole, static_cast<std::uint32_t>(current_.size()));
  Part part;
  part.use = uses[static_cast<std::size_t>(command.route) - static_cast<std::size_t>(RedisRoute::all_ok)];
  for (const ServerId s : current_)
    send(asked, all_of(s), head, part,
         [&](Buffer& out) { append_command(out, asked.client.request, bytes); });
}

// Worked example, of two servers: SCAN 0 goes to the first as SCAN 0, which says 96; the client is told
// 96 << 16 | 0 and says so next. When the first says 0, the client is told 0 << 16 | 1; when the second does,
// 0.
void Proxy::scan(const Asked& asked, std::string_view bytes) {
  const RespRequest& request = asked.client.request;
  const std::string_view text = request.word(bytes, 1);
  std::uint64_t cursor = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cursor);
  const std::size_t place = cursor & ((std::uint64_t{1} << place_bits) - 1);
  if (error != std::errc() || end != text.data() + text.size() || place >= current_.size())
    return refuse(asked, "-ERR invalid cursor\r\n");
  add_slot(asked.client, Slot::Kind::whole, 1).total = static_cast<std::int64_t>(place);
  Part part;
  part.use = Use::scan;
  send(asked, all_of(current_[place]), asked.client.slots.end() - 1, part, [&](Buffer& out) {
    out.append("*" + std::to_string(request.words()) + "\r\n" + resp_bulk("SCAN") +
               resp_bulk(std::to_string(cursor >> place_bits)));
    for (std::size_t i = 2; i < request.words(); ++i) out.append(resp_bulk(request.word(bytes, i)));
  });
}

std::size_t Proxy::append_owned(ServerId s, std::string_view keys, std::string& out) const {
  std::size_t count = 0;
  for (std::int64_t left = take_header(keys); left > 0 && !keys.empty(); --left) {
    const std::string_view from = keys, key = take_bulk(keys);
    const ServerId owner = owner_of(key);
    if (owner != servers_[s].home) continue;
    ++count;
    out.append(from.substr(0, from.size() - keys.size()));
  }
  return count;
}

void Proxy::gather(ServerId s, const Part& part, Slot& head, std::string_view reply) {
  if (head.failed) return;
  switch (part.use) {
    case Use::first:
      if (head.bytes.empty()) head.bytes = reply;
      break;
    case Use::all_true:  // ":1\r\n" each, so that the answers are of one length
      if (head.bytes.empty()) head.bytes = reply;
      for (std::size_t i = reply.find('\n'); i < std::min(reply.size(), head.bytes.size()); ++i)
        if (reply[i] == '0' && reply[i - 1] == ':') head.bytes[i] = '0';
      break;
    case Use::keys:
      head.total += static_cast<std::int64_t>(append_owned(s, reply, head.bytes));
      break;
    case Use::one_of:
      // The n-th that is found takes the place of the one before once in n times: each is as likely.
      if (head.bytes.empty()) head.bytes = reply;
      if (!is_null(reply) && mix(++picks_) % static_cast<std::uint64_t>(++head.total) == 0)
        head.bytes = reply;
      break;
    default: {  // scan
      take_header(reply);
      std::uint64_t cursor = 0;
      const std::string_view text = take_bulk(reply);
      std::from_chars(text.data(), text.data() + text.size(), cursor);
      auto place = static_cast<std::uint64_t>(head.total);
      if (cursor == 0) place = place + 1 < current_.size() ? place + 1 : 0;
      std::string keys;
      const std::size_t count = append_owned(s, reply, keys);
      head.bytes = "*2\r\n" + resp_bulk(std::to_string(cursor << place_bits | place)) + "*" +
                   std::to_string(count) + "\r\n" + keys;
    }
  }
}

void Proxy::gathered(Use use, Slot& head) {
  if (use == Use::keys) head.bytes.insert(0, "*" + std::to_string(head.total) + "\r\n");
}

}  // namespace arcwise::router
