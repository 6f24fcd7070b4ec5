// The ring index: a lookup in one cache line.
//
// The circle is cut into equal arcs, eight tokens each on average, and every arc has one line of memory. It
// holds the place of each of its tokens within the arc, as 16 bits, and the owners of the 16 ring entries
// from its first token on. Multiplying a hash by the number of lines gives both at once: the high word is the
// line, the top 16 bits of the low word the place. The tokens below it are counted with one vector
// comparison, and that count is where its owner stands; those behind it are the next candidates of the walk.
//
// Worked example with 4 lines: hash 0x5000… times 4 is 1.25 · 2^64: line 1, place 0x4000. Tokens of line 1 at
// 0x2000, 0x3fff and 0x9000: two are below, so owner[2] answers.
//
// Exact always: a token at the very place (one lookup in some eight thousand) is compared in full, and an arc
// with more tokens than its line has room for (four in a thousand) says which entries it has, and these are
// searched.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "arcwise/map.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace arcwise {

/// Where a hash falls: its line, and its place within it as lines keep it (top bit flipped, so that places
/// compare as signed numbers).
struct RingSpot {
  std::size_t line;
  std::int16_t place;
};

/// The tokens of one arc. Places are ascending, unused ones the largest.
struct alignas(32) RingPlaces {
  static constexpr unsigned room = 15;
  static constexpr std::int16_t unused = std::numeric_limits<std::int16_t>::max();
  static constexpr std::int16_t crowded = std::numeric_limits<std::int16_t>::min();

  /// The last one is no place but the drift: the line's first entry less what an even spread would make it.
  /// `crowded`: the first two pairs are the first entry and their number instead.
  std::array<std::int16_t, room + 1> word;

  std::int16_t drift() const noexcept { return word[room]; }
  std::uint32_t crowd_first() const noexcept { return pair(0); }
  std::uint32_t crowd_count() const noexcept { return pair(2); }
  std::uint32_t pair(std::size_t at) const noexcept {
    std::uint32_t out;
    std::memcpy(&out, &word[at], sizeof out);
    return out;
  }
};

/// …with the nodes of the 16 entries from its first one on, where node numbers fit: one cache line.
struct alignas(64) RingLine {
  RingPlaces places;
  std::array<std::uint16_t, RingPlaces::room + 1> node;
};

/// How many of a line's tokens are below a place. The plain one is for processors without vectors.
inline unsigned tokens_below_plain(const RingPlaces& line, std::int16_t place) noexcept {
  unsigned below = 0;
  for (unsigned i = 0; i < RingPlaces::room; ++i) below += line.word[i] < place;
  return below;
}
inline unsigned tokens_below(const RingPlaces& line, std::int16_t place) noexcept {
#if defined(__x86_64__)
  const auto* words = reinterpret_cast<const __m128i*>(line.word.data());
  const __m128i wanted = _mm_set1_epi16(place);
  const __m128i below = _mm_packs_epi16(_mm_cmpgt_epi16(wanted, _mm_load_si128(words)),
                                        _mm_cmpgt_epi16(wanted, _mm_load_si128(words + 1)));
  // Ascending, so those below are the lowest bits; the last word is no place.
  return static_cast<unsigned>(__builtin_ctz(~static_cast<unsigned>(_mm_movemask_epi8(below)) | 0x8000u));
#elif defined(__aarch64__)
  const int16x8_t wanted = vdupq_n_s16(place);
  const uint8x8_t low = vmovn_u16(vcgtq_s16(wanted, vld1q_s16(line.word.data())));
  const uint8x8_t high = vmovn_u16(vcgtq_s16(wanted, vld1q_s16(line.word.data() + 8)));
  const uint8x8_t packed = vshrn_n_u16(vreinterpretq_u16_u8(vcombine_u8(low, high)), 4);
  const std::uint64_t below = vget_lane_u64(vreinterpret_u64_u8(packed), 0);
  return static_cast<unsigned>(__builtin_ctzll(~below | 0xf000000000000000u)) / 4;
#else
  return tokens_below_plain(line, place);
#endif
}

/// tokens_below() for many, by the best instructions that isa() allows now.
void tokens_below(std::span<const RingPlaces* const> lines, const std::int16_t* places,
                  std::uint8_t* below) noexcept;

