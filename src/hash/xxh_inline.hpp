// xxHash whole, to be inlined: for the few places where a call would cost as much as the hash.
#pragma once

#include <cstdint>
#include <string_view>

#include "hash/xxh.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace arcwise {

inline constexpr std::size_t usual_key = 32;

/// xxh3_64(); of short keys without a call, and without the registers that long ones need. Callers are
/// [[gnu::flatten]], or GCC makes a function of it again.
inline std::uint64_t xxh3_of_key(std::string_view key) noexcept {
  return key.size() <= usual_key ? XXH3_64bits(key.data(), key.size()) : xxh3_64(key);
}

}  // namespace arcwise
