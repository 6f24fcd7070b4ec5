#include "router/config_values.hpp"

#include <sys/un.h>

#include <array>
#include <charconv>

#include "router/socket.hpp"

namespace arcwise::router {
namespace {

struct Step {
  std::string_view name;
  std::uint64_t size;
};
// From the largest down, so that what is shown is short.
constexpr std::array<Step, 4> durations{{{"h", 3'600'000}, {"min", 60'000}, {"s", 1000}, {"ms", 1}}};
constexpr std::array<Step, 4> sizes{
    {{"GiB", std::uint64_t{1} << 30}, {"MiB", std::uint64_t{1} << 20}, {"KiB", 1024}, {"B", 1}}};
constexpr std::size_t longest_path = sizeof(sockaddr_un::sun_path) - 1;
constexpr std::uint64_t longest = std::uint64_t{1000} * 3'600'000;

// The digits at the front, taken off; nullopt: there are none, or too many.
std::optional<std::uint64_t> take_digits(std::string_view& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// A whole number and one of the units: "64KiB", "2 s".
template <std::size_t N>
std::optional<std::uint64_t> with_unit(std::string_view text, const std::array<Step, N>& units) {
  const auto number = take_digits(text);
  if (!number) return std::nullopt;
  if (text.starts_with(' ')) text.remove_prefix(1);
  for (const Step& unit : units)
    if (text == unit.name) {
      if (*number > std::numeric_limits<std::uint64_t>::max() / unit.size) return std::nullopt;
      return *number * unit.size;
    }
  return *number == 0 && text.empty() ? number : std::nullopt;
}

template <std::size_t N>
std::string in_units(std::uint64_t value, const std::array<Step, N>& units) {
  for (const Step& unit : units)
    if (value != 0 && value % unit.size == 0)
      return std::to_string(value / unit.size) + std::string(unit.name);
  return "0";
}

}  // namespace

std::optional<Wrong> read_duration(std::string_view text, milliseconds& out) {
  const auto value = with_unit(text, durations);
  if (!value) return Wrong{"not a duration", "write a whole number and its unit: 250ms, 2s, 5min, 1h"};
  if (*value > longest) return Wrong{"a duration that is too long", "the longest is 1000h"};
  out = milliseconds(static_cast<milliseconds::rep>(*value));
  return std::nullopt;
}

std::string write_duration(milliseconds value) {
  return in_units(static_cast<std::uint64_t>(value.count()), durations);
}

std::optional<Wrong> read_number(std::string_view text, Unit unit, Range range, std::uint64_t& out) {
  std::optional<std::uint64_t> value;
  if (unit == Unit::bytes) {
    value = with_unit(text, sizes);
    if (!value) return Wrong{"not a size", "write a whole number and its unit: 512B, 64KiB, 4MiB, 1GiB"};
  } else {
    if (unit == Unit::percent && text.ends_with('%')) text.remove_suffix(1);
    value = take_digits(text);
    if (!value || !text.empty())
      return unit == Unit::percent ? Wrong{"not a percentage", "write a whole number and the sign: 125%"}
                                   : Wrong{"not a whole number", "write decimal digits only"};
  }
  if (*value < range.least || *value > range.most)
    return Wrong{"out of range",
                 write_number(range.least, unit) + " to " + write_number(range.most, unit) + " is possible"};
  out = *value;
  return std::nullopt;
}

std::string write_number(std::uint64_t value, Unit unit) {
  if (unit == Unit::bytes) return in_units(value, sizes);
  return std::to_string(value) + (unit == Unit::percent ? "%" : "");
}

std::optional<Wrong> check_address(std::string_view text) {
  const Wrong wrong{"not an address", "write host:port, [v6]:port, or the path of a unix socket"};
  if (text.starts_with('/')) {
    if (text.size() <= longest_path) return std::nullopt;
    return Wrong{"too long a path for a unix socket",
                 "the longest has " + std::to_string(longest_path) + " bytes"};
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || text.find_first_of(" \t") != std::string_view::npos) return wrong;
  std::string_view port = text.substr(colon + 1);
  const auto number = take_digits(port);
  if (!number || !port.empty() || *number > 65535)
    return Wrong{"an address without a port of 0 to 65535", wrong.advice};
  return std::nullopt;
}

std::optional<Wrong> check_listener(const std::string& text) {
  if (!text.starts_with('/')) return check_address(text);
  const auto listener = unix_listener(text);
  if (!listener) return Wrong{listener.error().why, listener.error().advice};
  return check_address(listener->path);
}

std::optional<Wrong> read_choice(std::string_view text, std::span<const std::string_view> names,
                                 std::size_t& out) {
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == text) {
      out = i;
      return std::nullopt;
    }
    list += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + std::string(names[i]);
  }
  return Wrong{"none of the choices", "write " + list};
}

}  // namespace arcwise::router
