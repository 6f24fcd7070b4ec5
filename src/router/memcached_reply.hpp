// memcached's text protocol, the server's side: where one reply ends, and whether it is one.
//
// Layer: router. Sans I/O; pure; allocates nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace arcwise::router {

/// What kind of reply a command has. Nothing else is one, but for an error, a single line, in each: on a
/// connection that is out of step the answers are most likely of another kind than was asked for.
enum class McReply : std::uint8_t {
  stored,           ///< of set, add, replace, append, prepend and cas
  removed,          ///< of delete
  touched,          ///< of touch
  number,           ///< of incr and decr
  done,             ///< of flush_all
  values,           ///< of get and gat: VALUE, or nothing, and END
  unique_values,    ///< of gets and gats: the same with a cas
  meta_get,         ///< one line, and the value that a line beginning with VA announces
  meta_set,         ///< one line
  meta_delete,      ///< one line
  meta_arithmetic,  ///< as of a meta get
  debug,            ///< of me
  noop,             ///< of mn
  version,          ///< of version
  rest              ///< the line end behind a value that was passed over
};
inline constexpr int mc_replies = 15;

struct McScan {
  std::size_t size = 0;  ///< of the whole reply; 0: there is more to come
  bool broken = false;   ///< this is no reply: the connection cannot be used any more
  /// Not whole: so many bytes need not be kept where nobody wants it; what is left is then scanned as
  /// `spared`.
  std::size_t spare = 0;
  McReply spared = McReply::rest;
};
McScan scan_memcached(McReply kind, std::string_view bytes) noexcept;

/// What a key's answer is known by, beside its place in the stream: two characters made of the key, which a
/// meta get gives back as its opaque `O`. Never 0.
using McTag = std::uint16_t;
McTag mc_tag(std::string_view key) noexcept;
/// " Oxy", as a meta get's flag.
std::array<char, 4> mc_opaque(McTag tag) noexcept;
/// Whether a whole reply, of values or of a meta get whose first flag is the opaque, may be the key's. What
/// names no key may be anybody's.
bool is_of_key(std::string_view reply, McTag tag) noexcept;

bool is_memcached_error(std::string_view reply) noexcept;

}  // namespace arcwise::router
