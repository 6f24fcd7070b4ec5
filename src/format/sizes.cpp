// Sizes and durations as people write and read them.
#include <array>
#include <cmath>
#include <cstdio>

#include "arcwise/format.hpp"
#include "format/decimal.hpp"

namespace arcwise {
namespace {

constexpr std::string_view prefixes = "kMGTPE";

// "TB" -> 1e12, "GiB" -> 2^30, "G" -> 1e9, "B" and "" -> 1.
std::optional<double> unit(std::string_view text) {
  if (text.ends_with('B')) text.remove_suffix(1);
  if (text.empty()) return 1;
  const std::size_t power = prefixes.find(text.front() == 'K' ? 'k' : text.front());
  if (power == std::string_view::npos) return std::nullopt;
  text.remove_prefix(1);
  if (text.empty()) return std::pow(1000.0, static_cast<double>(power + 1));
  if (text == "i") return std::pow(1024.0, static_cast<double>(power + 1));
  return std::nullopt;
}

std::string printed(double value, int decimals) {
  std::array<char, 400> buffer{};
  const int length = std::snprintf(buffer.data(), buffer.size(), "%.*f", decimals, value);
  return {buffer.data(), static_cast<std::size_t>(length)};
}

// "1846" -> "1,846"
std::string grouped(std::string digits) {
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

}  // namespace

std::optional<double> parse_size(std::string_view text) {
  const auto number = take_decimal(text);
  if (!number) return std::nullopt;
  if (text.ends_with("/s")) text.remove_suffix(2);
  const auto factor = unit(text);
  if (!factor || !std::isfinite(*number * *factor)) return std::nullopt;
  return *number * *factor;
}

std::string human_bytes(double bytes) {
  if (!std::isfinite(bytes)) return "unknown";
  if (bytes < 0) return "-" + human_bytes(-bytes);
  if (bytes < 999.5) return printed(bytes, 0) + " B";
  // 999.96 kB would print as 1000.0 kB, so the next unit starts where rounding reaches it.
  std::size_t power = 0;
  double value = bytes / 1000;
  while (value >= 999.95 && power + 1 < prefixes.size()) {
    value /= 1000;
    ++power;
  }
  return printed(value, value < 9.995 ? 2 : 1) + " " + prefixes[power] + "B";
}

std::string human_seconds(double seconds) {
  if (!std::isfinite(seconds)) return "unknown";
  if (seconds < 0) return "-" + human_seconds(-seconds);
  if (seconds < 9.95) return printed(seconds, 1) + " s";
  if (seconds < 59.5) return printed(seconds, 0) + " s";
  const std::string whole = printed(seconds, 0);
  const std::string exact = " (" + grouped(whole) + " s)";
  struct Step {
    double seconds;
    std::string_view name, below;
    double part;
  };
  static constexpr std::array<Step, 3> steps{
      {{86400, " d ", " h", 3600}, {3600, " h ", " min", 60}, {60, " min ", " s", 1}}};
  const double rounded = std::floor(seconds + 0.5);
  for (const Step& step : steps) {
    if (rounded < step.seconds) continue;
    const double many = std::floor(rounded / step.seconds);
    const double rest = std::floor((rounded - many * step.seconds) / step.part);
    return grouped(printed(many, 0)) + std::string(step.name) + printed(rest, 0) + std::string(step.below) +
           exact;
  }
  return whole + " s";
}

}  // namespace arcwise
