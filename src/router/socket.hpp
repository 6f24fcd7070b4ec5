// Sockets: addresses as configurations write them, listening and connecting without waiting.
//
// Layer: router.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "arcwise/error.hpp"

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
  explicit operator bool() const noexcept { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// `host:port`, `[v6]:port`, or the path of a unix socket. Port 0: any that is free.
Result<Descriptor> listen_on(const std::string& address);
/// The address that a listening socket has got.
std::string address_of(const Descriptor& listener);
/// A connection that is being made: it can be written to once it stands, or has failed.
Result<Descriptor> connect_to(const std::string& address);
/// A client of a listener; none where nobody waits.
Descriptor accept_from(const Descriptor& listener);
/// Why a connection could not be made; empty: it stands.
std::string connection_error(const Descriptor& connection);

}  // namespace arcwise::router
