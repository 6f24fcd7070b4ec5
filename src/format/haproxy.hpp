// HAProxy's `backend` or `listen` with a `balance` that hashes: one of a file becomes a map.
//
// Layer: format. Lines of the `defaults` section before it (or of the one it names) count too. Disabled and
// backup servers are left out and the others keep their numbers, in `bucket`; with no active server left the
// first backup alone is used, or all of them with `option allbackups`. HAProxy 3.0 to early 3.3 place
// numbered servers of `hash-type consistent` elsewhere than the versions before and after: `haproxy-3.0`
// reads the same files as those versions do.
#pragma once

#include <optional>
#include <string>

#include "format/haproxy_text.hpp"
#include "format/importer.hpp"

namespace arcwise {

/// A `server` line, or one server of a `server-template`.
struct HaproxyServer {
  std::string name, address, host;  ///< host: an IP address, a name or a path
  bool has_port = false;            ///< a port of its own, not the client's
  Place at;
  std::uint32_t weight = 1;
  bool backup = false, disabled = false;
  std::optional<std::uint64_t> id;
  std::string guid;
  ConfigWord hash_key{"id", {}, false};
};

/// Reads options from the word `first` on into `out`, whose values so far are the defaults.
std::optional<Error> read_haproxy_options(const Source& source, const HaproxyLine& line, std::size_t first,
                                          HaproxyServer& out);
/// A `server` or `server-template` line; `defaults` is what `default-server` said.
std::optional<Error> read_haproxy_servers(const Source& source, const HaproxyLine& line,
                                          const HaproxyServer& defaults, std::vector<HaproxyServer>& out);

/// What is hashed, of `balance` and `hash-type`.
struct HaproxyBalance {
  std::string what_keys_are;
  std::map<std::string, std::string, std::less<>> settings;
  bool needs_http = false, needs_tcp = false;  ///< `mode` other than this: no hash, but servers in turn
};
std::optional<Error> read_haproxy_balance(const Source& source, const HaproxyLine& line, HaproxyBalance& out);

/// "sdbm avalanche": what `hash-type` calls a key hash, behind the method.
std::string haproxy_hash_words(KeyHashId hash);

bool is_haproxy_line(std::string_view line);
bool looks_like_haproxy(std::string_view text);
Result<Cluster> import_haproxy(const Inputs& inputs);

}  // namespace arcwise
