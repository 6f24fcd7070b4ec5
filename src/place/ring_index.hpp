// The ring index: a lookup in one cache line.
//
// The circle is cut into equal arcs, six or nine tokens each on average, and every arc has one line of
// memory. It holds the place of each of its tokens within the arc, as 16 bits, and the owners of the 16 ring
// entries from its first token on. Multiplying a hash by the number of lines gives both at once: the high
// word is the line, the top 16 bits of the low word the place. The tokens below it are counted with one
// vector comparison, and that count is where its owner stands; those behind it are the next candidates of the
// walk.
//
// Worked example with 4 lines: hash 0x5000… times 4 is 1.25 · 2^64: line 1, place 0x4000. Tokens of line 1 at
// 0x2000, 0x3fff and 0x9000: two are below, so owner[2] answers.
//
// Exact always: a token at the very place (one lookup in some eight thousand) is compared in full, and of an
// arc with more tokens than its line has room for those behind the last one shown are searched (four lookups
// in a thousand, or in a small ring hardly any). Tokens in heaps make more such lines, and lookups there as
// slow as a binary search.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "arcwise/map.hpp"
#include "place/large_array.hpp"

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
/// Among so many lines.
inline RingSpot ring_spot(std::uint64_t hash, std::uint64_t lines) noexcept {
  const auto product = u128{hash} * lines;
  const std::uint64_t fraction = static_cast<std::uint64_t>(product) >> 48;
  return {static_cast<std::size_t>(product >> 64), static_cast<std::int16_t>(fraction - 0x8000)};
}

/// The tokens of one arc. Places are ascending, unused ones the largest.
struct alignas(32) RingPlaces {
  static constexpr unsigned room = 15;
  static constexpr std::int16_t unused = std::numeric_limits<std::int16_t>::max();
  static constexpr std::int16_t noted = std::numeric_limits<std::int16_t>::min();

  /// The last one is no place but the drift: the line's first entry less what an even spread would make it;
  /// `noted` where that is kept beside the lines, and in every word of a ring without tokens.
  std::array<std::int16_t, room + 1> word;

  std::int16_t drift() const noexcept { return word[room]; }
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
  // (Written with all higher bits too, which are set anyway: for 0x8000 alone GCC takes the second byte of
  // the register apart.)
  return static_cast<unsigned>(__builtin_ctz(~static_cast<unsigned>(_mm_movemask_epi8(below)) | 0xffff8000u));
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

/// Whether the count of tokens below leaves it open who answers: a token at the very place, or all that are
/// shown below it in a line that has more, whose drift is noted. Where a full line's tokens are all below,
/// its drift may say so too, for nothing.
inline bool left_open(const RingPlaces& places, std::int16_t place, unsigned below) noexcept {
  return places.word[below] <= place;
}

/// One entry that a ring gained or lost: its number now, or that of the one which followed it; its bound
/// stretched or cut to 64 bits.
struct RingEdit {
  std::size_t entry;
  std::uint64_t scaled;
  bool gained;
};

/// The lines of a ring. Immutable; safe to share between threads. Everything that takes `scaled` calls it
/// with the number of an entry for its bound, stretched or cut to 64 bits; bounds ascend with their numbers.
template <class Line>
class RingIndex {
 public:
  /// On average. A small ring's lines are emptier, so that nearly all have room for their tokens; a large
  /// one is to stay in the caches.
  static constexpr std::size_t tokens_a_line(std::size_t entries) noexcept {
    return entries <= 32768 ? 6 : 9;
  }
  static constexpr std::size_t most_bytes_a_token = 11;
  static constexpr bool has_nodes = requires(Line l) { l.node; };

  RingIndex() = default;
  template <class Scaled>
  RingIndex(std::span<const NodeIndex> nodes, Scaled&& scaled);
  /// The index of a ring that differs from `before`'s by these edits, ascending by entry: lines without one
  /// are copied. `renumber(node)` is what nodes of that ring are called now.
  template <class Scaled>
  RingIndex(const RingIndex& before, std::span<const NodeIndex> nodes, std::span<const RingEdit> edits,
            std::span<const NodeIndex> renumbered, Scaled&& scaled);
  /// Whether lines of this number still have about the tokens they are made for.
  bool suits(std::size_t entries) const noexcept {
    return entries <= count_ * (tokens_a_line(entries) + 1) &&
           entries * most_bytes_a_token >= count_ * sizeof(Line);
  }

