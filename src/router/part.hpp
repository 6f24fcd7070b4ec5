// What a router waits for: slots of clients, and parts of servers.
//
// Layer: router. proxy.hpp tells how they go together.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "router/memcached_reply.hpp"
#include "router/pool.hpp"

namespace arcwise::router {

/// Numbers of a proxy's clients, and of its connections to servers.
using ClientId = std::uint32_t;
using ServerId = std::uint32_t;
constexpr ServerId nobody = ~ServerId{0};

/// What is made of a server's answer.
enum class Use : std::uint8_t {
  whole,       ///< it is the answer
  nothing,     ///< nobody waits for it: `noreply`
  quiet,       ///< only what memcached's q flag lets through
  value,       ///< memcached: values without their END
  meta_value,  ///< VA of a meta get, written as VALUE
  element,     ///< RESP: the one element of an array
  total,       ///< RESP: a number, added up
  all_ok,      ///< RESP: OK, or the first error
  server_ok,   ///< memcached: OK, or the first error
  dropped,     ///< memcached: that an old value is gone, where the answer is known already
  wrapped,     ///< RESP: of EXEC, the answer to the first command
  // What all servers say of their keys, gathered: proxy_keyspace.cpp
  first,     ///< RESP: all say the same
  all_true,  ///< RESP: arrays of 0 and 1, with 1 where each says so
  keys,      ///< RESP: arrays of keys, as one
  one_of,    ///< RESP: one of those that are not null
  scan,      ///< RESP: a server's cursor and keys, as the router's
  // The router's own
  meta_probe,  ///< whether the server answers, and knows meta commands
  probe,       ///< whether the server answers
  fence,       ///< what was written elsewhere is dropped
  sentinel,    ///< behind what was given up: whether that is all answered, and nothing else
  greeting     ///< HELLO, AUTH and SELECT of a new connection
};

/// The router's own question: no client waits for its answer.
constexpr bool is_own(Use use) noexcept {
  return use >= Use::meta_probe;
}

/// A place in a client's queue of answers.
struct Slot {
  enum class Kind : std::uint8_t {
    whole,
    value,  ///< may be empty; a failure is told at the end
    end     ///< of memcached values: END, or what failed among them
  };
  Kind kind = Kind::whole;
  bool failed = false;
  bool unique = false;         ///< a value with its cas
  std::uint32_t waits = 0;     ///< parts to come
  std::uint32_t elements = 0;  ///< of an array: so many slots behind it are its elements
  std::int64_t total = 0;
  std::size_t kept = 0;  ///< of what its client has waiting, these bytes
  std::string bytes;     ///< the answer, or of a value what failed; while a value is waited for, its key
};

/// What a server will answer next but so many.
struct Part {
  std::uint32_t client = 0, generation = 0;
  std::uint64_t slot = 0, head = 0;  ///< head: the slot that waits for all parts of its request
  Use use = Use::whole;
  McReply reply = McReply::noop;
  bool read = false;   ///< changes nothing: may be missed
  bool pure = false;   ///< asked twice, or once for several, it does the same
  bool again = false;  ///< it was asked before, on a connection that was lost
  KeyMark mark = no_mark;
  McTag tag = 0;  ///< what its answer is known by; 0: nothing
  Time sent{};
  std::uint64_t seen = 0;     ///< a read: how many writes of its mark there were when it came
  std::uint32_t unheard = 0;  ///< so many answers come before its own: of MULTI, and of what it queues
  std::uint32_t size = 0;     ///< bytes of its command, where these are kept
  std::uint32_t riders = 0;   ///< those who share its answer, as Riders number them
  /// Its command and key, shortened: should it turn out to be slow.
  struct Label {
    std::uint8_t size = 0;
    std::array<char, 39> text;
    void set(std::string_view command, std::string_view key) noexcept;
    std::string_view view() const noexcept { return {text.data(), size}; }
  } label;
};

}  // namespace arcwise::router
