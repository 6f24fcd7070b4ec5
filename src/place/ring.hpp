// The token ring: sorted points, the one that answers for a hash, and the walk clockwise from there.
//
// Every lookup rule becomes the same search. An entry answers for the hashes up to its *bound*: with the
// usual rule the bound is its token; the other rules shift it once, here, and lookups stay one search for the
// first bound at or after the hash. That search is the index's (place/ring_index.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "arcwise/placement.hpp"
#include "place/methods.hpp"
#include "place/ring_index.hpp"

namespace arcwise {

/// The last position that entry i of these sorted points answers for. Worked example on positions 0…99 with
/// tokens 10 and 60: at_or_after 10, 60; after 9, 59; at_or_before 59 (10…59), 9 (60…99 and 0…9, wrapping);
/// nearest 35, 85.
inline u128 entry_bound(const std::vector<RingPoint>& points, std::size_t i, LookupRule rule, u128 last) {
  const u128 token = points[i].token.value;
  const u128 next = points[i + 1 == points.size() ? 0 : i + 1].token.value;
  const u128 gap = next >= token && i + 1 != points.size() ? next - token : last - token + next + 1;
  switch (rule) {
    case LookupRule::at_or_after:
      return token;
    case LookupRule::after:
      return token == 0 ? last : token - 1;
    case LookupRule::at_or_before:
      return next == 0 ? last : next - 1;
    case LookupRule::nearest:
      return gap / 2 <= last - token ? token + gap / 2 : gap / 2 - (last - token) - 1;
  }
  return token;
}

/// `Line` is RingLine, or RingPlaces where node numbers need more than 16 bits.
template <class Word, class Line>
class TokenRing {
 public:
  TokenRing(const std::vector<RingPoint>& points, LookupRule rule, u128 last);

  std::size_t locate(const Query& query) const noexcept { return locate(query.hash); }
  std::size_t locate(KeyHash hash) const noexcept {
    if (nodes_.empty()) return 0;
    const Word value = static_cast<Word>(hash.value);
    const RingSpot at = index_.spot(scaled(value));
    const RingPlaces& places = index_.places(index_.line(at.line));
    const unsigned below = tokens_below(places, at.place);
    if (index_.open(places, at, below)) [[unlikely]]
      return search(value, at, below);
    const std::size_t entry = index_.first_entry(at.line) + below;
    return entry == nodes_.size() ? 0 : entry;
  }

  NodeIndex first(KeyHash hash) const noexcept {
    if (nodes_.empty()) return no_node;
    const Word value = static_cast<Word>(hash.value);
    const RingSpot at = index_.spot(scaled(value));
    const RingPlaces& places = index_.places(index_.line(at.line));
    const unsigned below = tokens_below(places, at.place);
    if (index_.open(places, at, below)) [[unlikely]]
      return nodes_[search(value, at, below)];
    return node_at(at.line, below);
  }
  void first(std::span<const std::uint64_t> hashes, std::span<NodeIndex> out) const noexcept;

  /// The entry that answers where places leave it open. A crowded line is halved until one is left; else only
  /// tokens at the very place of the hash come before it, one or two in practice.
  template <class Less = std::less<>>
  std::size_t search(Word value, RingSpot at, unsigned below, Less less = {}) const noexcept {
    const RingPlaces& places = index_.places(index_.line(at.line));
    const auto bound = [&](std::size_t i) { return bounds_.begin() + static_cast<std::ptrdiff_t>(i); };
    const bool crowded = places.drift() == RingPlaces::crowded;
    const std::size_t from = index_.first_entry(at.line) + (crowded ? 0 : below);
    const std::size_t upto =
        crowded ? from + places.crowd_count() : std::min(bounds_.size(), from + RingPlaces::room);
    const auto found = std::lower_bound(bound(from), bound(upto), value, less);
    return found == bounds_.end() ? 0 : static_cast<std::size_t>(found - bounds_.begin());
  }
  const RingIndex<Line>& index() const noexcept { return index_; }

  /// Candidates clockwise from an entry; one full turn.
  template <class Visit>
  void candidates(std::size_t from, const Query&, Visit&& visit) const
      noexcept(noexcept(visit(Token{}, NodeIndex{}))) {
    for (std::size_t i = from; i < nodes_.size(); ++i)
      if (!visit(token(i), nodes_[i])) return;
    for (std::size_t i = 0; i < from; ++i)
      if (!visit(token(i), nodes_[i])) return;
  }

  std::size_t entry_count() const noexcept { return nodes_.size(); }
  Placement::Entry entry(std::size_t i) const noexcept { return {token(i), nodes_[i]}; }

  std::size_t region_count() const noexcept {
    return first_entry_.empty() ? bounds_.size() : first_entry_.size();
  }
  Region region(std::size_t i) const noexcept {
    const std::size_t before = i == 0 ? region_count() - 1 : i - 1;
    return {Token{bounds_[region_entry(before)]}, Token{bounds_[region_entry(i)]}};
  }
  std::size_t region_entry(std::size_t i) const noexcept {
    return first_entry_.empty() ? i : first_entry_[i];
  }
  std::size_t region_at(KeyHash hash) const noexcept {
    const std::size_t entry = locate(hash);
    if (first_entry_.empty()) return entry;
    const auto next = std::upper_bound(first_entry_.begin(), first_entry_.end(), entry);
    return static_cast<std::size_t>(next - first_entry_.begin()) - 1;
  }

