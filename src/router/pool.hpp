// A pool: the servers that one map places keys on, and how a router speaks for them.
//
// Layer: router.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "router/memcached_request.hpp"
#include "router/placed.hpp"
#include "router/resp.hpp"
#include "router/write_marks.hpp"

namespace arcwise::router {

/// Time as loops tell it: since any moment, always forward.
using Time = std::chrono::microseconds;
using std::chrono::milliseconds;

enum class Protocol : std::uint8_t { memcached, redis };

/// What a request gets whose owner does not answer. Keys never move for it.
enum class OnFailure : std::uint8_t {
  error,
  miss,   ///< reads find nothing; writes get the error
  next,   ///< the next distinct owner is asked instead
  gutter  ///< spare servers are asked instead
};

/// What is done with a server's data before it is asked again.
enum class OnReturn : std::uint8_t {
  keep,
  flush,  ///< all of it is dropped
  fence   ///< what was written elsewhere meanwhile is dropped
};

/// While an owner does not answer, and when it is back.
struct Failing {
  OnFailure on_failure = OnFailure::error;
  OnReturn on_return = OnReturn::fence;
  std::vector<std::string> gutter;                 ///< addresses of the spare servers
  std::chrono::seconds longest_ttl{10};            ///< of what is written elsewhere
  milliseconds first_retry{50}, last_retry{2000};  ///< between attempts to connect, doubling
  std::size_t fence_keys = 10'000;                 ///< to be dropped on a server; more: all it has
  milliseconds probe_every{1000};                  ///< a server that is not used; 0: never
  milliseconds ramp{0};                            ///< over which a server that is back gets its keys back
  /// Nothing is sent to a server before it has answered what was given up. Off: a write that was given up
  /// may undo a later one.
  bool draining = true;
  /// Twemproxy's: a server that failed so often in a row leaves the placement for a while, and its keys move.
  bool auto_eject = false;
  unsigned failure_limit = 2;
  milliseconds eject_for{30'000};
  /// So many owners that fail in the order of the circle within the window are a cascade.
  unsigned cascade = 3;
  milliseconds cascade_window{60'000};
};

/// When servers get more than they can do.
struct Overload {
  std::optional<unsigned> bound;   ///< per cent of the mean of requests in flight that a server may have
  std::size_t in_flight = 0;       ///< requests that one server may have; 0: any
  milliseconds queue_deadline{0};  ///< that a request may wait for its turn
  unsigned retry_budget = 0;       ///< of 100 reads, how many may be asked again after a lost connection
  bool coalesce = false;           ///< a read of a key that is being read shares its answer
};

struct PoolLimits {
  McLimits memcached;
  RespLimits redis{std::size_t{1} << 20, std::size_t{64} << 20, std::size_t{128} << 20,
                   std::size_t{64} << 10};
  std::size_t requests = 1024;                ///< of one client that wait for answers
  std::size_t unsent = std::size_t{4} << 20;  ///< bytes for a client that does not read them
  std::size_t held = std::size_t{256}
                     << 20;  ///< bytes of answers for all clients of a thread; others are an error
  std::size_t reply = std::size_t{128} << 20;  ///< bytes of one; what is longer is an error
  std::size_t clients = 10'000;
  milliseconds slow{100};  ///< a request that takes longer is noted
};

class Standings;
std::shared_ptr<Standings> make_standings();

/// How the pool's address is listened on.
struct Listening {
  unsigned backlog = 1024;  ///< connections that may wait to be taken
  bool reuse_port = false;  ///< beside another process on the same address
  bool keepalive = false;   ///< clients that vanish without a word are noticed after a while
};

struct Pool {
  explicit Pool(Placed placed) : placement(std::move(placed)) {}
  explicit Pool(Placement compiled) : Pool(Placed(std::move(compiled))) {}

  std::string name;
  std::string listen;  ///< host:port, [host]:port, or the path of a unix socket, and its permissions
  Listening listening;
  Protocol protocol = Protocol::memcached;
  Placed placement;
  std::vector<std::string> addresses;  ///< by node
  std::string source;                  ///< the map's file
  Observed observed;                   ///< beside the map, in its file
  std::optional<milliseconds> timeout;
  Failing failing;
  /// What the loops that serve copies of this pool must know alike of its servers.
  std::shared_ptr<Standings> standings = make_standings();
  Overload overload;
  std::string password;         ///< for the servers
  std::string client_password;  ///< that clients must give; empty: none
  unsigned database = 0;
  bool flush_all = true;  ///< whether clients may have all data dropped: flush_all, FLUSHALL, FLUSHDB
  PoolLimits limits;
  /// Copies of a pool, for other loops, have the same.
  std::shared_ptr<WriteMarks> marks = std::make_shared<WriteMarks>();
  std::vector<std::string> notes;  ///< what its configuration asks for and does not get
};

}  // namespace arcwise::router
