#include "format/table_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace arcwise {

std::string per_cent(double fraction) {
  const double value = 100 * fraction;
  if (value == 0 || value == 100) return fmt::format("{:.0f} %", value);
  // Distance to the nearer end decides the digits, so that 99.9976 % is not rounded to 100 %.
  const double rest = value > 0 && value < 100 ? std::min(value, 100 - value) : std::fabs(value);
  if (rest < 1e-9) return value < 50 ? "< 1e-9 %" : "100 %";
  const int leading = static_cast<int>(std::floor(std::log10(rest)));
  const int digits = leading >= 0 ? 1 : std::min(12, 1 - leading);
  return fmt::format("{:.{}f} %", value, digits);
}

std::string per_cent(double fraction, int digits) {
  return fmt::format("{:.{}f} %", 100 * fraction, digits);
}

int percent_digits(double smallest) {
  if (smallest <= 0) return 1;
  return std::clamp(1 - static_cast<int>(std::floor(std::log10(100 * smallest))), 1, 6);
}

std::string times(double ratio) {
  if (ratio == 0 || ratio >= 0.1) return fmt::format("{:.2f}×", ratio);
  return fmt::format("{:.2g}×", ratio);
}

std::string counted(std::uint64_t n) {
  std::string digits = std::to_string(n);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string counted(std::uint64_t n, const char* one, const char* many) {
  return counted(n) + ' ' + (n == 1 ? one : many);
}

}  // namespace arcwise
