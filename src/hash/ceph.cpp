#include "hash/ceph.hpp"

#include <bit>

#include "hash/bytes.hpp"
#include "hash/crush_ln_tables.inc"

namespace arcwise {
namespace {

/// The mix of Jenkins' lookup2, in place.
void mix(std::uint32_t& a, std::uint32_t& b, std::uint32_t& c) noexcept {
  constexpr int shifts[3][3] = {{13, 8, 13}, {12, 16, 5}, {3, 10, 15}};
  for (const auto& shift : shifts) {
    a = (a - b - c) ^ (c >> shift[0]);
    b = (b - c - a) ^ (a << shift[1]);
    c = (c - a - b) ^ (b >> shift[2]);
  }
}

constexpr std::uint32_t seed = 1315423911;
constexpr std::uint32_t first_filler = 231232;
constexpr std::uint32_t second_filler = 1232;

}  // namespace

std::uint32_t ceph_rjenkins(std::string_view name) noexcept {
  std::uint32_t a = 0x9e3779b9;
  std::uint32_t b = a;
  std::uint32_t c = 0;
  const auto add = [&](const bytes::TwelveBytes& words) {
    a += words[0];
    b += words[1];
    c += words[2];
    mix(a, b, c);
  };
  const auto size = static_cast<std::uint32_t>(name.size());
  for (; name.size() >= 12; name.remove_prefix(12)) add(bytes::load_twelve(name));
  bytes::TwelveBytes tail = bytes::load_twelve(name);
  tail[2] = (tail[2] << 8) + size;  // the lowest byte of c is set aside for the length
  add(tail);
  return c;
}

std::uint32_t rjenkins1(std::uint32_t a) noexcept {
  std::uint32_t hash = seed ^ a;
  std::uint32_t b = a;
  std::uint32_t x = first_filler;
  std::uint32_t y = second_filler;
  mix(b, x, hash);
  mix(y, a, hash);
  return hash;
}

std::uint32_t rjenkins1(std::uint32_t a, std::uint32_t b) noexcept {
  std::uint32_t hash = seed ^ a ^ b;
  std::uint32_t x = first_filler;
  std::uint32_t y = second_filler;
  mix(a, b, hash);
  mix(x, a, hash);
  mix(b, y, hash);
  return hash;
}

std::uint32_t rjenkins1(std::uint32_t a, std::uint32_t b, std::uint32_t c) noexcept {
  std::uint32_t hash = seed ^ a ^ b ^ c;
  std::uint32_t x = first_filler;
  std::uint32_t y = second_filler;
  mix(a, b, hash);
  mix(c, x, hash);
  mix(y, a, hash);
  mix(b, x, hash);
  mix(y, c, hash);
  return hash;
}

std::uint64_t crush_ln(std::uint32_t draw) noexcept {
  // t = mantissa * 2^-shift with the mantissa in 2^15…2^16: draw 0 is 2^15 * 2^-15, draw 65535 is 2^16
  // itself.
  std::uint32_t t = draw + 1;
  const int shift = t < 0x8000 ? std::countl_zero(t) - 16 : 0;
  t <<= shift;
  const std::uint32_t k = (t >> 8) - 128;
  const std::uint64_t rest = (t * crush_reciprocals[k] >> 48) & 0xff;
  return (static_cast<std::uint64_t>(15 - shift) << 44) +
         ((crush_coarse_logs[k] + crush_fine_logs[rest]) >> 4);
}

}  // namespace arcwise
