#include "router/memcached_request.hpp"

#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "router/memcached_flags.hpp"

namespace arcwise::router {
namespace {

using What = McParsed::What;

constexpr std::string_view unknown = "ERROR\r\n";
constexpr std::string_view bad_format = "CLIENT_ERROR bad command line format\r\n";
constexpr std::string_view bad_chunk = "CLIENT_ERROR bad data chunk\r\n";
constexpr std::string_view too_large = "SERVER_ERROR object too large for cache\r\n";
constexpr std::string_view line_too_long = "CLIENT_ERROR line too long\r\n";
constexpr std::string_view too_many_flags = "CLIENT_ERROR options flags too long\r\n";
constexpr std::string_view too_many_get_flags = "CLIENT_ERROR options flags are too long\r\n";
constexpr std::string_view wrong_flag = "CLIENT_ERROR invalid or duplicate flag\r\n";
constexpr std::string_view bad_time = "CLIENT_ERROR invalid exptime argument\r\n";
constexpr std::string_view bad_delta = "CLIENT_ERROR invalid numeric delta argument\r\n";
constexpr std::string_view bad_delete =
    "CLIENT_ERROR bad command line format.  Usage: delete <key> [noreply]\r\n";

constexpr int most_set_flags = 16;
constexpr int most_flags = 17;  // of other meta commands

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

// Of a value with its line end no length may be that a signed number of 32 bits cannot say.
std::optional<std::size_t> length(std::string_view text) noexcept {
  std::int32_t value = 0;
  if (!mc_number(text, value) || value < 0 || value > std::numeric_limits<std::int32_t>::max() - 2)
    return std::nullopt;
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
  std::size_t line;        ///< size with its end
  std::string_view error;  ///< what no line may be: a server would read it otherwise than it is read here
};

// memcached ends a line at a NUL, and would take the value behind it for commands; and it closes a connection
// on which a line longer than this comes, except where that gets.
constexpr std::size_t longest_line = 2048;

std::string_view error_of(std::string_view line, McVerb verb) noexcept {
  if (!line.empty() && std::memchr(line.data(), 0, line.size())) return bad_format;
  const bool split =
      verb == McVerb::get || verb == McVerb::gets || verb == McVerb::gat || verb == McVerb::gats;
  return line.size() > longest_line && !split ? line_too_long : std::string_view();
}

int words_in(std::string_view text) noexcept {
  int count = 0;
  while (!next_word(text).empty()) ++count;
  return count;
}

// An error that a client which said `noreply` does not hear.
McParsed unheard(const McRequest& request, McParsed refused) noexcept {
  if (request.noreply) refused.error = {};
  return refused;
}

// `size` bytes of value and a line end behind the line. Worked example: "set a 0 0 1\r\n1\r\n" has a line of
// 13 bytes, a value of 1, and is 16 in all; with "12\n" for a value it is out of step: the error is answered
// and the stream goes on behind what was announced, as in memcached.
McParsed with_data(const Whole& whole, std::size_t size, const McLimits& limits, McRequest& out) noexcept {
  if (size > limits.value) {
    McParsed out_of_bounds = refuse(whole.line, too_large, size + 2);
    out_of_bounds.drops = out.verb == McVerb::set || out.verb == McVerb::meta_set;
    return out_of_bounds;
  }
  const std::size_t used = whole.line + size + 2;
  if (whole.bytes.size() < used) return {What::more, 0, used, 0, false, false, {}};
  out.data = whole.bytes.substr(whole.line, size + 2);
  if (out.data.substr(size) != "\r\n") return refuse(used, bad_chunk);
  return {What::request, used, 0, 0, false, false, {}};
}

// mg, md and ma: KEY FLAG*
McParsed meta_key(const Whole& whole, std::string_view rest, McRequest& out) noexcept {
  if (!whole.error.empty()) return refuse(whole.line, whole.error);
  if (out.key.size() > mc_longest_key) return refuse(whole.line, bad_format);
  const bool get = out.verb == McVerb::meta_get;
  if (words_in(rest) > most_flags) return refuse(whole.line, get ? too_many_get_flags : too_many_flags);
  const std::string_view error = mc_take_flags(rest, out);
  if (!error.empty()) return refuse(whole.line, get ? error : wrong_flag);
  out.rest = rest;
  return {What::request, whole.line, 0, 0, false, false, {}};
}

// A blank within a key moves all words behind it. Worked example: "add a b 5 100 0" has a value of 0 bytes,
// and waits for no hundred; so of a line that is refused the last number says how long its value is.
std::optional<std::size_t> announced(std::string_view words, bool unique) noexcept {
  std::array<std::string_view, 2> last;
  for (std::string_view word = next_word(words); !word.empty(); word = next_word(words))
    if (word != "noreply") last = {last[1], word};
  return length(unique ? last[0] : last[1]);
}

// set KEY FLAGS EXPTIME BYTES [CAS] [noreply]
McParsed storage(const Whole& whole, std::string_view rest, const McLimits& limits, McRequest& out) noexcept {
  const int words = words_in(rest), fixed = out.verb == McVerb::cas ? 4 : 3;
  if (words < fixed) return refuse(whole.line, unknown);
  const bool counted = words <= fixed + 1;
  out.noreply = take_noreply(rest) && counted;
  const std::string_view all = rest;
  const char* begin = rest.data();
  const std::string_view flags = next_word(rest), expires = next_word(rest);
  const auto size = length(next_word(rest));
  const bool fine = counted && whole.error.empty() && size && mc_is_number(flags, 0xffff'ffff) &&
                    mc_is_time(expires) && out.key.size() <= mc_longest_key &&
                    (out.verb != McVerb::cas || mc_is_number(next_word(rest), ~std::uint64_t{0}));
  if (!fine) {
    const auto data = announced(all, out.verb == McVerb::cas);
    const std::string_view error = !counted ? unknown : whole.error.empty() ? bad_format : whole.error;
    return unheard(out, refuse(whole.line, error, data ? *data + 2 : 0));
  }
  out.rest = {begin, static_cast<std::size_t>(rest.data() - begin)};
  return unheard(out, with_data(whole, *size, limits, out));
}

// ms KEY BYTES FLAG*
McParsed meta_set(const Whole& whole, std::string_view rest, const McLimits& limits,
                  McRequest& out) noexcept {
  const auto size = length(next_word(rest));
  if (!size) return refuse(whole.line, bad_format);
  if (!whole.error.empty()) return refuse(whole.line, whole.error, *size + 2);
  if (out.key.size() > mc_longest_key) return refuse(whole.line, bad_format, *size + 2);
  // With more, memcached would not take the value for one.
  if (words_in(rest) > most_set_flags) return refuse(whole.line, too_many_flags, *size + 2);
  std::string_view error = mc_take_flags(rest, out);
  if (error.empty()) error = mc_set_error(rest);
  if (!error.empty()) return refuse(whole.line, error, *size + 2);
  return with_data(whole, *size, limits, out);
}

// me KEY [b]
McParsed debug(const Whole& whole, std::string_view rest, McRequest& out) noexcept {
  if (!whole.error.empty()) return refuse(whole.line, whole.error);
  if (out.key.size() > mc_longest_key) return refuse(whole.line, bad_format);
  if (next_word(rest) == "b" && next_word(rest).empty()) {
    out.rest = " b";
    out.flags = std::uint64_t{1} << ('b' - '@');
  } else {
    out.rest = {};
  }
  return {What::request, whole.line, 0, 0, false, false, {}};
}

// What is forwarded is what is understood: so many words, and no more.
McParsed one_key(const Whole& whole, std::string_view rest, McRequest& out) noexcept {
  const int words = words_in(rest);
  const bool removes = out.verb == McVerb::remove;
  if (words > 2 || (!removes && words == 0)) return refuse(whole.line, unknown);
  out.noreply = take_noreply(rest);
  if (!whole.error.empty()) return unheard(out, refuse(whole.line, whole.error));
  const char* begin = rest.data();
  const std::string_view word = next_word(rest);
  const std::string_view number = {begin, static_cast<std::size_t>(rest.data() - begin)};
  if (removes && !word.empty() && (word != "0" || !next_word(rest).empty()))
    return unheard(out, refuse(whole.line, bad_delete));
  if (out.key.size() > mc_longest_key) return unheard(out, refuse(whole.line, bad_format));
  out.rest = removes ? std::string_view() : number;
  if (removes) return {What::request, whole.line, 0, 0, false, false, {}};
  if (out.verb == McVerb::touch ? mc_is_time(word) : mc_is_number(word, ~std::uint64_t{0}))
    return {What::request, whole.line, 0, 0, false, false, {}};
  return unheard(out, refuse(whole.line, out.verb == McVerb::touch ? bad_time : bad_delta));
}

// flush_all [SECONDS] [noreply]
McParsed flush_all(const Whole& whole, std::string_view rest, McRequest& out) noexcept {
  if (words_in(rest) > 2) return refuse(whole.line, unknown);
  out.noreply = take_noreply(rest);
  const char* begin = rest.data();
  const std::string_view word = next_word(rest);
  out.rest = {begin, static_cast<std::size_t>(rest.data() - begin)};
  if (word.empty() || mc_is_time(word)) return {What::request, whole.line, 0, 0, false, false, {}};
  return unheard(out, refuse(whole.line, bad_time));
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
  if (!whole.error.empty()) return refuse(whole.line, whole.error);
  if (has_long_key(rest)) return refuse(whole.line, bad_format);
  if (!mc_is_time(out.key)) return refuse(whole.line, bad_time);
  return {What::request, whole.line, 0, 0, false, false, {}};
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
    case McVerb::meta_get:
    case McVerb::meta_delete:
    case McVerb::meta_arithmetic:
      return meta_key(whole, rest, out);
    case McVerb::meta_debug:
      return debug(whole, rest, out);
    default:
      return one_key(whole, rest, out);
  }
}

McParsed unfinished_line(std::string_view bytes, const McLimits& limits) noexcept {
  if (bytes.size() <= limits.line) return {What::more, 0, bytes.size() + 1, 0, false, false, {}};
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
  if (size > limits.line) return refuse(size + 1, line_too_long);
  std::string_view rest = bytes.substr(0, size);
  if (rest.ends_with('\r')) rest.remove_suffix(1);
  out = {};
  out.name = next_word(rest);
  out.verb = verb_of(out.name);
  const Whole whole{bytes, size + 1, error_of(bytes.substr(0, size), out.verb)};
  switch (out.verb) {
    case McVerb::get:
    case McVerb::gets: {
      out.rest = rest;
      if (next_word(rest).empty()) return refuse(whole.line, unknown);
      if (!whole.error.empty()) return refuse(whole.line, whole.error);
      if (has_long_key(out.rest)) return refuse(whole.line, bad_format);
      return {What::request, whole.line, 0, 0, false, false, {}};
    }
    case McVerb::flush_all:
      return whole.error.empty() ? flush_all(whole, rest, out) : refuse(whole.line, whole.error);
    case McVerb::meta_noop:
    case McVerb::version:
    case McVerb::verbosity:
    case McVerb::stats:
    case McVerb::quit:
    case McVerb::other:
      out.noreply = take_noreply(rest);
      out.rest = rest;
      return {What::request, whole.line, 0, 0, false, false, {}};
    default:
      return keyed(whole, rest, limits, out);
  }
}

}  // namespace arcwise::router
