// Words from bytes, the same on every machine whatever its byte order or alignment rules.
//
// Layer: hash. Pure, noexcept, no allocation; thread-safe.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace arcwise::bytes {

inline std::uint32_t swapped(std::uint32_t word) noexcept {
  return __builtin_bswap32(word);
}
inline std::uint64_t swapped(std::uint64_t word) noexcept {
  return __builtin_bswap64(word);
}

template <class Word, std::endian order>
inline Word load(const void* from) noexcept {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return order == std::endian::native ? word : swapped(word);
}

template <class Word, std::endian order>
inline void store(void* to, Word word) noexcept {
  if (order != std::endian::native) word = swapped(word);
  std::memcpy(to, &word, sizeof word);
}

inline std::uint32_t load_le32(const void* from) noexcept {
  return load<std::uint32_t, std::endian::little>(from);
}
inline std::uint64_t load_le64(const void* from) noexcept {
  return load<std::uint64_t, std::endian::little>(from);
}
inline std::uint32_t load_be32(const void* from) noexcept {
  return load<std::uint32_t, std::endian::big>(from);
}
inline std::uint64_t load_be64(const void* from) noexcept {
  return load<std::uint64_t, std::endian::big>(from);
}
inline void store_le32(void* to, std::uint32_t word) noexcept {
  store<std::uint32_t, std::endian::little>(to, word);
}
inline void store_le64(void* to, std::uint64_t word) noexcept {
  store<std::uint64_t, std::endian::little>(to, word);
}
inline void store_be32(void* to, std::uint32_t word) noexcept {
  store<std::uint32_t, std::endian::big>(to, word);
}
inline void store_be64(void* to, std::uint64_t word) noexcept {
  store<std::uint64_t, std::endian::big>(to, word);
}

}  // namespace arcwise::bytes
