// The commands of Redis: where their keys stand, and what a router does with each.
//
// Layer: router. The places of keys are Redis's own word (redis_commands.inc, written by
// tools/make_redis_commands.py); what is done with a command is decided here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace arcwise::router {

/// Keys that stand behind each other, as Redis's key specifications have it.
struct RedisKeys {
  std::string_view word;  ///< they begin behind this word, if it is there; empty: at a position
  int at = 0;             ///< the position; or from where the word is looked for, negative: from the end back
  bool counted = false;   ///< their number stands before them
  int last = 0;           ///< a range's last key, counted from the first, or from the end if negative; or
                          ///< where the number stands
  int step = 1;
  int limit =
      0;  ///< a range to the end: of the rest only one in so many are keys; or, counted, where keys begin
};

inline constexpr std::uint8_t redis_write = 1, redis_blocking = 2, redis_pubsub = 4, redis_admin = 8;
/// Asked twice, or once for several, it does the same. Decided here: Redis's own readonly is also said of
/// commands that draw lots.
inline constexpr std::uint8_t redis_pure = 16;
inline constexpr std::uint8_t redis_container = 32;  ///< not a command: its subcommands are

enum class RedisRoute : std::uint8_t {
  owner,        ///< to the one node that holds all its keys
  values,       ///< MGET: each key to its owner, the values as one array
  total,        ///< DEL and its like: each key to its owner, the numbers as one
  pairs,        ///< MSET: each key with its value to its owner
  all_ok,       ///< FLUSHALL: to every node, OK when all say so
  all_sum,      ///< DBSIZE: to every node, the numbers as one
  all_same,     ///< SCRIPT LOAD: to every node, and all say the same
  all_true,     ///< SCRIPT EXISTS: to every node, 1 where it is 1 on each
  all_keys,     ///< KEYS: to every node, each one's keys as one array
  all_one,      ///< RANDOMKEY: to every node, the key of one
  any,          ///< COMMAND: to the map's first node that is not away
  scan,         ///< SCAN: to one node after the other
  transaction,  ///< MULTI, EXEC, DISCARD, WATCH, UNWATCH
  own,          ///< answered by the router
  session,      ///< and at once, also between MULTI and EXEC
  refused       ///< not routed
};

struct RedisCommand {
  std::string_view name;  ///< lower case, with its subcommand
  int arity = 0;          ///< words of it; negative: at least
  std::uint8_t traits = 0;
  RedisKeys keys[3]{};
  RedisRoute route = RedisRoute::owner;
};

/// By name, and where it has subcommands by the second word. Any case. nullptr: Redis has none of this name.
/// Cost: one hash of the name, and a comparison.
const RedisCommand* find_redis_command(std::string_view name, std::string_view second) noexcept;

/// Whether it may change a value. Scripts may.
bool may_write(const RedisCommand& command) noexcept;

/// Calls `visit` with the number of each word that is a key. False: the words are no such command.
using WordAt = std::string_view (*)(const void* words, std::size_t i) noexcept;
struct RedisWords {
  const void* of;
  std::size_t count;
  WordAt at;
  std::string_view operator[](std::size_t i) const noexcept { return at(of, i); }
};
template <class Visit>
bool each_redis_key(const RedisCommand& command, const RedisWords& words, Visit&& visit);

bool has_arity(const RedisCommand& command, std::size_t words) noexcept;
/// Whether it may stand between MULTI and EXEC, which go to one node.
bool may_be_queued(const RedisCommand& command) noexcept;

bool equal_ignoring_case(std::string_view a, std::string_view lower) noexcept;

/// Numbers of a range of keys: first, last (inclusive) and step; first 0: there are none; broken: no such
/// command.
struct RedisKeyRange {
  std::size_t first = 0, last = 0, step = 1;
  bool broken = false;
};
RedisKeyRange find_redis_keys(const RedisKeys& keys, const RedisWords& words) noexcept;

template <class Visit>
bool each_redis_key(const RedisCommand& command, const RedisWords& words, Visit&& visit) {
  for (const RedisKeys& keys : command.keys) {
    if (keys.at == 0) break;
    const RedisKeyRange range = find_redis_keys(keys, words);
    if (range.broken) return false;
    // MIGRATE alone has its first key there, and leaves it empty where a list of keys follows.
    if (keys.at == 3 && range.first == 3 && words[3].empty()) continue;
    for (std::size_t i = range.first; range.first != 0 && i <= range.last; i += range.step) visit(i);
  }
  return true;
}

}  // namespace arcwise::router
