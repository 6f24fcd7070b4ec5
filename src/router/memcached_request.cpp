#include "router/memcached_request.hpp"

#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

namespace arcwise::router {
namespace {

using What = McParsed::What;

constexpr std::string_view unknown = "ERROR\r\n";
constexpr std::string_view bad_format = "CLIENT_ERROR bad command line format\r\n";
constexpr std::string_view bad_chunk = "CLIENT_ERROR bad data chunk\r\n";
constexpr std::string_view too_large = "SERVER_ERROR object too large for cache\r\n";
constexpr std::string_view line_too_long = "CLIENT_ERROR line too long\r\n";

constexpr std::array<std::pair<std::string_view, McVerb>, 26> verbs{{
    {"get", McVerb::get},
    {"gets", McVerb::gets},
    {"mg", McVerb::meta_get},
    {"set", McVerb::set},
    {"ms", McVerb::meta_set},
    {"delete", McVerb::remove},
    {"md", McVerb::meta_delete},
    {"mn", McVerb::meta_noop},
    {"incr", McVerb::incr},
    {"decr", McVerb::decr},
    {"ma", McVerb::meta_arithmetic},
    {"add", McVerb::add},
    {"replace", McVerb::replace},
    {"append", McVerb::append},
    {"prepend", McVerb::prepend},
    {"cas", McVerb::cas},
    {"touch", McVerb::touch},
    {"gat", McVerb::gat},
    {"gats", McVerb::gats},
    {"me", McVerb::meta_debug},
    {"version", McVerb::version},
    {"verbosity", McVerb::verbosity},
    {"stats", McVerb::stats},
    {"flush_all", McVerb::flush_all},
    {"quit", McVerb::quit},
    {"bget", McVerb::get},
}};

McVerb verb_of(std::string_view name) noexcept {
  for (const auto& [known, verb] : verbs)
    if (known == name) return verb;
  return McVerb::other;
}

McParsed refuse(std::size_t used, std::string_view error, std::size_t skip = 0) noexcept {
  McParsed out;
  out.what = What::refused;
  out.used = used;
  out.error = error;
  out.skip = skip;
  return out;
}

bool whole_number(std::string_view text, std::uint64_t most) noexcept {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value <= most;
}

// memcached takes a time of seconds that may be negative: expired at once.
bool time(std::string_view text) noexcept {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::optional<std::size_t> length(std::string_view text) noexcept {
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return static_cast<std::size_t>(value);
}

// The end of a text is its last word, if it is `noreply`.
bool take_noreply(std::string_view& text) noexcept {
  constexpr std::string_view word = "noreply";
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (text.size() < word.size() || text.substr(text.size() - word.size()) != word) return false;
  if (text.size() > word.size() && text[text.size() - word.size() - 1] != ' ') return false;
  text.remove_suffix(word.size());
  return true;
}

/// The line with its end, and the value that belongs to it.
struct Whole {
  std::string_view bytes;
  std::size_t line;  ///< size with its end
};

// `size` bytes of value and a line end behind the line. Worked example: "set a 0 0 1\r\n1\r\n" has a line of
// 13 bytes, a value of 1, and is 16 in all; with "12\n" for a value it is out of step: the error is answered
// and the stream goes on behind what was announced, as in memcached.
McParsed with_data(const Whole& whole, std::size_t size, const McLimits& limits, McRequest& out) noexcept {
  if (size > limits.value) return refuse(whole.line, too_large, size + 2);
  const std::size_t used = whole.line + size + 2;
  if (whole.bytes.size() < used) return {What::more, 0, used, 0, false, {}};
  out.data = whole.bytes.substr(whole.line, size + 2);
  if (out.data.substr(size) != "\r\n") return refuse(used, bad_chunk);
  return {What::request, used, 0, 0, false, {}};
}

// set KEY FLAGS EXPTIME BYTES [CAS] [noreply]
McParsed storage(const Whole& whole, std::string_view rest, const McLimits& limits, McRequest& out) noexcept {
  out.noreply = take_noreply(rest);
  out.rest = rest;
  const std::string_view flags = next_word(rest), expires = next_word(rest), bytes = next_word(rest);
  const auto size = length(bytes);
  if (!size) return refuse(whole.line, bytes.empty() ? unknown : bad_format);
  const bool has_unique = out.verb == McVerb::cas;
  const bool fine = whole_number(flags, 0xffff'ffff) && time(expires) &&
                    (!has_unique || whole_number(next_word(rest), ~std::uint64_t{0})) &&
                    next_word(rest).empty() && out.key.size() <= mc_longest_key;
  if (!fine) return refuse(whole.line, bad_format, *size + 2);
  return with_data(whole, *size, limits, out);
}

// ms KEY BYTES FLAG*
McParsed meta_set(const Whole& whole, std::string_view rest, const McLimits& limits,
                  McRequest& out) noexcept {
  const auto size = length(next_word(rest));
  if (!size) return refuse(whole.line, bad_format);
  if (out.key.size() > mc_longest_key) return refuse(whole.line, bad_format, *size + 2);
  return with_data(whole, *size, limits, out);
}

McParsed one_key(const Whole& whole, std::string_view rest, McRequest& out) noexcept {
  if (out.key.size() > mc_longest_key) return refuse(whole.line, bad_format);
  const bool meta = out.verb == McVerb::meta_get || out.verb == McVerb::meta_delete ||
                    out.verb == McVerb::meta_arithmetic || out.verb == McVerb::meta_debug;
  if (!meta) out.noreply = take_noreply(rest);
  out.rest = rest;
  return {What::request, whole.line, 0, 0, false, {}};
}

// Before anything is asked: nothing is said of the keys before it then.
bool has_long_key(std::string_view keys) noexcept {
  if (keys.size() <= mc_longest_key) return false;
  for (std::string_view key = next_word(keys); !key.empty(); key = next_word(keys))
    if (key.size() > mc_longest_key) return true;
  return false;
}

// gat EXPTIME KEY+: `key` is the time.
McParsed touching(const Whole& whole, std::string_view rest, McRequest& out) noexcept {
  out.rest = rest;
  if (has_long_key(rest)) return refuse(whole.line, bad_format);
  if (!time(out.key)) return refuse(whole.line, "CLIENT_ERROR invalid exptime argument\r\n");
  return {What::request, whole.line, 0, 0, false, {}};
}

McParsed keyed(const Whole& whole, std::string_view rest, const McLimits& limits, McRequest& out) noexcept {
  out.key = next_word(rest);
  out.rest = rest;
  if (out.key.empty()) return refuse(whole.line, out.verb == McVerb::meta_debug ? bad_format : unknown);
  switch (out.verb) {
    case McVerb::set:
    case McVerb::add:
    case McVerb::replace:
    case McVerb::append:
    case McVerb::prepend:
    case McVerb::cas:
      return storage(whole, rest, limits, out);
    case McVerb::meta_set:
      return meta_set(whole, rest, limits, out);
    case McVerb::gat:
    case McVerb::gats:
      return touching(whole, rest, out);
    default:
      return one_key(whole, rest, out);
  }
}

McParsed unfinished_line(std::string_view bytes, const McLimits& limits) noexcept {
  if (bytes.size() <= limits.line) return {What::more, 0, bytes.size() + 1, 0, false, {}};
  McParsed out = refuse(bytes.size(), line_too_long);
  out.skip_line = true;
  return out;
}

}  // namespace

std::string_view next_word(std::string_view& text) noexcept {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

McParsed parse_memcached(std::string_view bytes, const McLimits& limits, McRequest& out) noexcept {
  const void* end = bytes.empty() ? nullptr : std::memchr(bytes.data(), '\n', bytes.size());
  if (!end) return unfinished_line(bytes, limits);
  const auto size = static_cast<std::size_t>(static_cast<const char*>(end) - bytes.data());
  const Whole whole{bytes, size + 1};
  if (size > limits.line) return refuse(whole.line, line_too_long);
  std::string_view rest = bytes.substr(0, size);
  if (rest.ends_with('\r')) rest.remove_suffix(1);
  out = {};
  out.name = next_word(rest);
  out.verb = verb_of(out.name);
  switch (out.verb) {
    case McVerb::get:
    case McVerb::gets: {
      out.rest = rest;
      if (next_word(rest).empty()) return refuse(whole.line, unknown);
      if (has_long_key(out.rest)) return refuse(whole.line, bad_format);
      return {What::request, whole.line, 0, 0, false, {}};
    }
    case McVerb::meta_noop:
    case McVerb::version:
    case McVerb::verbosity:
    case McVerb::stats:
    case McVerb::flush_all:
    case McVerb::quit:
    case McVerb::other:
      out.noreply = take_noreply(rest);
      out.rest = rest;
      return {What::request, whole.line, 0, 0, false, {}};
    default:
      return keyed(whole, rest, limits, out);
  }
}

}  // namespace arcwise::router
