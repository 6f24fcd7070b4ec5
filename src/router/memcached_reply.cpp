#include "router/memcached_reply.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <span>

#include "router/memcached_request.hpp"

namespace arcwise::router {
namespace {

constexpr std::size_t longest_line = 8192;  // an error's text

// With its end; empty where it is not whole yet.
std::string_view line_at(std::string_view bytes, std::size_t from) noexcept {
  const void* end =
      from < bytes.size() ? std::memchr(bytes.data() + from, '\n', bytes.size() - from) : nullptr;
  if (!end) return {};
  return bytes.substr(from,
                      static_cast<std::size_t>(static_cast<const char*>(end) - bytes.data()) + 1 - from);
}

McScan unfinished(std::string_view bytes, std::size_t from) noexcept {
  return {0, bytes.size() - from > longest_line};
}

bool number(std::string_view word, std::uint64_t most, std::uint64_t& out) noexcept {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), out);
  return error == std::errc() && end == word.data() + word.size() && out <= most;
}

// Takes the next word; words are parted by one blank each.
std::string_view take_word(std::string_view& line) noexcept {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

constexpr std::uint64_t longest_value = std::uint64_t{1}
                                        << 30;  // the most that memcached can be told to take

// VALUE KEY FLAGS SIZE [CAS], without its end.
bool value_line(std::string_view line, bool unique, std::uint64_t& size) noexcept {
  std::uint64_t ignored = 0;
  if (!line.starts_with("VALUE ") || line.ends_with(' ')) return false;
  line.remove_prefix(6);
  const std::string_view key = take_word(line), flags = take_word(line), bytes = take_word(line);
  if (key.empty() || key.size() > mc_longest_key || !number(flags, 0xffff'ffff, ignored)) return false;
  if (!number(bytes, longest_value, size)) return false;
  return unique ? number(line, ~std::uint64_t{0}, ignored) : line.empty();
}

McScan scan_values(McReply kind, std::string_view bytes) noexcept {
  std::string_view line = line_at(bytes, 0);
  if (line.empty()) return unfinished(bytes, 0);
  if (line == "END\r\n" || is_memcached_error(line)) return {line.size(), false};
  std::uint64_t size = 0;
  if (!line.ends_with("\r\n") ||
      !value_line(line.substr(0, line.size() - 2), kind == McReply::unique_values, size))
    return {0, true};
  const std::size_t end = line.size() + size + 2;
  if (bytes.size() < end) return {0, false, end, kind};
  if (bytes.substr(end - 2, 2) != "\r\n") return {0, true};
  line = line_at(bytes, end);
  if (line.empty()) return {0, !std::string_view("END\r\n").starts_with(bytes.substr(end))};
  return line == "END\r\n" ? McScan{end + line.size(), false} : McScan{0, true};
}

bool is_one_of(std::string_view line, std::span<const std::string_view> known) noexcept {
  for (const std::string_view each : known)
    if (line == each) return true;
  return false;
}

bool fits(McReply kind, std::string_view line) noexcept {
  static constexpr std::array<std::string_view, 4> stored{"STORED", "NOT_STORED", "EXISTS", "NOT_FOUND"};
  static constexpr std::array<std::string_view, 2> removed{"DELETED", "NOT_FOUND"};
  static constexpr std::array<std::string_view, 2> touched{"TOUCHED", "NOT_FOUND"};
  // Before 1.6.10, HD was OK.
  static constexpr std::array<std::string_view, 3> get{"EN", "HD", "OK"};
  static constexpr std::array<std::string_view, 5> set{"HD", "NS", "EX", "NF", "OK"};
  static constexpr std::array<std::string_view, 4> remove{"HD", "NF", "EX", "OK"};
  static constexpr std::array<std::string_view, 2> debug{"ME", "EN"};
  std::uint64_t ignored = 0;
  const std::string_view code = line.substr(0, line.find(' '));
  switch (kind) {
    case McReply::stored:
      return is_one_of(line, stored);
    case McReply::removed:
      return is_one_of(line, removed);
    case McReply::touched:
      return is_one_of(line, touched);
    case McReply::number:
      return line == "NOT_FOUND" || number(line, ~std::uint64_t{0}, ignored);
    case McReply::done:
      return line == "OK";
    case McReply::meta_get:
      return is_one_of(code, get);
    case McReply::meta_set:
    case McReply::meta_arithmetic:
      return is_one_of(code, set);
    case McReply::meta_delete:
      return is_one_of(code, remove);
    case McReply::debug:
      return is_one_of(code, debug);
    case McReply::noop:
      return line == "MN";
    case McReply::version:
      return line.starts_with("VERSION ");
    case McReply::rest:
      return line.empty();
    default:
      return false;
  }
}

// VA SIZE FLAG*
McScan scan_meta_value(std::string_view line, std::string_view bytes) noexcept {
  std::string_view rest = line.substr(3, line.size() - 5);
  std::uint64_t size = 0;
  if (!number(take_word(rest), longest_value, size)) return {0, true};
  const std::size_t whole = line.size() + size + 2;
  if (bytes.size() < whole) return {0, false, whole - 2, McReply::rest};
  return bytes.substr(whole - 2, 2) == "\r\n" ? McScan{whole, false} : McScan{0, true};
}

}  // namespace

bool is_memcached_error(std::string_view reply) noexcept {
  return reply.starts_with("ERROR") || reply.starts_with("CLIENT_ERROR") || reply.starts_with("SERVER_ERROR");
}

// Each request pays for it: eight bytes at a time, and the last eight, which may be some of those before.
McTag mc_tag(std::string_view key) noexcept {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr std::uint64_t odd = 0x9e37'79b9'7f4a'7c15;
  std::uint64_t hash = key.size(), word = 0;
  const auto mix = [&](std::size_t at, std::size_t size) {
    word = 0;
    std::memcpy(&word, key.data() + at, size);
    hash = (hash ^ word) * odd;
    hash ^= hash >> 32;
  };
  std::size_t at = 0;
  for (; at + 8 < key.size(); at += 8) mix(at, 8);
  if (key.size() >= 8)
    mix(key.size() - 8, 8);
  else if (!key.empty())
    mix(0, key.size());
  return static_cast<McTag>(digits[hash & 63] << 8 | digits[hash >> 6 & 63]);
}

std::array<char, 4> mc_opaque(McTag tag) noexcept {
  return {' ', 'O', static_cast<char>(tag >> 8), static_cast<char>(tag & 0xff)};
}

bool is_of_key(std::string_view reply, McTag tag) noexcept {
  if (reply.starts_with("VALUE ")) {
    const std::string_view rest = reply.substr(6);
    return mc_tag(rest.substr(0, rest.find(' '))) == tag;
  }
  if (reply == "EN\r\n") return true;  // the first servers with meta commands give nothing back with a miss
  const bool value = reply.starts_with("VA ");
  if (!value && (!reply.starts_with("EN") || reply.starts_with("END"))) return true;
  std::size_t at = 2;
  if (value) at = std::min(reply.find(' ', 3), reply.size());
  const std::array<char, 4> expected = mc_opaque(tag);
  return reply.substr(at).starts_with(std::string_view(expected.data(), expected.size()));
}

McScan scan_memcached(McReply kind, std::string_view bytes) noexcept {
  if (kind == McReply::values || kind == McReply::unique_values) return scan_values(kind, bytes);
  const std::string_view line = line_at(bytes, 0);
  if (line.empty()) return unfinished(bytes, 0);
  if (!line.ends_with("\r\n")) return {0, true};
  const bool values = kind == McReply::meta_get || kind == McReply::meta_arithmetic;
  if (values && line.starts_with("VA ")) return scan_meta_value(line, bytes);
  const bool known = is_memcached_error(line) || fits(kind, line.substr(0, line.size() - 2));
  return known ? McScan{line.size(), false} : McScan{0, true};
}

}  // namespace arcwise::router
