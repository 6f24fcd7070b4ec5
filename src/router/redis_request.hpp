// A command where it was found: its words among the bytes.
//
// Layer: router.
#pragma once

#include <string_view>

#include "router/redis_commands.hpp"
#include "router/resp.hpp"

namespace arcwise::router {

struct FoundCommand {
  const RespRequest& request;
  std::string_view bytes;

  std::string_view word(std::size_t i) const noexcept { return request.word(bytes, i); }
  std::string_view name() const noexcept { return word(0); }
  /// Where it has subcommands, which one.
  std::string_view second() const noexcept { return request.words() > 1 ? word(1) : std::string_view(); }
  /// Good as long as this is.
  RedisWords words() const noexcept {
    return {this, request.words(), [](const void* of, std::size_t i) noexcept {
              return static_cast<const FoundCommand*>(of)->word(i);
            }};
  }
};

}  // namespace arcwise::router
