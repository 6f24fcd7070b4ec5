// Words from bytes, the same on every machine whatever its byte order or alignment rules.
//
// Layer: hash. Pure, noexcept, no allocation; thread-safe.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "arcwise/hash.hpp"

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

/// The last, at most eight, bytes of a key as a little-endian number.
inline std::uint64_t load_tail(std::string_view tail) noexcept {
  char padded[8] = {};
  std::memcpy(padded, tail.data(), tail.size());
  return load_le64(padded);
}

/// Three little-endian words: the step of Jenkins' lookup hashes. A shorter input is filled up with zeros.
using TwelveBytes = std::array<std::uint32_t, 3>;
inline TwelveBytes load_twelve(std::string_view from) noexcept {
  char padded[12] = {};
  const char* at = from.data();
  if (from.size() < sizeof padded) {
    if (!from.empty())
      std::memcpy(padded, from.data(), from.size());  // memcpy from a null pointer is undefined
    at = padded;
  }
  return {load_le32(at), load_le32(at + 4), load_le32(at + 8)};
}

/// A byte in 32 bits: with its sign where plain `char` has one, 0xe9 being then 0xffffffe9.
inline std::uint32_t widened(char c, ByteSign sign) noexcept {
  return sign == ByteSign::as_signed ? static_cast<std::uint32_t>(static_cast<std::int8_t>(c))
                                     : static_cast<std::uint8_t>(c);
}

}  // namespace arcwise::bytes
