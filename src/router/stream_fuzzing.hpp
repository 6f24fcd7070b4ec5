// What every fuzzer of a stream asks: bytes in pieces say what they say whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace arcwise::router::fuzzing {

/// Calls `hear(piece)` for the input cut into pieces of the sizes that its first byte chooses.
template <class Hear>
void in_pieces(const std::uint8_t* data, std::size_t size, Hear&& hear) {
  if (size == 0) return;
  const std::size_t step = 1 + data[0] % 17;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  for (std::size_t at = 0; at < bytes.size(); at += step) hear(bytes.substr(at, step));
}

inline void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace arcwise::router::fuzzing