  RingSpot spot(std::uint64_t hash) const noexcept { return ring_spot(hash, count_); }
  std::size_t line_count() const noexcept { return count_; }
  const Line& line(std::size_t i) const noexcept { return lines_[i]; }
  template <class L>
  static auto& places(L& line) noexcept {
    if constexpr (has_nodes)
      return line.places;
    else
      return line;
  }
  /// The first entry at or after a line's beginning; the number of entries where there is none.
  std::size_t first_entry(std::size_t i) const noexcept {
    const RingPlaces& p = places(lines_[i]);
    if (p.drift() == RingPlaces::noted) return note(i).first;
    return static_cast<std::size_t>(even(i) + p.drift());
  }
  /// The entries of a line that has more than it shows, or is so far from where an even spread would have it
  /// that its drift needs more than 16 bits.
  struct Note {
    std::uint32_t line, first, count;
  };
  const Note& note(std::size_t line) const noexcept {
    return *std::lower_bound(notes_.begin(), notes_.end(), line,
                             [](const Note& n, std::size_t l) { return n.line < l; });
  }
  std::size_t bytes() const noexcept { return count_ * sizeof(Line) + notes_.size() * sizeof(Note); }

 private:
  static constexpr std::size_t window = RingPlaces::room + 1;

  std::int64_t even(std::size_t i) const noexcept { return static_cast<std::int64_t>(i * slope_ >> 32); }
  template <class Scaled>
  std::size_t fill(std::size_t i, std::size_t first, std::span<const NodeIndex> nodes, Scaled&& scaled);
  static bool fits_drift(std::int64_t drift) noexcept {
    return drift > RingPlaces::noted && drift <= std::numeric_limits<std::int16_t>::max();
  }
  void set_first(std::size_t i, std::size_t first, std::size_t count);
  void copy(const RingIndex& before, std::size_t from, std::size_t upto, std::int64_t shift,
            std::span<const NodeIndex> renumbered);

  LargeArray<Line> lines_;
  std::vector<Note> notes_;  ///< ascending by line
  std::size_t count_ = 0;    ///< lines
  std::size_t entries_ = 0;
  std::uint64_t slope_ = 0;  ///< entries a line, times 2^32
};

// A ring without entries has one line all the same, which leaves all open, so that lookups need not ask.
template <class Line>
template <class Scaled>
RingIndex<Line>::RingIndex(std::span<const NodeIndex> nodes, Scaled&& scaled)
    : count_(std::max<std::size_t>(1, nodes.size() / tokens_a_line(nodes.size()))), entries_(nodes.size()) {
  lines_ = large_array<Line>(count_);
  slope_ = (std::uint64_t{nodes.size()} << 32) / count_;
  if (nodes.empty()) {
    places(lines_[0]).word.fill(RingPlaces::noted);
    notes_.push_back({0, 0, 0});
  }
  for (std::size_t i = 0, entry = 0; i < count_ && !nodes.empty(); ++i) entry = fill(i, entry, nodes, scaled);
}

// Writes line i, whose first entry is `first`, and returns the next line's.
template <class Line>
template <class Scaled>
std::size_t RingIndex<Line>::fill(std::size_t i, std::size_t first, std::span<const NodeIndex> nodes,
                                  Scaled&& scaled) {
  RingPlaces& p = places(lines_[i]);
  p.word.fill(RingPlaces::unused);
  std::size_t entry = first;
  for (; entry < nodes.size(); ++entry) {
    const RingSpot at = spot(scaled(entry));
    if (at.line != i) break;
    if (entry - first < RingPlaces::room) p.word[entry - first] = at.place;
  }
  set_first(i, first, entry - first);
  if constexpr (has_nodes)
    for (std::size_t k = 0; k < window; ++k)
      lines_[i].node[k] = static_cast<std::uint16_t>(
          nodes[first + window <= nodes.size() ? first + k : (first + k) % nodes.size()]);
  return entry;
}

// Lines are written in their order, and so are their notes.
template <class Line>
void RingIndex<Line>::set_first(std::size_t i, std::size_t first, std::size_t count) {
  const std::int64_t drift = static_cast<std::int64_t>(first) - even(i);
  std::int16_t& word = places(lines_[i]).word[RingPlaces::room];
  word =
      fits_drift(drift) && count <= RingPlaces::room ? static_cast<std::int16_t>(drift) : RingPlaces::noted;
  if (word == RingPlaces::noted)
    notes_.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(first),
                      static_cast<std::uint32_t>(count)});
}

