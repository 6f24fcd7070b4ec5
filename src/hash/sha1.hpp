// SHA-1 (FIPS 180-4), in one call or piece by piece. For compatibility, not for security.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "hash/merkle_damgard.hpp"

namespace arcwise {

/// The digest of everything given to update(), in the order given; how it is cut into pieces does not matter.
class Sha1 {
 public:
  void update(std::string_view bytes) noexcept;
  /// The digest, its bytes in the order in which sha1sum prints them. The object then starts anew.
  std::array<std::uint8_t, 20> finish() noexcept;

 private:
  using State = std::array<std::uint32_t, 5>;
  static constexpr State initial = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};

  State state_ = initial;
  merkle_damgard::Pieces pieces_;
};

std::array<std::uint8_t, 20> sha1(std::string_view bytes) noexcept;

}  // namespace arcwise
