#include "router/memcached_key.hpp"

#include <algorithm>
#include <cstdint>

namespace arcwise::router {
namespace {

int sextet(char c) noexcept {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool has_flag(std::string_view flags, char flag) noexcept {
  for (std::string_view word = next_word(flags); !word.empty(); word = next_word(flags))
    if (word.size() == 1 && word.front() == flag) return true;
  return false;
}

std::string base64(std::string_view bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    unsigned bits = 0;
    for (std::size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i) out += i <= count ? digits[bits >> (18 - 6 * i) & 63] : '=';
  }
  return out;
}

}  // namespace

McKey::McKey(std::string_view written, std::string_view flags) noexcept : key_(written) {
  if (!has_flag(flags, 'b') || written.empty() || written.size() % 4 != 0 || written.size() > mc_longest_key)
    return;
  std::string_view text = written;
  while (text.ends_with('=') && written.size() - text.size() < 2) text.remove_suffix(1);
  std::uint32_t bits = 0;
  std::size_t size = 0;
  int pending = 0;
  for (const char c : text) {
    const int value = sextet(c);
    if (value < 0) return;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    pending += 6;
    if (pending < 8) continue;
    pending -= 8;
    decoded_[size++] = static_cast<char>(bits >> pending & 0xff);
  }
  key_ = {decoded_.data(), size};
}

McDeletion mc_deletion(std::string_view key) {
  const bool plain = std::all_of(key.begin(), key.end(), [](unsigned char c) { return c > ' ' && c != 127; });
  if (plain) return {"delete " + std::string(key) + "\r\n", McReply::removed};
  return {"md " + base64(key) + " b\r\n", McReply::meta_delete};
}

}  // namespace arcwise::router
