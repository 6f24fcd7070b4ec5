#include "hash/jenkins.hpp"

#include <bit>
#include <cstddef>

#include "hash/bytes.hpp"

namespace arcwise {
namespace {

struct Words {
  std::uint32_t a, b, c;

  void add(const bytes::TwelveBytes& input) noexcept {
    a += input[0];
    b += input[1];
    c += input[2];
  }
  void mix() noexcept {
    turn(a, b, c, 4);
    turn(b, c, a, 6);
    turn(c, a, b, 8);
    turn(a, b, c, 16);
    turn(b, c, a, 19);
    turn(c, a, b, 4);
  }
  std::uint32_t finish() noexcept {
    fold(c, b, 14);
    fold(a, c, 11);
    fold(b, a, 25);
    fold(c, b, 16);
    fold(a, c, 4);
    fold(b, a, 14);
    fold(c, b, 24);
    return c;
  }

 private:
  static void turn(std::uint32_t& x, std::uint32_t y, std::uint32_t& z, int bits) noexcept {
    x = (x - z) ^ std::rotl(z, bits);
    z += y;
  }
  static void fold(std::uint32_t& x, std::uint32_t y, int bits) noexcept { x = (x ^ y) - std::rotl(y, bits); }
};

Words postgres_start(std::size_t size) noexcept {
  const std::uint32_t start = 0x9e3779b9 + static_cast<std::uint32_t>(size) + 3923095;
  return {start, start, start};
}

}  // namespace

std::uint32_t one_at_a_time(std::string_view input, ByteSign sign) noexcept {
  std::uint32_t hash = 0;
  for (const char c : input) {
    hash += bytes::widened(c, sign);
    hash += hash << 10;
    hash ^= hash >> 6;
  }
  hash += hash << 3;
  hash ^= hash >> 11;
  return hash + (hash << 15);
}

std::uint32_t lookup3(std::string_view input, std::uint32_t initval) noexcept {
  const std::uint32_t start = 0xdeadbeef + static_cast<std::uint32_t>(input.size()) + initval;
  Words words = {start, start, start};
  if (input.empty()) return words.c;
  // The last one to twelve bytes go to the final mix, so 12 bytes are mixed once and 24 twice.
  for (; input.size() > 12; input.remove_prefix(12)) {
    words.add(bytes::load_twelve(input));
    words.mix();
  }
  words.add(bytes::load_twelve(input));
  return words.finish();
}

std::uint32_t postgres_bytes(std::string_view input) noexcept {
  Words words = postgres_start(input.size());
  for (; input.size() >= 12; input.remove_prefix(12)) {
    words.add(bytes::load_twelve(input));
    words.mix();
  }
  bytes::TwelveBytes tail = bytes::load_twelve(input);
  tail[2] <<= 8;  // the lowest byte of c is set aside for the length
  words.add(tail);
  return words.finish();
}

std::uint32_t postgres_int4(std::int32_t value) noexcept {
  Words words = postgres_start(sizeof value);
  words.a += static_cast<std::uint32_t>(value);
  return words.finish();
}

std::uint32_t postgres_int8(std::int64_t value) noexcept {
  const auto low = static_cast<std::uint32_t>(value);
  const auto high = static_cast<std::uint32_t>(value >> 32);
  return postgres_int4(static_cast<std::int32_t>(low ^ (value >= 0 ? high : ~high)));
}

}  // namespace arcwise