// An edit changes the line it is in, and those before that show its entry among their next sixteen. Worked
// example: lines begin at entries 0, 8, 17, 24 and an entry is gained at 19: line 2 has it, line 1 shows
// entries 8…23 and so has it too, line 0 ends at 15. Lines 1 and 2 are written anew, line 3 begins one entry
// later. The last lines show entries from the beginning of the ring: they are always written.
template <class Line>
template <class Scaled>
RingIndex<Line>::RingIndex(const RingIndex& before, std::span<const NodeIndex> nodes,
                           std::span<const RingEdit> edits, std::span<const NodeIndex> renumbered,
                           Scaled&& scaled)
    : lines_(large_array<Line>(before.count_)),
      count_(before.count_),
      entries_(nodes.size()),
      slope_(before.slope_) {
  std::size_t done = 0;    // lines written
  std::int64_t shift = 0;  // of the entries of the lines not yet written
  const auto write_upto = [&](std::size_t touched, std::size_t upto) {
    // Back to the first line that shows the edit; every line between `done` and there is as it was.
    copy(before, done, touched, shift, renumbered);
    std::size_t first =
        static_cast<std::size_t>(static_cast<std::int64_t>(before.first_entry(touched)) + shift);
    for (done = touched; done < upto; ++done) first = fill(done, first, nodes, scaled);
    return first;
  };
  for (std::size_t e = 0; e < edits.size();) {
    const std::size_t line = spot(edits[e].scaled).line;
    std::size_t touched = std::max(line, done);
    const auto shows = [&](std::size_t i) {
      return static_cast<std::int64_t>(before.first_entry(i)) + shift + static_cast<std::int64_t>(window) >
             static_cast<std::int64_t>(edits[e].entry);
    };
    while (touched > done && shows(touched - 1)) --touched;
    if (line + 1 > done) write_upto(touched, line + 1);
    for (; e < edits.size() && spot(edits[e].scaled).line < done; ++e) shift += edits[e].gained ? 1 : -1;
  }
  std::size_t last = count_;
  while (last > done &&
         static_cast<std::int64_t>(before.first_entry(last - 1)) + shift + static_cast<std::int64_t>(window) >
             static_cast<std::int64_t>(nodes.size()))
    --last;
  if (done < count_) write_upto(last == count_ ? count_ - 1 : last, count_);
}

// Lines as they were, their first entries moved by `shift`: an even spread is what it was, so that drifts
// move with them.
template <class Line>
void RingIndex<Line>::copy(const RingIndex& before, std::size_t from, std::size_t upto, std::int64_t shift,
                           std::span<const NodeIndex> renumbered) {
  if (from >= upto) return;
  std::copy(before.lines_.get() + from, before.lines_.get() + upto, lines_.get() + from);
  const auto moved = [&](std::size_t entry) {
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(entry) + shift);
  };
  auto note = std::lower_bound(before.notes_.begin(), before.notes_.end(), from,
                               [](const Note& n, std::size_t line) { return n.line < line; });
  for (std::size_t i = from; i < upto; ++i) {
    std::int16_t& word = places(lines_[i]).word[RingPlaces::room];
    if (word == RingPlaces::noted) {
      notes_.push_back({note->line, moved(note->first), note->count});
      ++note;
    } else if (fits_drift(word + shift)) {
      word = static_cast<std::int16_t>(word + shift);
    } else {
      const std::size_t first = before.first_entry(i);
      const std::size_t next = i + 1 < count_ ? before.first_entry(i + 1) : before.entries_;
      word = RingPlaces::noted;
      notes_.push_back(
          {static_cast<std::uint32_t>(i), moved(first), static_cast<std::uint32_t>(next - first)});
    }
    if constexpr (has_nodes)
      if (!renumbered.empty())
        for (std::uint16_t& node : lines_[i].node) node = static_cast<std::uint16_t>(renumbered[node]);
  }
}

}  // namespace arcwise
