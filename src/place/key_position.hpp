// From a key's bytes to its position: key preparation, key hash, reduction to the token space.
#pragma once

#include <string_view>

#include "arcwise/map.hpp"

namespace arcwise {

/// The part of the key between the first `open` and the first `close` after it, if there is any; else the
/// whole key. "user:{123}:cart" with { } gives "123"; "{}{abc}" and "foo{bar" give themselves.
std::string_view tagged_part(std::string_view key, char open, char close) noexcept;

class KeyPosition {
 public:
  explicit KeyPosition(const ClusterMap& map);
  /// The bytes of the key that are hashed.
  std::string_view routing_key(std::string_view key) const noexcept;
  KeyHash of(std::string_view key) const noexcept;

 private:
  KeyHashId hash_;
  bool tagged_ = false;
  char open_ = 0;
  char close_ = 0;
  std::uint64_t slots_ = 0;  ///< reduce by remainder; 0: the hash is the position
};

}  // namespace arcwise
