// Values of settings as text: how people write them, and how they are shown again.
//
// Layer: router. What is written by write() is read by read() to the same value.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arcwise/error.hpp"
#include "router/event.hpp"
#include "router/pool.hpp"

namespace arcwise::router {

/// Why a text is no value, and what to write.
struct Wrong {
  std::string why, advice;
};

/// A name of each value of a type that has few, in their order.
template <class T>
struct Names;
template <>
struct Names<Protocol> {
  static constexpr std::string_view all[] = {"memcached", "redis"};
};
template <>
struct Names<OnFailure> {
  static constexpr std::string_view all[] = {"error", "miss", "next", "gutter"};
};
template <>
struct Names<OnReturn> {
  static constexpr std::string_view all[] = {"keep", "flush", "fence"};
};
template <>
struct Names<bool> {
  static constexpr std::string_view all[] = {"false", "true"};
};
template <>
struct Names<Severity> {
  static constexpr std::string_view all[] = {"note", "warning", "alarm"};
};

/// Numbers of things, of bytes (`64KiB`), or of hundredths (`125%`); or texts that are
/// addresses to be listened on.
enum class Unit : std::uint8_t { things, bytes, percent, listener };
struct Range {
  std::uint64_t least = 0, most = std::uint64_t{1} << 40;
};

/// `250ms`, `2s`, `5min`, `1h`, or 0.
std::optional<Wrong> read_duration(std::string_view text, milliseconds& out);
std::string write_duration(milliseconds value);
std::optional<Wrong> read_number(std::string_view text, Unit unit, Range range, std::uint64_t& out);
std::string write_number(std::uint64_t value, Unit unit);
/// `host:port` or the path of a unix socket.
std::optional<Wrong> check_address(std::string_view text);
/// The same to be listened on: behind the path permissions may stand.
std::optional<Wrong> check_listener(const std::string& text);
/// The place of the text among the names.
std::optional<Wrong> read_choice(std::string_view text, std::span<const std::string_view> names,
                                 std::size_t& out);

}  // namespace arcwise::router
