#include "hash/haproxy.hpp"

#include <bit>

namespace arcwise {

std::uint32_t sdbm(std::string_view bytes) noexcept {
  std::uint32_t hash = 0;
  for (const char c : bytes) hash = static_cast<std::uint8_t>(c) + hash * 65599;
  return hash;
}

std::uint32_t djb2(std::string_view bytes) noexcept {
  std::uint32_t hash = 5381;
  for (const char c : bytes) hash = hash * 33 + static_cast<std::uint8_t>(c);
  return hash;
}

std::uint32_t wt6(std::string_view bytes) noexcept {
  std::uint32_t h0 = 0xa53c965a;
  std::uint32_t h1 = 0x5ca6953a;
  int s0 = 6;
  int s1 = 18;
  for (const char c : bytes) {
    const std::uint32_t byte = static_cast<std::uint8_t>(c);
    const std::uint32_t x = ~(h0 ^ byte);
    const std::uint32_t y = ~(h1 + byte);
    h0 = std::rotl(y, s0);
    h1 = std::rotl(x, s1);
    const std::uint32_t shifts = ((h0 >> 16) ^ h1) & 0xffff;
    s0 = static_cast<int>(shifts & 31);
    s1 = static_cast<int>(shifts >> 11);
  }
  return h0 ^ h1;
}

std::uint32_t decimal32(std::string_view key) noexcept {
  const bool negative = key.starts_with('-');
  if (negative || key.starts_with('+')) key.remove_prefix(1);
  const std::uint64_t limit = std::uint64_t{0x7fffffffffffffff} + (negative ? 1 : 0);
  std::uint64_t number = 0;
  for (const char c : key) {
    if (c < '0' || c > '9') break;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    number = number > (limit - digit) / 10 ? limit : number * 10 + digit;
  }
  return static_cast<std::uint32_t>(negative ? ~number + 1 : number);
}

}  // namespace arcwise
