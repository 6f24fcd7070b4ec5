#include "format/decimal.hpp"

#include <charconv>
#include <cmath>

namespace arcwise {

std::optional<double> take_decimal(std::string_view& text) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  double number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || !std::isfinite(number)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  if (text.size() > 1 && text.front() == ' ') text.remove_prefix(1);
  return number;
}

std::optional<double> decimal_within(std::string_view text, double least, double most) {
  const auto number = take_decimal(text);
  return number && text.empty() && *number >= least && *number <= most ? number : std::nullopt;
}

}  // namespace arcwise
