#include "hash/java.hpp"

#include "hash/utf8.hpp"

namespace arcwise {

std::uint32_t java_string_hash(std::string_view text) noexcept {
  std::uint32_t hash = 0;
  for_each_utf16_unit(text, [&hash](std::uint16_t unit) { hash = 31 * hash + unit; });
  return hash;
}

}  // namespace arcwise
