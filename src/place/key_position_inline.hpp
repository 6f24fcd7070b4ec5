// KeyPosition::of() without a call where the key hash is XXH3 of a short key: for the one lookup that goes
// from bytes to node.
#pragma once

#include "hash/xxh_inline.hpp"
#include "place/key_position.hpp"

namespace arcwise {

/// position.of(key). Callers are [[gnu::flatten]].
inline KeyHash inlined(const KeyPosition& position, std::string_view key) noexcept {
  switch (position.way()) {
    case KeyPosition::Way::xxh3:
      return {xxh3_of_key(key)};
    case KeyPosition::Way::xxh3_slot:
      return {position.slot(xxh3_of_key(key))};
    default:
      return position.of(key);
  }
}

}  // namespace arcwise
