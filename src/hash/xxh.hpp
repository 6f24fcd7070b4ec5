// xxHash, seed 0: the header-only library behind two functions, so that one translation unit carries it.
#pragma once

#include <cstdint>
#include <string_view>

namespace arcwise {

std::uint64_t xxh3_64(std::string_view bytes) noexcept;
std::uint64_t xxh64(std::string_view bytes) noexcept;

}  // namespace arcwise
