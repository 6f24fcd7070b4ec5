// Whether two addresses are the same place, as far as that can be told without asking for names.
//
// Layer: router.
#pragma once

#include <cstdint>
#include <string>

namespace arcwise::router {

struct Endpoint {
  enum class Kind : std::uint8_t { path, name, v4, v6 };
  Kind kind = Kind::name;
  std::string host;       ///< a path, a name in small letters, or an address in its shortest form
  std::string port;       ///< empty: none, or any
  bool every = false;     ///< all addresses of the machine
  bool loopback = false;  ///< of the machine itself
  bool own = false;       ///< known to be another address of this machine
};
/// Of `host:port`, `[v6]:port`, or the path of a unix socket, behind which permissions may stand.
Endpoint endpoint_of(const std::string& address);

/// The same place, by whichever of the machine's addresses.
bool same(const Endpoint& one, const Endpoint& other);
/// Not both can be listened on.
bool collide(const Endpoint& one, const Endpoint& other);
/// Who connects to `to` gets to who listens on `listener`. `10.0.0.5:P` may be any machine's: `0.0.0.0:P` is
/// taken for it only where it is known to be its own.
bool leads_to(const Endpoint& to, const Endpoint& listener);

}  // namespace arcwise::router
