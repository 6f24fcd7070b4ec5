// memcached's text protocol: the flags of meta commands, and numbers.
//
// Layer: router. Pure; allocates nothing.
#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>

#include "router/memcached_request.hpp"

namespace arcwise::router {

/// As memcached reads it, and never longer than what is forwarded may be.
template <class Number>
bool mc_number(std::string_view text, Number& value) noexcept {
  constexpr std::size_t longest = 20;
  if (text.size() > longest) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}
bool mc_is_number(std::string_view text, std::uint64_t most) noexcept;
/// A time of seconds may be negative: expired at once.
bool mc_is_time(std::string_view text) noexcept;

/// Takes a meta command's flags into the request. What is wrong with them in memcached's words; empty:
/// nothing.
std::string_view mc_take_flags(std::string_view flags, McRequest& out) noexcept;
/// What is wrong with a meta set whose flags are known.
std::string_view mc_set_error(std::string_view flags) noexcept;

}  // namespace arcwise::router
