// memcached's text protocol, the server's side: where one reply ends.
//
// Layer: router. Sans I/O; pure; allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace arcwise::router {

/// What kind of reply a command has. An error is a single line in each.
enum class McReply : std::uint8_t {
  line,    ///< one line
  values,  ///< VALUE blocks, and END
  meta,    ///< one line, and the value that a line beginning with VA announces
  lines    ///< lines, and END
};

struct McScan {
  std::size_t size = 0;  ///< of the whole reply; 0: there is more to come
  bool broken = false;   ///< this is no reply: the connection cannot be used any more
  /// Not whole: so many bytes need not be kept where nobody wants it; what is left is scanned as before.
  std::size_t spare = 0;
};
McScan scan_memcached(McReply kind, std::string_view bytes) noexcept;

bool is_memcached_error(std::string_view reply) noexcept;

}  // namespace arcwise::router
