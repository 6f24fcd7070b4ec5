#include "hash/murmur2.hpp"

#include "hash/bytes.hpp"

namespace arcwise {

std::uint32_t murmur2_32(std::string_view input, std::uint32_t seed) noexcept {
  constexpr std::uint32_t m = 0x5bd1e995;
  std::uint32_t hash = seed ^ static_cast<std::uint32_t>(input.size());
  for (; input.size() >= 4; input.remove_prefix(4)) {
    std::uint32_t k = bytes::load_le32(input.data()) * m;
    k ^= k >> 24;
    hash = (hash * m) ^ (k * m);
  }
  if (!input.empty()) hash = (hash ^ static_cast<std::uint32_t>(bytes::load_tail(input))) * m;
  hash = (hash ^ (hash >> 13)) * m;
  return hash ^ (hash >> 15);
}

std::uint64_t murmur2_64a(std::string_view input, std::uint64_t seed) noexcept {
  constexpr std::uint64_t m = 0xc6a4a7935bd1e995;
  std::uint64_t hash = seed ^ (input.size() * m);
  for (; input.size() >= 8; input.remove_prefix(8)) {
    std::uint64_t k = bytes::load_le64(input.data()) * m;
    k ^= k >> 47;
    hash = (hash ^ (k * m)) * m;
  }
  if (!input.empty()) hash = (hash ^ bytes::load_tail(input)) * m;
  hash = (hash ^ (hash >> 47)) * m;
  return hash ^ (hash >> 47);
}

}  // namespace arcwise
