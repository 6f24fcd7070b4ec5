#include "format/columns.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

namespace arcwise {
namespace {

constexpr std::array<std::pair<std::string_view, int>, 13> load_units{{{"bytes", 0},
                                                                       {"B", 0},
                                                                       {"KiB", 10},
                                                                       {"KB", 10},
                                                                       {"MiB", 20},
                                                                       {"MB", 20},
                                                                       {"GiB", 30},
                                                                       {"GB", 30},
                                                                       {"TiB", 40},
                                                                       {"TB", 40},
                                                                       {"PiB", 50},
                                                                       {"PB", 50},
                                                                       {"byte", 0}}};

std::optional<double> parse_decimal(std::string_view text) {
  if (text.empty() || text.size() > 32) return std::nullopt;
  std::string digits(text);
  for (char& c : digits) {
    if (c == ',') c = '.';
    if (c != '.' && (c < '0' || c > '9')) return std::nullopt;
  }
  double value = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (fault != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

}  // namespace

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view take_word(std::string_view& rest) {
  while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
  const auto end = std::find_if(rest.begin(), rest.end(), is_blank);
  const std::string_view word = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
  rest.remove_prefix(word.size());
  return word;
}

std::string_view take_last_word(std::string_view& rest) {
  while (!rest.empty() && is_blank(rest.back())) rest.remove_suffix(1);
  std::size_t start = rest.size();
  while (start > 0 && !is_blank(rest[start - 1])) --start;
  const std::string_view word = rest.substr(start);
  rest = rest.substr(0, start);
  return word;
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::string_view word = take_word(text); !word.empty(); word = take_word(text)) out.push_back(word);
  return out;
}

std::optional<std::uint64_t> parse_count(std::string_view text, std::uint64_t last) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || end != text.data() + text.size() || value > last) return std::nullopt;
  return value;
}

std::optional<double> parse_percent(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  const auto value = parse_decimal(text.substr(0, text.size() - 1));
  if (!value || *value > 100) return std::nullopt;
  return *value / 100;
}

bool is_load_unit(std::string_view text) {
  return std::any_of(load_units.begin(), load_units.end(),
                     [&](const auto& unit) { return unit.first == text; });
}

std::optional<double> parse_load(std::string_view number, std::string_view unit) {
  const auto value = parse_decimal(number);
  if (!value) return std::nullopt;
  for (const auto& [name, power] : load_units)
    if (name == unit) return *value * static_cast<double>(std::uint64_t{1} << power);
  return std::nullopt;
}

bool is_hex(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  });
}

}  // namespace arcwise
