// MD5 (RFC 1321). For compatibility with what rings have always used, not for security.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace arcwise {

/// The digest's bytes in the order in which md5sum prints them.
std::array<std::uint8_t, 16> md5(std::string_view bytes) noexcept;

/// The digest as four numbers, each of four bytes of it, least significant first.
std::array<std::uint32_t, 4> md5_words(std::string_view bytes) noexcept;

/// The same of many messages, side by side in the lanes of vectors where the processor has them (isa()).
struct Md5Batch {
  static constexpr std::size_t most = 64;   ///< messages
  alignas(64) std::uint32_t word[4][most];  ///< word[w][i]: word w of message i
};
/// messages.size() <= Md5Batch::most. Several times faster for messages of at most 55 bytes; correct for all.
void md5_batch(std::span<const std::string_view> messages, Md5Batch& out) noexcept;

}  // namespace arcwise
