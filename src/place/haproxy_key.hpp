// What HAProxy's `balance` hashes of a request.
#pragma once

#include <cstdint>
#include <string_view>

#include "arcwise/map.hpp"

namespace arcwise {

/// The setting `balance` says what keys are:
///   value     bytes that are hashed as they are: `hdr`, `url_param`, `hash` of a string
///   uri       request targets, hashed up to `?`; `uri whole` is `value`
///   source    client addresses; the 32-bit words of one are xored, and the hash function plays no part
///   hash-src  client addresses; the hash function gets their 4 or 16 bytes (`balance hash src`)
/// A key that should be an address and is none is hashed as a value.
class HaproxyKey {
 public:
  HaproxyKey() = default;
  explicit HaproxyKey(const PlacementSettings& placement);

  /// The part of the key that counts.
  std::string_view value(std::string_view key) const noexcept;
  std::uint32_t hash(std::string_view value) const noexcept;
  friend bool operator==(const HaproxyKey&, const HaproxyKey&) = default;

 private:
  enum class Balance : std::uint8_t { value, uri, source, hash_src };

  Balance balance_ = Balance::value;
  KeyHashId hash_ = KeyHashId::sdbm;
  std::uint32_t length_ = 0;  ///< `len N`; 0: all
  std::uint32_t depth_ = 0;   ///< `depth N`; 0: all
};

}  // namespace arcwise
