// What somebody gives for a password or a token, compared with it.
//
// Layer: router.
#pragma once

#include <string_view>

namespace arcwise::router {

/// In a time that does not tell how much of it is right. Nothing is the same as an empty secret.
inline bool same_secret(std::string_view given, std::string_view secret) noexcept {
  unsigned difference = given.size() != secret.size() || secret.empty();
  for (std::size_t i = 0; i < given.size() && !secret.empty(); ++i)
    difference |= static_cast<unsigned char>(given[i] ^ secret[i % secret.size()]);
  return difference == 0;
}

}  // namespace arcwise::router
