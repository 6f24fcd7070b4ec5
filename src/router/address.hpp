// Addresses as configurations write them, and as the kernel takes them.
//
// Layer: router.
#pragma once

#include <sys/socket.h>

#include <optional>
#include <string>

#include "arcwise/error.hpp"

namespace arcwise::router {

struct Address {
  sockaddr_storage bytes{};
  socklen_t size = 0;
  int family() const noexcept { return bytes.ss_family; }
  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&bytes); }
};

/// `host:port`, `[v6]:port`, or the path of a unix socket. Asks for names, and may wait long for an answer.
Result<Address> look_up(const std::string& address);
/// The same without waiting; nullopt: it is a name.
Result<std::optional<Address>> without_asking(const std::string& address);

/// `host:port` or a path, without asking for names.
std::string text_of(const sockaddr& address);

Error address_error(const std::string& address, const std::string& why);

}  // namespace arcwise::router
