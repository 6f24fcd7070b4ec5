// Settings of a recipe: presets, kinds and ranges.
#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "model/build.hpp"

namespace arcwise {
namespace {

const SettingInfo* find_setting(const Recipe& recipe, std::string_view name) {
  for (const SettingInfo& info : recipe.settings)
    if (info.name == name) return &info;
  return nullptr;
}

std::optional<double> read_number(std::string_view text, SettingInfo::Kind kind) {
  if (kind == SettingInfo::Kind::integer || kind == SettingInfo::Kind::prime) {
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return static_cast<double>(value);
  }
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (copy.empty() || end != copy.c_str() + copy.size()) return std::nullopt;
  return value;
}

std::optional<Error> check_choice(const SettingInfo& info, std::string_view value, const Mark& at) {
  std::string known;
  for (std::string_view rest = info.choices; !rest.empty();) {
    const std::string_view word = next_word(rest);
    if (word == value) return std::nullopt;
    known += (known.empty() ? "" : ", ") + std::string(word);
  }
  return Error{ErrorKind::input, at, std::string(value),
               "setting '" + std::string(info.name) + "' takes no such word", "use one of: " + known};
}

std::optional<Error> check_list(const SettingInfo& info, std::string_view value, const Mark& at) {
  do
    if (auto error = check_choice(info, next_word(value, ','), at)) return error;
  while (!value.empty());
  return std::nullopt;
}

// "eu=1, us=2": nullopt where it is anything else.
std::optional<std::vector<std::pair<std::string, std::uint64_t>>> read_shares(std::string_view text) {
  constexpr std::uint64_t most = 1'000'000'000;
  std::vector<std::pair<std::string, std::uint64_t>> out;
  const auto trim = [](std::string_view piece) {
    while (!piece.empty() && piece.front() == ' ') piece.remove_prefix(1);
    while (!piece.empty() && piece.back() == ' ') piece.remove_suffix(1);
    return piece;
  };
  while (!trim(text).empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view piece = text.substr(0, comma);
    text.remove_prefix(std::min(text.size(), comma + 1));
    const std::size_t equals = piece.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string name(trim(piece.substr(0, equals)));
    const std::string_view digits = trim(piece.substr(equals + 1));
    std::uint64_t number = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (digits.empty() || code != std::errc() || end != digits.data() + digits.size() || number > most)
      return std::nullopt;
    const bool twice = std::any_of(out.begin(), out.end(), [&](const auto& o) { return o.first == name; });
    if (twice) return std::nullopt;
    out.emplace_back(name, number);
  }
  return out;
}

bool is_prime(std::int64_t number) {
  if (number < 2) return false;
  for (std::int64_t d = 2; d * d <= number; ++d)
    if (number % d == 0) return false;
  return true;
}

std::optional<Error> check_key_hash(const Recipe& recipe, const SettingInfo& info, const std::string& value,
                                    const Mark& at) {
  std::string known;
  for (const KeyHashId id : recipe.hashes) {
    const std::string_view name = arcwise::info(id).name;
    if (name == value || value.empty()) return std::nullopt;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  return Error{ErrorKind::input, at, value, "setting '" + std::string(info.name) + "' takes no such key hash",
               "use one of: " + known};
}

}  // namespace

std::string_view next_word(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return word;
}

std::optional<Error> check_setting(const Recipe& recipe, const std::string& name, const std::string& value,
                                   const Mark& at) {
  const SettingInfo* info = find_setting(recipe, name);
  if (!info) {
    std::string known;
    for (const SettingInfo& s : recipe.settings) known += (known.empty() ? "" : ", ") + std::string(s.name);
    return Error{ErrorKind::input, at, name, "recipe '" + std::string(recipe.name) + "' has no such setting",
                 known.empty() ? "it takes none" : "it takes: " + known};
  }
  if (info->kind == SettingInfo::Kind::text) return std::nullopt;
  if (info->kind == SettingInfo::Kind::flag) {
    if (value == "true" || value == "false") return std::nullopt;
    return Error{ErrorKind::input, at, value, "setting '" + name + "' is not true or false",
                 "write true or false"};
  }
  if (info->kind == SettingInfo::Kind::choice) return check_choice(*info, value, at);
  if (info->kind == SettingInfo::Kind::list) return check_list(*info, value, at);
  if (info->kind == SettingInfo::Kind::key_hash) return check_key_hash(recipe, *info, value, at);
  if (info->kind == SettingInfo::Kind::shares) {
    if (read_shares(value)) return std::nullopt;
    return Error{ErrorKind::input, at, value, "setting '" + name + "' is not a list of whole numbers by name",
                 "write for example `eu=1, us=2`, each name once"};
  }
  const auto number = read_number(value, info->kind);
  const bool composite = info->kind == SettingInfo::Kind::prime && number && *number <= info->most &&
                         !is_prime(static_cast<std::int64_t>(*number));
  if (composite)
    return Error{ErrorKind::input, at, value, "setting '" + name + "' is not a prime number",
                 recipe.hash_open ? "a prime lets every node reach every entry of the table: 65537 is usual"
                                  : "the system refuses it too: 65537 is usual"};
  if (number && *number >= info->least && *number <= info->most) return std::nullopt;
  const auto whole = [](double v) { return std::to_string(static_cast<std::int64_t>(v)); };
  return Error{ErrorKind::input, at, value, "setting '" + name + "' is out of range",
               "write a number from " + whole(info->least) + " to " + whole(info->most)};
}

std::string_view PlacementSettings::text(std::string_view name) const {
  if (const auto at = settings.find(name); at != settings.end()) return at->second;
  const SettingInfo* info = find_setting(*recipe, name);
  return info ? info->preset : std::string_view();
}
std::int64_t PlacementSettings::integer(std::string_view name) const {
  return static_cast<std::int64_t>(read_number(text(name), SettingInfo::Kind::integer).value_or(0));
}
double PlacementSettings::number(std::string_view name) const {
  return read_number(text(name), SettingInfo::Kind::number).value_or(0);
}
bool PlacementSettings::flag(std::string_view name) const {
  return text(name) == "true";
}
std::vector<std::pair<std::string, std::uint64_t>> PlacementSettings::shares(std::string_view name) const {
  return read_shares(text(name)).value_or(std::vector<std::pair<std::string, std::uint64_t>>{});
}

}  // namespace arcwise
