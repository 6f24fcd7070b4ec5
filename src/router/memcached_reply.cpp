#include "router/memcached_reply.hpp"

#include <charconv>
#include <cstring>

#include "router/memcached_request.hpp"

namespace arcwise::router {
namespace {

constexpr std::size_t longest_line = 8192;  // an error's text, or a statistic

// With its end; empty where it is not whole yet.
std::string_view line_at(std::string_view bytes, std::size_t from) noexcept {
  const void* end =
      from < bytes.size() ? std::memchr(bytes.data() + from, '\n', bytes.size() - from) : nullptr;
  if (!end) return {};
  return bytes.substr(from,
                      static_cast<std::size_t>(static_cast<const char*>(end) - bytes.data()) + 1 - from);
}

// The number that is word `which` of a line, counted from 0.
bool number_in(std::string_view line, int which, std::size_t& out) noexcept {
  std::string_view word;
  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  for (int i = 0; i <= which; ++i) word = next_word(line);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), out);
  return error == std::errc() && end == word.data() + word.size() && out < (std::size_t{1} << 31);
}

McScan unfinished(std::string_view bytes, std::size_t from) noexcept {
  return {0, bytes.size() - from > longest_line};
}

McScan scan_values(std::string_view bytes) noexcept {
  for (std::size_t at = 0;;) {
    const std::string_view line = line_at(bytes, at);
    if (line.empty()) return unfinished(bytes, at);
    at += line.size();
    if (!line.starts_with("VALUE ")) {
      const bool ends = line == "END\r\n" || is_memcached_error(line);
      return {ends ? at : 0, !ends};
    }
    std::size_t size = 0;
    if (!number_in(line, 3, size)) return {0, true};
    if (bytes.size() < at + size + 2) return {0, false, at + size + 2};
    at += size + 2;
  }
}

McScan scan_lines(std::string_view bytes) noexcept {
  for (std::size_t at = 0;;) {
    const std::string_view line = line_at(bytes, at);
    if (line.empty()) return unfinished(bytes, at);
    at += line.size();
    if (line == "END\r\n" || line == "RESET\r\n" || is_memcached_error(line)) return {at, false};
  }
}

}  // namespace

bool is_memcached_error(std::string_view reply) noexcept {
  return reply.starts_with("ERROR") || reply.starts_with("CLIENT_ERROR") || reply.starts_with("SERVER_ERROR");
}

McScan scan_memcached(McReply kind, std::string_view bytes) noexcept {
  if (kind == McReply::values) return scan_values(bytes);
  if (kind == McReply::lines) return scan_lines(bytes);
  const std::string_view line = line_at(bytes, 0);
  if (line.empty()) return unfinished(bytes, 0);
  if (kind == McReply::line || !line.starts_with("VA ")) return {line.size(), false};
  std::size_t size = 0;
  if (!number_in(line, 1, size)) return {0, true};
  const std::size_t whole = line.size() + size + 2;
  if (bytes.size() < whole) return {0, false, whole - 2};  // a line end is an answer, too
  return {whole, false};
}

}  // namespace arcwise::router
