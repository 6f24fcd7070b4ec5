// Whom a request is sent to: by the map, and where that does not answer.
//
// Layer: router.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "arcwise/placement.hpp"
#include "router/part.hpp"
#include "router/redis_commands.hpp"

namespace arcwise::router {

/// What a request does to the value of its key.
enum class Deed : std::uint8_t { read, write, remove };
Deed deed_of(const RedisCommand& command) noexcept;

/// Whom a request is sent to.
struct Target {
  ServerId server = nobody;
  bool elsewhere = false;    ///< its owner is away: what is written there must not stay
  std::string_view why{};    ///< not empty: it is refused
  KeyMark mark = all_marks;  ///< of its key, where there is one
  /// To the same server for the same reason, though for another key.
  bool goes_with(const Target& other) const noexcept {
    return server == other.server && elsewhere == other.elsewhere && why == other.why;
  }
};

/// What twemproxy makes of a map when it has ejected servers: one without them.
struct Reduced {
  std::optional<Placement> placement;  ///< none: all are ejected
  std::vector<std::uint32_t> servers;  ///< by its nodes
  Time until{};                        ///< when the first is back
  std::uint32_t owner_of(std::string_view key) const noexcept {
    const NodeIndex node = placement ? placement->owner(key) : no_node;
    return node == no_node ? nobody : servers[node];
  }
};

}  // namespace arcwise::router
