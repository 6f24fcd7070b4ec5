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

}  // namespace

// As memcached decodes: what is no digit is passed over, digits come by four, and padding ends the text.
McKey::McKey(std::string_view written, bool encoded) noexcept : key_(written) {
  if (!encoded || written.size() > mc_longest_key) return;
  const auto digits =
      std::count_if(written.begin(), written.end(), [](char c) { return c == '=' || sextet(c) >= 0; });
  if (digits == 0 || digits % 4 != 0) return;
  std::uint32_t bits = 0;
  std::size_t size = 0, pads = 0;
  int pending = 0;
  for (const char c : written) {
    if (c != '=' && sextet(c) < 0) continue;
    pads += c == '=';
    bits = bits << 6 | static_cast<std::uint32_t>(c == '=' ? 0 : sextet(c));
    if (++pending < 4) continue;
    pending = 0;
    for (const int shift : {16, 8, 0}) decoded_[size++] = static_cast<char>(bits >> shift & 0xff);
    if (pads == 0) continue;
    if (pads > 2) return;
    size -= pads;
    break;
  }
  key_ = {decoded_.data(), size};
}

std::string mc_base64(std::string_view bytes) {
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

McDeletion mc_deletion(std::string_view key) {
  const bool plain = std::all_of(key.begin(), key.end(), [](unsigned char c) { return c > ' ' && c != 127; });
  if (plain) return {"delete " + std::string(key) + "\r\n", McReply::removed};
  return {"md " + mc_base64(key) + " b\r\n", McReply::meta_delete};
}

}  // namespace arcwise::router
