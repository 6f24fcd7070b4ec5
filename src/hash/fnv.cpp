#include "hash/fnv.hpp"

namespace arcwise {

std::uint64_t fnv1a_64(std::string_view bytes) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : bytes) hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace arcwise
