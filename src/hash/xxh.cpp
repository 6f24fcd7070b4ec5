#include "hash/xxh.hpp"

#include "hash/xxh_inline.hpp"

namespace arcwise {

std::uint64_t xxh3_64(std::string_view bytes) noexcept {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::uint64_t xxh64(std::string_view bytes, std::uint64_t seed) noexcept {
  return XXH64(bytes.data(), bytes.size(), seed);
}

std::uint32_t xxh32(std::string_view bytes, std::uint32_t seed) noexcept {
  return XXH32(bytes.data(), bytes.size(), seed);
}

}  // namespace arcwise
