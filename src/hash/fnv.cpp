#include "hash/fnv.hpp"

#include "hash/bytes.hpp"
#include "hash/utf8.hpp"

namespace arcwise {
namespace {

struct Parameters {
  std::uint32_t offset;
  std::uint32_t prime;
};
constexpr Parameters fnv_32 = {0x811c9dc5, 0x01000193};
/// The low halves of FNV-64's parameters: carries only go up, so they alone make the low half of its hash.
constexpr Parameters fnv_64_low = {0x84222325, 0x000001b3};

enum class Order : std::uint8_t { multiply_first, xor_first };

template <Order order>
std::uint32_t step(std::uint32_t hash, std::uint32_t unit, std::uint32_t prime) noexcept {
  return order == Order::xor_first ? (hash ^ unit) * prime : (hash * prime) ^ unit;
}

template <Order order>
std::uint32_t over_bytes(std::string_view input, ByteSign sign, Parameters p) noexcept {
  std::uint32_t hash = p.offset;
  for (const char c : input) hash = step<order>(hash, bytes::widened(c, sign), p.prime);
  return hash;
}

template <Order order>
std::uint32_t over_utf16(std::string_view text, Parameters p) noexcept {
  std::uint32_t hash = p.offset;
  for_each_utf16_unit(text, [&hash, p](std::uint16_t unit) { hash = step<order>(hash, unit, p.prime); });
  return hash;
}

}  // namespace

std::uint64_t fnv1a_64(std::string_view bytes) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : bytes) hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x100000001b3;
  return hash;
}

std::uint32_t fnv1_32(std::string_view bytes, ByteSign sign) noexcept {
  return over_bytes<Order::multiply_first>(bytes, sign, fnv_32);
}
std::uint32_t fnv1a_32(std::string_view bytes, ByteSign sign) noexcept {
  return over_bytes<Order::xor_first>(bytes, sign, fnv_32);
}
std::uint32_t fnv1_64_low32(std::string_view bytes, ByteSign sign) noexcept {
  return over_bytes<Order::multiply_first>(bytes, sign, fnv_64_low);
}
std::uint32_t fnv1a_64_low32(std::string_view bytes, ByteSign sign) noexcept {
  return over_bytes<Order::xor_first>(bytes, sign, fnv_64_low);
}

std::uint32_t fnv1_32_utf16(std::string_view text) noexcept {
  return over_utf16<Order::multiply_first>(text, fnv_32);
}
std::uint32_t fnv1a_32_utf16(std::string_view text) noexcept {
  return over_utf16<Order::xor_first>(text, fnv_32);
}
std::uint32_t fnv1_64_utf16(std::string_view text) noexcept {
  return over_utf16<Order::multiply_first>(text, fnv_64_low);
}
std::uint32_t fnv1a_64_utf16(std::string_view text) noexcept {
  return over_utf16<Order::xor_first>(text, fnv_64_low);
}

}  // namespace arcwise
