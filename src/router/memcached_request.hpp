// memcached's text protocol, the client's side: bytes to commands, each a view into the bytes.
//
// Layer: router. Sans I/O: the caller holds the bytes, and asks again when there are more. Pure; allocates
// nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace arcwise::router {

enum class McVerb : std::uint8_t {
  get,
  gets,
  gat,
  gats,
  set,
  add,
  replace,
  append,
  prepend,
  cas,
  remove,
  incr,
  decr,
  touch,
  meta_get,
  meta_set,
  meta_delete,
  meta_arithmetic,
  meta_noop,
  meta_debug,
  version,
  verbosity,
  stats,
  flush_all,
  quit,
  other  ///< one that is not routed, or none at all
};

struct McRequest {
  McVerb verb = McVerb::other;
  std::string_view name;  ///< as written
  std::string_view key;   ///< of the commands of one key
  std::string_view
      rest;  ///< get and gets: the keys; else what stands behind the key and is understood, without `noreply`
  std::string_view data;  ///< the value with the line end behind it, where the command has one
  bool noreply = false;
  std::uint64_t flags = 0;  ///< of a meta command, a bit for each letter; each stands there once
  bool has(char flag) const noexcept { return flags >> (flag - '@') & 1; }
};

struct McLimits {
  std::size_t line = std::size_t{1} << 20;   ///< of a command; 10,000 keys of 100 bytes
  std::size_t value = std::size_t{1} << 20;  ///< memcached's own default
};

struct McParsed {
  enum class What : std::uint8_t {
    more,     ///< the command is not whole: ask again with at least `wanted` bytes
    request,  ///< here it is
    refused   ///< answer `error`; the stream goes on behind the bytes used
  };
  What what = What::more;
  std::size_t used = 0;      ///< bytes of the command
  std::size_t wanted = 0;    ///< more: how many bytes there must be
  std::size_t skip = 0;      ///< refused: bytes to come that belong to it still
  bool skip_line = false;    ///< refused: and the rest of its line
  bool drops = false;        ///< refused: and the key's old value is to go, as memcached has it
  std::string_view error{};  ///< refused: a whole line, or nothing: `noreply`
};

/// The first command of `bytes`. Errors are memcached's own, in its words where clients look for them.
McParsed parse_memcached(std::string_view bytes, const McLimits& limits, McRequest& out) noexcept;

inline constexpr std::size_t mc_longest_key = 250;
inline constexpr std::size_t mc_longest_opaque = 32;  ///< with its letter

/// Takes the next word, parted by blanks; empty at the end.
std::string_view next_word(std::string_view& text) noexcept;

}  // namespace arcwise::router
