// What a server's bytes are: a reply, whole or not, and whether it can be the answer to what was asked.
//
// Layer: router. Sans I/O. The protocols' scanners find its end and its kind (memcached_reply.hpp, resp.hpp).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "router/pool.hpp"
#include "router/server.hpp"

namespace arcwise::router {

struct Reply {
  std::size_t size = 0;   ///< 0: there is more to come
  bool broken = false;    ///< it answers something else, or is none: the connection cannot be used any more
  bool unasked = false;   ///< RESP3: said by itself; it answers nothing
  std::size_t spare = 0;  ///< memcached, not whole: see McScan
  McReply spared = McReply::noop;
};

/// What `bytes` begin with, in answer to `part`. By more than its kind: memcached's name the key, or have its
/// mark; behind what was given up the sentinel's answer comes in its place, and not before.
Reply reply_to(Protocol protocol, Server& server, const Part& part, std::string_view bytes);

/// Behind what was given up there is one question whose answer is like no other's: that this comes in its
/// place, and not before, tells that nothing was answered once too often or not at all.
std::string sentinel(Protocol protocol, Time owes_since);

bool is_error(Protocol protocol, std::string_view reply) noexcept;

}  // namespace arcwise::router
