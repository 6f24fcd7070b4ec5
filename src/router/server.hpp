// What a router keeps of each connection to a server: what it was sent, what it will answer, and how it does.
//
// Layer: router. Plain state; proxy_servers.cpp moves it, and proxy_failing.cpp while it does not answer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "router/buffer.hpp"
#include "router/overload.hpp"
#include "router/part.hpp"
#include "router/resp.hpp"
#include "router/ring_queue.hpp"
#include "router/standing.hpp"
#include "router/stats.hpp"

namespace arcwise::router {

/// A server, or a further connection to one: see proxy_lanes.cpp.
struct Server {
  std::string name, address;
  ServerId home = 0;            ///< the server; itself, unless it is a further connection
  std::uint32_t protocol = 2;   ///< RESP, of this connection
  ServerId resp3 = nobody;      ///< the server's connection for those who speak RESP3
  std::vector<ServerId> spare;  ///< its connections for those who watch keys, while nobody does
  std::uint32_t lanes = 0;      ///< all of these, and those that clients have
  std::uint32_t warm = 0;       ///< of these, those that are connected
  ClientId watcher = nobody;    ///< whose connection it is
  Buffer in, out;
  RingQueue<Part> parts;
  std::uint64_t awaited = 0;  ///< nobody waits for its parts before this one
  std::uint32_t own = 0;      ///< of its parts, those that are the router's own questions
  Time busy_until{};          ///< since it was said to be
  Held held;                  ///< what waits for its turn
  Buffer kept;                ///< commands of those parts that may be asked again
  RespScanner scanner;
  Standing* standing = nullptr;
  std::size_t skip = 0;  ///< bytes to come of an answer that was too long
  ServerState state = ServerState::idle;
  bool meta = false, listed = false, looked_at = false;
  bool left = false;  ///< the map
  std::uint32_t failures = 0;
  Time retry{}, since{};    ///< since: in this state
  Time trouble{-1};         ///< since it failed first, with no answer since; negative: it has not
  Time heard{};             ///< an answer, or that its connection stands
  Time delivered{};         ///< so much of a large answer that it is not slow
  std::size_t part_in = 0;  ///< bytes of the answer that is coming in, when they were looked at last
  std::string why;
  std::string refusal;  ///< of what its connection began with
  // proxy_failing.cpp
  bool owes = false;          ///< answers that were given up, and the standing knows
  bool probing = false;       ///< a probe is under way
  bool silent = false;        ///< it was said to be
  bool fence_failed = false;  ///< it refused to drop something
  std::uint32_t fencing = 0;  ///< answers to come before its return goes on
  std::uint32_t returns = 0;  ///< of the standing, when it was last seen
  Time proved{-1};            ///< when the last probe that it answered was sent
  Time owes_since{};
  std::uint64_t last_change = 0;  ///< stalled: of its parts, those before this one may change something
  Time return_after{};            ///< not before
  Time counted{};                 ///< its last failure
  std::uint64_t requests = 0, failed = 0, timeouts = 0, hits = 0, misses = 0;
  Latency latency;

  /// Requests in flight, without the router's own questions.
  std::size_t asked() const noexcept { return parts.size() - own; }
  bool owes_nothing() const noexcept { return parts.empty() && held.empty(); }
  /// It is another server's from now on. Numbers go on, and its connections, which rest, are that one's.
  void begin_anew() {
    Server fresh;
    fresh.parts = std::move(parts);
    fresh.resp3 = resp3;
    fresh.spare = std::move(spare);
    fresh.lanes = lanes;
    fresh.listed = listed;
    fresh.looked_at = looked_at;
    *this = std::move(fresh);
  }
  /// What has come of an answer that was too long.
  void pass_over() noexcept {
    const std::size_t size = std::min(skip, in.size());
    in.consume(size);
    skip -= size;
  }
};

/// What it has counted: of one connection, the state apart.
void count_of(const Server& server, Time now, ServerStats& out);

}  // namespace arcwise::router
