// What a Redis client has settled for its connection, and the commands that concern nothing else.
//
// Layer: router. Sans I/O.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "router/pool.hpp"
#include "router/redis_commands.hpp"

namespace arcwise::router {

struct RedisSession {
  std::uint32_t protocol = 2;  ///< RESP
  bool authenticated = false;
  std::string name;
};

/// Of the router, for those who ask.
struct RedisFacts {
  const Pool& pool;
  std::uint64_t id = 0;  ///< of the client
  std::uint64_t clients = 0, requests = 0, errors = 0;
};

/// The answer of a command that the router answers itself (RedisRoute::own), and what becomes of the session.
std::string answer_redis(const RedisCommand& command, const RedisWords& words, const RedisFacts& facts,
                         RedisSession& session);

/// Whether a client may say this before it has given its password.
bool is_open_to_all(const RedisCommand& command) noexcept;

std::string resp_bulk(std::string_view text);
/// nil as the client's protocol has it; `array`: in place of one.
std::string_view resp_nil(std::uint32_t protocol, bool array = false) noexcept;
/// What people type comes back to them: printable, and not for ever.
std::string shown(std::string_view text);

}  // namespace arcwise::router
