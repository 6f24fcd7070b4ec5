// The hash functions of HAProxy's `hash-type`.
#pragma once

#include <cstdint>
#include <string_view>

namespace arcwise {

std::uint32_t sdbm(std::string_view bytes) noexcept;
/// h = 33 h + c from 5381 (the adding form).
std::uint32_t djb2(std::string_view bytes) noexcept;
std::uint32_t wt6(std::string_view bytes) noexcept;

/// Function `none`: the number that the key begins with, its low 32 bits. A sign is read; digits end at the
/// first other character; beyond a signed 64-bit number it stays at that range's end, which leaves 0xffffffff
/// or 0. A key without digits is 0.
std::uint32_t decimal32(std::string_view key) noexcept;

/// Modifier `avalanche`, and what places servers: Jenkins' 6-shift integer hash times 3221225473. A
/// bijection.
constexpr std::uint32_t full_hash(std::uint32_t a) noexcept {
  a = (a + 0x7ed55d16) + (a << 12);
  a = (a ^ 0xc761c23c) ^ (a >> 19);
  a = (a + 0x165667b1) + (a << 5);
  a = (a + 0xd3a2646c) ^ (a << 9);
  a = (a + 0xfd7046c5) + (a << 3);
  a = (a ^ 0xb55a4f09) ^ (a >> 16);
  return a * 3221225473U;
}

}  // namespace arcwise
