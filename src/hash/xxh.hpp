// xxHash: the header-only library behind three functions, so that few translation units carry it.
#pragma once

#include <cstdint>
#include <string_view>

namespace arcwise {

std::uint64_t xxh3_64(std::string_view bytes) noexcept;
std::uint64_t xxh64(std::string_view bytes, std::uint64_t seed = 0) noexcept;
std::uint32_t xxh32(std::string_view bytes, std::uint32_t seed) noexcept;

}  // namespace arcwise
