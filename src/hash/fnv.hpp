// Fowler-Noll-Vo hashes.
#pragma once

#include <cstdint>
#include <string_view>

namespace arcwise {

/// 64-bit FNV-1a: each byte is XORed in before the multiplication.
std::uint64_t fnv1a_64(std::string_view bytes) noexcept;

}  // namespace arcwise
