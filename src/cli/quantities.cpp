#include "cli/quantities.hpp"

#include "arcwise/format.hpp"
#include "format/decimal.hpp"
#include "model/build.hpp"

namespace arcwise::cli {
namespace {

constexpr double longest = 1e9, shortest_time = 1e-6;
constexpr double largest_size = 1e21, least_rate = 1e-3, largest_rate = 1e15;

std::optional<double> seconds_of(std::string_view text) {
  const auto value = take_decimal(text);
  if (!value) return std::nullopt;
  const double in_seconds = text.empty() || text == "s" ? 1
                            : text == "min"             ? 60
                            : text == "h"               ? 3600
                            : text == "d"               ? 86400
                                                        : -1;
  const double seconds = *value * in_seconds;
  if (in_seconds < 0 || seconds > longest) return std::nullopt;
  return seconds;
}

// 0…1
std::optional<double> fraction_of(std::string_view text) {
  const auto value = take_decimal(text);
  if (!value || (!text.empty() && text != "%")) return std::nullopt;
  const double fraction = text.empty() ? *value : *value / 100;
  return fraction <= 1 ? std::optional(fraction) : std::nullopt;
}

template <class Into>
Args::Setter time_from_0(Into& into) {
  return [&into](const std::string& text) -> std::string {
    const auto seconds = seconds_of(text);
    if (!seconds) return "is not a time from 0 to 11574d, such as 130s, 2min, 6h or 1d";
    into = *seconds;
    return "";
  };
}

}  // namespace

const char* const weight_wanted = "a weight from 0.000000001 to 4294967295, such as 1 or 2.5";

Args::Setter size_into(double& into) {
  return [&into](const std::string& text) -> std::string {
    const auto size = parse_size(text);
    if (!size || *size < 1 || *size > largest_size)
      return "is not a size from 1B to 1000EB, such as 24TB or 250MB/s";
    into = *size;
    return "";
  };
}

Args::Setter rate_into(double& into) {
  return [&into](const std::string& text) -> std::string {
    std::string_view unit = text;
    const auto value = take_decimal(unit);
    if (unit.ends_with("/s")) unit.remove_suffix(2);
    const double thousands = unit.empty() ? 1 : unit == "k" ? 1e3 : unit == "M" ? 1e6 : 0;
    const double rate = value.value_or(0) * thousands;
    if (rate < least_rate || rate > largest_rate)
      return "is not a number from 0.001 to 1e15, such as 50000 or 50k/s";
    into = rate;
    return "";
  };
}

Args::Setter seconds_into(double& into) {
  return [&into](const std::string& text) -> std::string {
    const auto seconds = seconds_of(text);
    if (!seconds || *seconds < shortest_time)
      return "is not a time from 0.000001s to 11574d, such as 130s, 2min, 6h or 1d";
    into = *seconds;
    return "";
  };
}

Args::Setter seconds_from_0_into(double& into) {
  return time_from_0(into);
}

Args::Setter seconds_from_0_into(std::optional<double>& into) {
  return time_from_0(into);
}

Args::Setter part_into(std::optional<double>& into, std::string of) {
  return [&into, of = std::move(of)](const std::string& text) -> std::string {
    const auto fraction = read_part(text);
    if (!fraction) return "is not a part of " + of + " above 0 and at most 100%, such as 60% or 0.6";
    into = *fraction;
    return "";
  };
}

Args::Setter part_from_0_into(std::optional<double>& into, std::string of) {
  return [&into, of = std::move(of)](const std::string& text) -> std::string {
    const auto fraction = fraction_of(text);
    if (!fraction) return "is not a part of " + of + " from 0 to 100%, such as 10% or 0.1";
    into = *fraction;
    return "";
  };
}

std::optional<double> read_part(std::string_view text) {
  const auto fraction = fraction_of(text);
  return fraction && *fraction > 0 ? fraction : std::nullopt;
}

std::optional<double> read_weight(std::string_view text) {
  return decimal_within(text, least_weight, most_weight);
}

}  // namespace arcwise::cli
