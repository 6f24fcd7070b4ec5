// A pool: the servers that one map places keys on, and how a router speaks for them.
//
// Layer: router.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arcwise/placement.hpp"
#include "router/memcached_request.hpp"
#include "router/resp.hpp"

namespace arcwise::router {

/// Time as loops tell it: since any moment, always forward.
using Time = std::chrono::microseconds;
using std::chrono::milliseconds;

enum class Protocol : std::uint8_t { memcached, redis };

/// What a request gets whose owner does not answer. Keys never move for it.
enum class OnFailure : std::uint8_t {
  error,
  miss  ///< reads find nothing; writes get the error
};

struct PoolLimits {
  McLimits memcached;
  RespLimits redis{std::size_t{1} << 20, std::size_t{64} << 20, std::size_t{128} << 20,
                   std::size_t{64} << 10};
  std::size_t requests = 1024;                ///< of one client that wait for answers
  std::size_t unsent = std::size_t{4} << 20;  ///< bytes for a client that does not read them
  std::size_t clients = 10'000;
};

struct Pool {
  explicit Pool(Placement placed) : placement(std::move(placed)) {}

  std::string name;
  std::string listen;  ///< host:port, [host]:port, or the path of a unix socket
  Protocol protocol = Protocol::memcached;
  Placement placement;
  std::vector<std::string> addresses;  ///< by node
  std::optional<milliseconds> timeout;
  milliseconds first_retry{50}, last_retry{2000};  ///< between attempts to connect, doubling
  OnFailure on_failure = OnFailure::error;
  std::string password;  ///< for the servers
  unsigned database = 0;
  PoolLimits limits;
  std::vector<std::string> notes;  ///< what its configuration asks for and does not get
};

}  // namespace arcwise::router
