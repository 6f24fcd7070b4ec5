#include "place/ip_address.hpp"

#include <algorithm>
#include <charconv>

namespace arcwise {
namespace {

template <class Number>
std::optional<Number> whole_number(std::string_view text, std::size_t most_digits, int base) noexcept {
  Number number = 0;
  if (text.empty() || text.size() > most_digits) return std::nullopt;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool read_ipv4(std::string_view text, std::uint8_t* out) noexcept {
  for (int part = 0; part < 4; ++part) {
    const std::size_t dot = text.find('.');
    if ((dot == text.npos) != (part == 3)) return false;
    const auto byte = whole_number<std::uint8_t>(text.substr(0, dot), 3, 10);
    if (!byte) return false;
    out[part] = *byte;
    text.remove_prefix(std::min(text.size(), dot == text.npos ? dot : dot + 1));
  }
  return true;
}

// Groups of 16 bits with a colon between, the last two perhaps as IPv4: "2001:db8", "ffff:10.0.0.1". How many
// bytes; nullopt: something else.
std::optional<std::size_t> read_groups(std::string_view text, std::array<std::uint8_t, 16>& out) noexcept {
  std::size_t size = 0;
  while (!text.empty()) {
    const std::size_t colon = text.find(':');
    const std::string_view group = text.substr(0, colon);
    if (colon == text.npos && group.find('.') != group.npos) {
      if (size > 12 || !read_ipv4(group, out.data() + size)) return std::nullopt;
      return size + 4;
    }
    const auto number = whole_number<std::uint16_t>(group, 4, 16);
    if (!number || size > 14) return std::nullopt;
    out[size++] = static_cast<std::uint8_t>(*number >> 8);
    out[size++] = static_cast<std::uint8_t>(*number & 255);
    if (colon == text.npos) return size;
    text.remove_prefix(colon + 1);
    if (text.empty()) return std::nullopt;
  }
  return size;
}

bool read_ipv6(std::string_view text, std::array<std::uint8_t, 16>& out) noexcept {
  const std::size_t gap = text.find("::");
  if (gap == text.npos) return read_groups(text, out) == 16u;
  std::array<std::uint8_t, 16> tail{};
  const auto before = read_groups(text.substr(0, gap), out);
  const auto after = read_groups(text.substr(gap + 2), tail);
  if (!before || !after || *before + *after > 14) return false;
  std::copy_n(tail.begin(), *after, out.end() - static_cast<std::ptrdiff_t>(*after));
  return true;
}

}  // namespace

std::optional<IpAddress> ip_address(std::string_view text) noexcept {
  IpAddress out;
  if (text.find(':') == text.npos) {
    out.size = 4;
    if (!read_ipv4(text, out.bytes.data())) return std::nullopt;
    return out;
  }
  out.size = 16;
  if (!read_ipv6(text, out.bytes)) return std::nullopt;
  return out;
}

std::optional<Endpoint> ip_endpoint(std::string_view text) noexcept {
  Endpoint out;
  const bool bracketed = text.starts_with('[');
  const std::size_t close = bracketed ? text.find(']') : text.npos;
  const std::size_t colon = bracketed && close != text.npos ? text.find(':', close) : text.rfind(':');
  const bool has_port = colon != text.npos && (bracketed || text.find(':') == colon);
  std::string_view host = has_port ? text.substr(0, colon) : text;
  if (bracketed) {
    if (host.size() < 2 || host.back() != ']') return std::nullopt;
    host = host.substr(1, host.size() - 2);
  }
  if (has_port) {
    const auto port = whole_number<std::uint16_t>(text.substr(colon + 1), 5, 10);
    if (!port) return std::nullopt;
    out.port = *port;
  }
  const auto address = ip_address(host);
  if (!address) return std::nullopt;
  out.address = *address;
  return out;
}

}  // namespace arcwise
