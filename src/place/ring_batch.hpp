// The ring index asked in blocks: the spots of 32 hashes at once, then their lines one after the other.
//
// A loop that answers one hash at a time spends most of its instructions on what vectors do for eight, and on
// asking each time whether the line leaves the answer open, which it nearly never does. Here that question is
// put to eight lines together.
#pragma once

#include <cstddef>
#include <cstdint>

#include "place/ring_index.hpp"

namespace arcwise {

/// A RingSpot, its place twice: 32 bits fill a vector without a shuffle.
struct BatchSpot {
  std::uint32_t line;
  std::int16_t place, again;
};

/// Kernels for one kind of line, each of `block` hashes.
template <class Line>
struct RingBatch {
  static constexpr std::size_t block = 32;
  static constexpr std::size_t group = 8;

  /// The spots of hashes that are shifted to the left first; `count` lines there are.
  using Spots = void (*)(const std::uint64_t* hashes, unsigned shift, std::uint64_t count,
                         BatchSpot* out) noexcept;
  /// The node behind the tokens below each spot, or where lines have no nodes the number of those tokens.
  /// Returns a bit for each answer that is left open.
  using Answers = std::uint32_t (*)(const Line* lines, const BatchSpot* spots, NodeIndex* out) noexcept;

  Spots spots;
  Answers answers;

  /// By the best instructions that isa() allows now.
  static RingBatch best() noexcept;
};

}  // namespace arcwise
