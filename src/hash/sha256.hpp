// SHA-256 (FIPS 180-4), in one call or piece by piece: key hash, and the fingerprint of maps.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "hash/merkle_damgard.hpp"

namespace arcwise {

/// The digest of everything given to update(), in the order given; how it is cut into pieces does not matter.
class Sha256 {
 public:
  void update(std::string_view bytes) noexcept;
  /// The digest, its bytes in the order in which sha256sum prints them. The object then starts anew.
  std::array<std::uint8_t, 32> finish() noexcept;

 private:
  using State = std::array<std::uint32_t, 8>;
  static constexpr State initial = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

  State state_ = initial;
  merkle_damgard::Pieces pieces_;
};

std::array<std::uint8_t, 32> sha256(std::string_view bytes) noexcept;

}  // namespace arcwise
