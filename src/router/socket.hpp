// Sockets: addresses as configurations write them, listening and connecting without waiting.
//
// Layer: router.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arcwise/error.hpp"
#include "router/address.hpp"
#include "router/pool.hpp"

namespace arcwise::router {

/// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor();
  int get() const noexcept { return fd_; }
  int release() noexcept { return std::exchange(fd_, -1); }
  explicit operator bool() const noexcept { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// As many sockets that listen on one address as there are loops: between them the kernel spreads clients.
/// `host:port`, `[v6]:port`, or the path of a unix socket, which permissions may follow: `/run/a.sock 0660`.
/// Port 0: any that is free. Refused where another process listens there, unless both reuse the port.
Result<std::vector<Descriptor>> listen_on(const std::string& address, const Listening& how, std::size_t many);
/// The address that a listening socket has got.
std::string address_of(const Descriptor& listener);
/// A connection that is being made: it can be written to once it stands, or has failed.
Result<Descriptor> connect_to(const std::string& address);
/// A client of a listener. None: errno says why.
Descriptor accept_from(const Descriptor& listener, const Listening& how);
/// The path of a unix socket, without permissions; empty: it is none.
std::string unix_path(const std::string& listen);
struct UnixListener {
  std::string path;
  std::optional<unsigned> mode;  ///< its permissions; none: what the umask leaves
};
/// Of an address that is a path. The error needs no place: where the text stands is for others to say.
Result<UnixListener> unix_listener(const std::string& listen);
/// Whether this machine lets anybody listen there, whatever the port: it has the address.
bool may_be_bound(const Address& address);

/// How many descriptors this process may have, raised as far as it may be.
std::uint64_t raise_descriptor_limit();
/// Why a connection could not be made; empty: it stands.
std::string connection_error(const Descriptor& connection);

}  // namespace arcwise::router