/// The lines of a ring. Immutable; safe to share between threads.
template <class Line>
class RingIndex {
 public:
  static constexpr std::size_t tokens_a_line = 8;
  static constexpr bool has_nodes = requires(Line l) { l.node; };

  RingIndex() = default;
  /// `scaled(i)`: bound i of `nodes.size()`, ascending, stretched or cut to 64 bits.
  template <class Scaled>
  RingIndex(std::span<const NodeIndex> nodes, Scaled&& scaled);

  RingSpot spot(std::uint64_t hash) const noexcept {
    const auto product = u128{hash} * lines_.size();
    const auto fraction = static_cast<std::uint16_t>(static_cast<std::uint64_t>(product) >> 48);
    return {static_cast<std::size_t>(product >> 64), static_cast<std::int16_t>(fraction ^ 0x8000u)};
  }
  const Line& line(std::size_t i) const noexcept { return lines_[i]; }
  template <class L>
  static auto& places(L& line) noexcept {
    if constexpr (has_nodes)
      return line.places;
    else
      return line;
  }
  /// Whether the count of tokens below leaves it open who answers.
  static bool open(const RingPlaces& places, RingSpot at, unsigned below) noexcept {
    return (places.word[below] == at.place) | (places.drift() == RingPlaces::crowded);
  }
  /// The first entry at or after a line's beginning; the number of entries where there is none.
  std::size_t first_entry(std::size_t i) const noexcept {
    const RingPlaces& p = places(lines_[i]);
    if (p.drift() == RingPlaces::crowded) return p.crowd_first();
    return static_cast<std::size_t>(even(i) + p.drift());
  }
  std::size_t size() const noexcept { return lines_.size(); }
  std::size_t bytes() const noexcept { return lines_.size() * sizeof(Line); }

 private:
  std::int64_t even(std::size_t i) const noexcept { return static_cast<std::int64_t>(i * slope_ >> 32); }
  void fill(std::size_t i, std::span<const std::int16_t> places, std::size_t first, std::size_t count);

  std::vector<Line> lines_;
  std::uint64_t slope_ = 0;  ///< entries a line, times 2^32
};

template <class Line>
template <class Scaled>
RingIndex<Line>::RingIndex(std::span<const NodeIndex> nodes, Scaled&& scaled)
    : lines_((nodes.size() + tokens_a_line - 1) / tokens_a_line) {
  if (nodes.empty()) return;
  slope_ = (std::uint64_t{nodes.size()} << 32) / lines_.size();
  std::array<std::int16_t, RingPlaces::room> seen;
  std::size_t entry = 0;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const std::size_t first = entry;
    for (; entry < nodes.size(); ++entry) {
      const RingSpot at = spot(scaled(entry));
      if (at.line != i) break;
      if (entry - first < seen.size()) seen[entry - first] = at.place;
    }
    fill(i, seen, first, entry - first);
    if constexpr (has_nodes)
      for (std::size_t k = 0, from = first; k < lines_[i].node.size(); ++k, ++from) {
        while (from >= nodes.size()) from -= nodes.size();
        lines_[i].node[k] = static_cast<std::uint16_t>(nodes[from]);
      }
  }
}

template <class Line>
void RingIndex<Line>::fill(std::size_t i, std::span<const std::int16_t> seen, std::size_t first,
                           std::size_t count) {
  RingPlaces& p = places(lines_[i]);
  p.word.fill(RingPlaces::unused);
  const std::int64_t drift = static_cast<std::int64_t>(first) - even(i);
  if (count <= RingPlaces::room && drift > RingPlaces::crowded && drift <= RingPlaces::unused) {
    for (std::size_t k = 0; k < count; ++k) p.word[k] = seen[k];
    p.word[RingPlaces::room] = static_cast<std::int16_t>(drift);
    return;
  }
  const std::array<std::uint32_t, 2> crowd{static_cast<std::uint32_t>(first),
                                           static_cast<std::uint32_t>(count)};
  std::memcpy(p.word.data(), crowd.data(), sizeof crowd);
  p.word[RingPlaces::room] = RingPlaces::crowded;
}

}  // namespace arcwise
