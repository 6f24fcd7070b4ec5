// Numeric IP addresses as text.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace arcwise {

struct IpAddress {
  std::array<std::uint8_t, 16> bytes{};  ///< most significant first
  std::uint8_t size = 0;                 ///< 4 or 16
  std::string_view view() const noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), size};  // a char may look at any object
  }
};

/// "10.0.0.1", "2001:db8::2", "::ffff:10.0.0.1". nullopt: anything else.
std::optional<IpAddress> ip_address(std::string_view text) noexcept;

struct Endpoint {
  IpAddress address;
  std::uint16_t port = 0;  ///< 0: none
};

/// "10.0.0.1:80", "10.0.0.1", "[2001:db8::2]:80", "2001:db8::2".
std::optional<Endpoint> ip_endpoint(std::string_view text) noexcept;

}  // namespace arcwise
