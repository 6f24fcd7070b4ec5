#include "router/reply.hpp"

#include "router/memcached_reply.hpp"

namespace arcwise::router {
namespace {

// As Redis writes a string, which is how ECHO answers.
std::string sentinel_word(Time owes_since) {
  const std::string word = "arcwise:" + std::to_string(owes_since.count());
  return "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
}

bool is_sentinel(Protocol protocol, const Server& server, std::string_view reply) {
  if (protocol == Protocol::memcached) return reply.starts_with("VERSION ");
  return reply == sentinel_word(server.owes_since);
}

}  // namespace

Reply reply_to(Protocol protocol, Server& server, const Part& part, std::string_view bytes) {
  Reply reply;
  if (protocol == Protocol::redis) {
    const auto found = server.scanner.scan(bytes);
    reply.size = found.size;
    reply.broken = found.broken;
    reply.unasked = found.size > 0 && bytes.front() == '>';
  } else {
    const McScan found = scan_memcached(part.reply, bytes);
    reply.size = found.size;
    reply.broken = found.broken;
    reply.spare = found.spare;
    reply.spared = found.spared;
  }
  if (reply.size == 0 || reply.unasked) return reply;
  const std::string_view whole = bytes.substr(0, reply.size);
  reply.broken = part.tag != 0 && !is_of_key(whole, part.tag);
  if (server.state == ServerState::stalled) [[unlikely]]
    reply.broken |= is_sentinel(protocol, server, whole) != (part.use == Use::sentinel);
  return reply;
}

std::string sentinel(Protocol protocol, Time owes_since) {
  return protocol == Protocol::memcached ? "version\r\n" : "*2\r\n$4\r\nECHO\r\n" + sentinel_word(owes_since);
}

bool is_error(Protocol protocol, std::string_view reply) noexcept {
  return protocol == Protocol::redis ? reply.starts_with('-') || reply.starts_with('!')
                                     : is_memcached_error(reply);
}

}  // namespace arcwise::router
