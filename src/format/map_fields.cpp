#include "format/map_fields.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "model/build.hpp"

namespace arcwise {
namespace {

using Kind = YamlNode::Kind;

std::string_view name_of(Kind kind) {
  static constexpr std::array<std::string_view, 4> names{"nothing", "a single value", "a list", "a map"};
  return names[static_cast<std::size_t>(kind)];
}

// Edits (insert, drop, replace, swap neighbours) from one word to the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last, last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = std::move(last);
    last = row;
  }
  return last[b.size()];
}

Error wrong(const Source& source, const YamlNode& node, std::string why, std::string advice) {
  return fault_at(source, node.at, node.text.empty() ? text_at(source, node.at) : node.text, std::move(why),
                  std::move(advice));
}

std::string of_key(const YamlNode& node) {
  return node.key.empty() ? "this" : "`" + node.key + "`";
}

bool digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// digits [. digits] [e [sign] digits]; from_chars alone would take "inf", ".5" and "5." too.
bool is_decimal(std::string_view text) {
  std::string_view mantissa = text;
  if (const std::size_t e = text.find_first_of("eE"); e != std::string_view::npos) {
    std::string_view exponent = text.substr(e + 1);
    if (!exponent.empty() && (exponent.front() == '-' || exponent.front() == '+')) exponent.remove_prefix(1);
    if (!digits(exponent)) return false;
    mantissa = text.substr(0, e);
  }
  const std::size_t point = mantissa.find('.');
  if (point != std::string_view::npos && !digits(mantissa.substr(point + 1))) return false;
  return digits(mantissa.substr(0, point));
}

Fault expect_number(const Source& source, const YamlNode& node) {
  if (auto fault = expect(source, node, Kind::scalar)) return fault;
  if (!node.quoted) return std::nullopt;
  return wrong(source, node, of_key(node) + " is a number, and this is text in quotes", "drop the quotes");
}

}  // namespace

Fault expect(const Source& source, const YamlNode& node, Kind kind) {
  if (node.is(kind)) return std::nullopt;
  if (node.is(Kind::null))
    return fault_at(source, node.at, text_at(source, node.at), of_key(node) + " has no value",
                    "give it one, or drop the key; a text that says null or ~ needs quotes");
  return wrong(
      source, node,
      of_key(node) + " is " + std::string(name_of(kind)) + ", and this is " + std::string(name_of(node.kind)),
      kind == Kind::sequence ? "write [a, b], or one `- a` a line"
      : kind == Kind::map    ? "write `key: value`"
                             : "write one value");
}

std::string known_keys(std::string_view given, std::span<const std::string_view> keys) {
  std::string known;
  std::string_view nearest;
  std::size_t best = 1 + std::min<std::size_t>(3, given.size() / 2);
  for (std::string_view key : keys) {
    known += (known.empty() ? "" : ", ") + std::string(key);
    if (given.size() > 2 * key.size()) continue;
    if (const std::size_t edits = distance(given, key); edits < best) {
      best = edits;
      nearest = key;
    }
  }
  return (nearest.empty() ? "" : "did you mean `" + std::string(nearest) + "`? ") + "known here: " + known;
}

Fault unknown_key(const Source& source, const YamlNode& item, std::span<const std::string_view> keys) {
  std::string advice = known_keys(item.key, keys);
  if (advice.starts_with("known") && item.key.find(':') != std::string::npos)
    advice = "a colon needs a space behind it; " + advice;
  return fault_at(source, item.key_at, item.key.empty() ? text_at(source, item.key_at) : item.key,
                  "unknown key", std::move(advice));
}

Fault read_text(const Source& source, const YamlNode& node,
                const std::function<void(Marked<std::string>)>& put) {
  static constexpr std::array<std::string_view, 6> booleans{"true",  "True",  "TRUE",
                                                            "false", "False", "FALSE"};
  if (auto fault = expect(source, node, Kind::scalar)) return fault;
  if (!node.quoted && std::find(booleans.begin(), booleans.end(), node.text) != booleans.end())
    return wrong(source, node, of_key(node) + " is text, and this is a truth value",
                 "put it in quotes if it is a name");
  put({node.text, mark_at(source, node.at)});
  return std::nullopt;
}

Fault read_whole(const Source& source, const YamlNode& node,
                 const std::function<void(Marked<std::uint64_t>)>& put) {
  if (auto fault = expect_number(source, node)) return fault;
  if (!digits(node.text) || (node.text.size() > 1 && node.text.front() == '0'))
    return wrong(source, node, of_key(node) + " is a whole number, and this is not one",
                 "write decimal digits only, without sign, leading zero or exponent");
  std::uint64_t number = 0;
  if (std::from_chars(node.text.data(), node.text.data() + node.text.size(), number).ec != std::errc{})
    return wrong(source, node, of_key(node) + " is too large", "the largest is 18446744073709551615");
  put({number, mark_at(source, node.at)});
  return std::nullopt;
}

Fault read_weight(const Source& source, const YamlNode& node,
                  const std::function<void(Marked<double>)>& put) {
  if (auto fault = expect_number(source, node)) return fault;
  double number = 0;
  const bool fits =
      is_decimal(node.text) &&
      std::from_chars(node.text.data(), node.text.data() + node.text.size(), number).ec == std::errc{};
  if (!fits || !is_weight(number)) return wrong(source, node, weight_rule, weight_advice);
  put({number, mark_at(source, node.at)});
  return std::nullopt;
}

}  // namespace arcwise
