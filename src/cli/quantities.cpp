#include "cli/quantities.hpp"

#include <cstdlib>

#include "arcwise/format.hpp"

namespace arcwise::cli {
namespace {

constexpr const char* no_time = "is not a time, such as 130s or 2min";
constexpr double longest = 1e9;

// A number and the unit behind it.
std::optional<double> measured(const std::string& text, std::string& unit) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  unit = end;
  if (end == text.c_str() || !(value >= 0)) return std::nullopt;
  return value;
}

std::optional<double> seconds_of(const std::string& text) {
  std::string unit;
  const auto value = measured(text, unit);
  if (!value) return std::nullopt;
  const double in_seconds = unit.empty() || unit == "s" ? 1
                            : unit == "min"             ? 60
                            : unit == "h"               ? 3600
                            : unit == "d"               ? 86400
                                                        : -1;
  const double seconds = *value * in_seconds;
  if (in_seconds < 0 || seconds > longest) return std::nullopt;
  return seconds;
}

}  // namespace

Args::Setter size_into(double& into) {
  return [&into](const std::string& text) -> std::string {
    const auto size = parse_size(text);
    if (!size || !(*size > 0)) return "is not a size, such as 24TB or 250MB/s";
    into = *size;
    return "";
  };
}

Args::Setter rate_into(double& into) {
  return [&into](const std::string& text) -> std::string {
    std::string unit;
    const auto value = measured(text, unit);
    if (unit.size() >= 2 && unit.ends_with("/s")) unit.resize(unit.size() - 2);
    const double thousands = unit.empty() ? 1 : unit == "k" ? 1e3 : unit == "M" ? 1e6 : 0;
    if (!value || !(*value * thousands > 0) || *value > 1e15)
      return "is not a number, such as 50000 or 50k/s";
    into = *value * thousands;
    return "";
  };
}

Args::Setter seconds_into(double& into) {
  return [&into](const std::string& text) -> std::string {
    const auto seconds = seconds_of(text);
    if (!seconds || !(*seconds > 0)) return no_time;
    into = *seconds;
    return "";
  };
}

Args::Setter seconds_into(std::optional<double>& into) {
  return [&into](const std::string& text) -> std::string {
    const auto seconds = seconds_of(text);
    if (!seconds) return no_time;
    into = seconds;
    return "";
  };
}

Args::Setter part_into(std::optional<double>& into, std::string of) {
  return [&into, of = std::move(of)](const std::string& text) -> std::string {
    std::string rest;
    const auto value = measured(text, rest);
    const bool per_cent = rest == "%" || rest == " %";
    const double fraction = value ? (per_cent ? *value / 100 : *value) : 0;
    if ((!rest.empty() && !per_cent) || !(fraction > 0) || fraction > 1)
      return "is not a part of " + of + ", such as 60% or 0.6";
    into = fraction;
    return "";
  };
}

}  // namespace arcwise::cli