 private:
  /// The owner behind so many tokens of a line.
  NodeIndex node_at(std::size_t line, unsigned below) const noexcept {
    if constexpr (RingIndex<Line>::has_nodes) return index_.line(line).node[below];
    const std::size_t entry = index_.first_entry(line) + below;
    return nodes_[entry == nodes_.size() ? 0 : entry];
  }
  Token token(std::size_t i) const noexcept { return {tokens_.empty() ? bounds_[i] : tokens_[i]}; }
  std::uint64_t scaled(Word value) const noexcept {
    if constexpr (sizeof(Word) > sizeof(std::uint64_t))
      return static_cast<std::uint64_t>(value >> shift_);
    else
      return value << shift_;
  }
  void set_shift(u128 last) noexcept;

  std::vector<Word> bounds_;
  std::vector<Word> tokens_;  ///< empty where bounds are the tokens
  std::vector<NodeIndex> nodes_;
  std::vector<std::uint32_t> first_entry_;  ///< of each distinct bound; empty where none are equal
  unsigned shift_ = 0;                      ///< between a position and its top 64 bits
  RingIndex<Line> index_;
};

template <class Word, class Line>
TokenRing<Word, Line>::TokenRing(const std::vector<RingPoint>& points, LookupRule rule, u128 last) {
  const std::size_t count = points.size();
  bounds_.resize(count);
  for (std::size_t i = 0; i < count; ++i) bounds_[i] = static_cast<Word>(entry_bound(points, i, rule, last));
  // A bound that wrapped past the top breaks the order in one place only: start there.
  std::size_t start = 0;
  for (std::size_t i = 1; i < count; ++i)
    if (bounds_[i] < bounds_[i - 1]) start = i;
  std::rotate(bounds_.begin(), bounds_.begin() + static_cast<std::ptrdiff_t>(start), bounds_.end());
  nodes_.resize(count);
  if (rule != LookupRule::at_or_after) tokens_.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    const RingPoint& point = points[start + k < count ? start + k : start + k - count];
    nodes_[k] = point.node;
    if (!tokens_.empty()) tokens_[k] = static_cast<Word>(point.token.value);
  }
  set_shift(last);
  index_ = RingIndex<Line>(nodes_, [&](std::size_t i) { return scaled(bounds_[i]); });
  if (std::adjacent_find(bounds_.begin(), bounds_.end()) == bounds_.end()) return;
  for (std::size_t i = 0; i < count; ++i)
    if (i == 0 || bounds_[i] != bounds_[i - 1]) first_entry_.push_back(static_cast<std::uint32_t>(i));
}

// Positions of a ring as wide as its word are used as they are; the others move up, or down, to 64 bits.
template <class Word, class Line>
void TokenRing<Word, Line>::set_shift(u128 last) noexcept {
  unsigned bits = 0;
  for (; last != 0; last >>= 1) ++bits;
  if (sizeof(Word) > sizeof(std::uint64_t))
    shift_ = bits < 64 ? 0 : bits - 64;
  else
    shift_ = bits == 0 ? 0 : 64 - bits;
}

// In blocks: the lines of the next one are on their way while this one is counted.
template <class Word, class Line>
void TokenRing<Word, Line>::first(std::span<const std::uint64_t> hashes,
                                  std::span<NodeIndex> out) const noexcept {
  constexpr std::size_t block = 32;
  struct Ahead {
    std::array<const RingPlaces*, block> places;
    std::array<std::int16_t, block> place;
    std::array<std::uint32_t, block> line;
  };
  std::array<Ahead, 2> ahead;
  if (nodes_.empty()) {
    std::fill_n(out.begin(), hashes.size(), no_node);
    return;
  }
  const auto fetch = [&](Ahead& to, std::size_t from, std::size_t count) noexcept {
    for (std::size_t k = 0; k < count; ++k) {
      const RingSpot at = index_.spot(scaled(hashes[from + k]));
      const Line& line = index_.line(at.line);
      __builtin_prefetch(&line);
      to.places[k] = &index_.places(line);
      to.place[k] = at.place;
      to.line[k] = static_cast<std::uint32_t>(at.line);
    }
  };
  std::array<std::uint8_t, block> below;
  fetch(ahead[0], 0, std::min(block, hashes.size()));
  for (std::size_t from = 0, turn = 0; from < hashes.size(); from += block, turn ^= 1) {
    const std::size_t count = std::min(block, hashes.size() - from);
    if (from + count < hashes.size())
      fetch(ahead[turn ^ 1], from + count, std::min(block, hashes.size() - from - count));
    const Ahead& now = ahead[turn];
    tokens_below(std::span(now.places).first(count), now.place.data(), below.data());
    for (std::size_t k = 0; k < count; ++k) {
      const RingSpot at{now.line[k], now.place[k]};
      if (index_.open(*now.places[k], at, below[k])) [[unlikely]]
        out[from + k] = nodes_[search(static_cast<Word>(hashes[from + k]), at, below[k])];
      else
        out[from + k] = node_at(at.line, below[k]);
    }
  }
}

}  // namespace arcwise
