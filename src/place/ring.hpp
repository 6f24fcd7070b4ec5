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
#include <utility>
#include <vector>

#include "arcwise/placement.hpp"
#include "place/ring_batch.hpp"
#include "place/ring_change.hpp"
#include "place/ring_index.hpp"
#include "place/ring_points.hpp"

namespace arcwise {

/// The last position that entry i of these sorted tokens answers for. Worked example on positions 0…99 with
/// tokens 10 and 60: at_or_after 10, 60; after 9, 59; at_or_before 59 (10…59), 9 (60…99 and 0…9, wrapping);
/// nearest 35, 85.
template <class Word>
Word entry_bound(const std::vector<Word>& tokens, std::size_t i, LookupRule rule, u128 last) {
  const u128 token = tokens[i];
  const u128 next = tokens[i + 1 == tokens.size() ? 0 : i + 1];
  const u128 gap = next >= token && i + 1 != tokens.size() ? next - token : last - token + next + 1;
  const auto bound = [&]() -> u128 {
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
  };
  return static_cast<Word>(bound());
}

/// `Line` is RingLine, or RingPlaces where node numbers need more than 16 bits.
template <class Word, class Line>
class TokenRing {
 public:
  TokenRing(RingOrder<Word> points, LookupRule rule, u128 last);
  /// The ring of a map that differs by this change. The lookup rule is at_or_after.
  TokenRing(const TokenRing& before, const RingChange& change);

  std::size_t locate(const Query& query) const noexcept { return locate(query.hash); }
  std::size_t locate(KeyHash hash) const noexcept {
    const Hit hit = find(hash);
    if (hit.open) [[unlikely]]
      return settle(hash);
    const std::size_t entry = index_.first_entry(hit.at.line) + hit.below;
    return entry == nodes_.size() ? 0 : entry;
  }

  NodeIndex first(KeyHash hash) const noexcept {
    const Hit hit = find(hash);
    if (hit.open) [[unlikely]]
      return settled_node(hash);
    return node_at(hit.at.line, hit.below);
  }
  void first(std::span<const std::uint64_t> hashes, std::span<NodeIndex> out) const noexcept;

  /// The entry that answers where places leave it open: of the line's entries behind those that are below,
  /// which are tokens at the very place of the hash, one or two in practice, or what the line does not show.
  template <class Less = std::less<>>
  std::size_t search(Word value, RingSpot at, unsigned below, Less less = {}) const noexcept {
    const RingPlaces& places = index_.places(index_.line(at.line));
    const auto bound = [&](std::size_t i) { return bounds_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::size_t from = index_.first_entry(at.line);
    std::size_t upto = std::min(bounds_.size(), from + RingPlaces::room);
    if (places.drift() == RingPlaces::noted) upto = from + index_.note(at.line).count;
    from = std::min(from + below, upto);
    const auto found = std::lower_bound(bound(from), bound(upto), value, less);
    return found == bounds_.end() ? 0 : static_cast<std::size_t>(found - bounds_.begin());
  }
  const RingIndex<Line>& index() const noexcept { return index_; }

  /// The first candidates as the line shows them; none where the tokens have to be asked.
  struct Near {
    std::span<const std::uint16_t> nodes;
    std::size_t line;
  };
  Near near(KeyHash hash) const noexcept
    requires RingIndex<Line>::has_nodes
  {
    const Hit hit = find(hash);
    if (hit.open) [[unlikely]]
      return {{}, hit.at.line};
    return {std::span(index_.line(hit.at.line).node).subspan(hit.below), hit.at.line};
  }
  /// The entry behind those.
  std::size_t behind(const Near& near, KeyHash hash) const noexcept
    requires RingIndex<Line>::has_nodes
  {
    return near.nodes.empty() ? settle(hash)
                              : index_.first_entry(near.line) + index_.line(near.line).node.size();
  }

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
  /// What a line says of a hash; `open`: the tokens themselves have to be asked.
  struct Hit {
    RingSpot at;
    unsigned below;
    bool open;
  };
  Hit find(KeyHash hash) const noexcept {
    const Word value = static_cast<Word>(hash.value);
    const RingSpot at = spot(value);
    const RingPlaces& places = index_.places(index_.line(at.line));
    const unsigned below = tokens_below(places, at.place);
    return {at, below, left_open(places, at.place, below)};
  }
  // Out of line, and looking anew: rare, and the common path then keeps nothing for it.
  [[gnu::noinline]] std::size_t settle(KeyHash hash) const noexcept {
    const Hit hit = find(hash);
    return search(inside(static_cast<Word>(hash.value)), hit.at, hit.below);
  }
  [[gnu::noinline]] NodeIndex settled_node(KeyHash hash) const noexcept {
    return nodes_.empty() ? no_node : nodes_[settle(hash)];
  }
  /// The owner behind so many tokens of a line.
  NodeIndex node_at(std::size_t line, unsigned below) const noexcept {
    if constexpr (RingIndex<Line>::has_nodes) {
      return index_.line(line).node[below];
    } else {
      const std::size_t entry = index_.first_entry(line) + below;
      return nodes_[entry == nodes_.size() ? 0 : entry];
    }
  }
  Token token(std::size_t i) const noexcept { return {tokens_.empty() ? bounds_[i] : tokens_[i]}; }
  /// index_.spot(scaled(value)) without the shift: (value << s) · lines is value · (lines << s).
  RingSpot spot(Word value) const noexcept {
    if constexpr (sizeof(Word) > sizeof(std::uint64_t))
      return index_.spot(scaled(value));
    else
      return ring_spot(inside(value), factor_);
  }
  /// A position of the space; what no key has is cut down to one.
  Word inside(Word value) const noexcept {
    if constexpr (sizeof(Word) > sizeof(std::uint64_t))
      return value;
    else
      return value & last_;
  }
  void set_factor() noexcept {
    if constexpr (sizeof(Word) > sizeof(std::uint64_t)) return;
    last_ = ~std::uint64_t{0} >> shift_;
    factor_ = index_.line_count() << shift_;
  }
  std::uint64_t scaled(Word value) const noexcept {
    if constexpr (sizeof(Word) > sizeof(std::uint64_t))
      return static_cast<std::uint64_t>(std::min<u128>(value >> shift_, ~std::uint64_t{0}));
    else
      return value << shift_;
  }
  void set_shift(u128 last) noexcept;
  void list_regions();

  static constexpr std::size_t near_bytes = std::size_t{1} << 19;  ///< what a core keeps close anyway

  std::vector<Word> bounds_;
  std::vector<Word> tokens_;  ///< empty where bounds are the tokens
  std::vector<NodeIndex> nodes_;
  std::vector<std::uint32_t> first_entry_;  ///< of each distinct bound; empty where none are equal
  unsigned shift_ = 0;                      ///< between a position and its top 64 bits
  std::uint64_t last_ = 0, factor_ = 0;     ///< of spot()
  RingIndex<Line> index_;
};

template <class Word, class Line>
TokenRing<Word, Line>::TokenRing(RingOrder<Word> points, LookupRule rule, u128 last)
    : nodes_(std::move(points.nodes)) {
  const std::size_t count = nodes_.size();
  if (rule == LookupRule::at_or_after) {
    bounds_ = std::move(points.tokens);
  } else {
    tokens_ = std::move(points.tokens);
    bounds_.resize(count);
    for (std::size_t i = 0; i < count; ++i) bounds_[i] = entry_bound(tokens_, i, rule, last);
    // A bound that wrapped past the top breaks the order in one place only: start there.
    const auto start = std::is_sorted_until(bounds_.begin(), bounds_.end()) - bounds_.begin();
    if (start < std::ssize(bounds_)) {
      std::rotate(bounds_.begin(), bounds_.begin() + start, bounds_.end());
      std::rotate(tokens_.begin(), tokens_.begin() + start, tokens_.end());
      std::rotate(nodes_.begin(), nodes_.begin() + start, nodes_.end());
    }
  }
  set_shift(last);
  index_ = RingIndex<Line>(nodes_, [&](std::size_t i) { return scaled(bounds_[i]); });
  set_factor();
  if (std::adjacent_find(bounds_.begin(), bounds_.end()) != bounds_.end()) list_regions();
}

template <class Word, class Line>
void TokenRing<Word, Line>::list_regions() {
  for (std::size_t i = 0; i < bounds_.size(); ++i)
    if (i == 0 || bounds_[i] != bounds_[i - 1]) first_entry_.push_back(static_cast<std::uint32_t>(i));
}

template <class Word, class Line>
TokenRing<Word, Line>::TokenRing(const TokenRing& before, const RingChange& change) : shift_(before.shift_) {
  const std::size_t count = before.bounds_.size();
  std::vector<std::size_t> lost;
  for (std::size_t i = 0; change.loses && i < count; ++i)
    if (change.now(before.nodes_[i]) == no_node) lost.push_back(i);
  bounds_.reserve(count + change.gained.size() - lost.size());
  nodes_.reserve(bounds_.capacity());

  std::size_t copied = 0;
  const auto copy_upto = [&](std::size_t at) {
    const auto part = [&](const auto& all, std::size_t i) {
      return all.begin() + static_cast<std::ptrdiff_t>(i);
    };
    bounds_.insert(bounds_.end(), part(before.bounds_, copied), part(before.bounds_, at));
    if (change.renumbered.empty())
      nodes_.insert(nodes_.end(), part(before.nodes_, copied), part(before.nodes_, at));
    else
      for (std::size_t i = copied; i < at; ++i) nodes_.push_back(change.renumbered[before.nodes_[i]]);
    copied = at;
  };
  std::vector<RingEdit> edits;
  bool doubles = !before.first_entry_.empty();
  std::size_t next_lost = 0;
  const auto drop_upto = [&](std::size_t at) {
    for (; next_lost < lost.size() && lost[next_lost] < at; ++next_lost) {
      const std::size_t entry = lost[next_lost];
      copy_upto(entry);
      copied = entry + 1;
      edits.push_back({bounds_.size(), scaled(before.bounds_[entry]), false});
    }
  };
  for (const RingPoint& point : change.gained) {
    const auto token = static_cast<Word>(point.token.value);
    std::size_t at = static_cast<std::size_t>(
        std::lower_bound(before.bounds_.begin(), before.bounds_.end(), token) - before.bounds_.begin());
    for (; at < count && before.bounds_[at] == token && !change.precedes(point.node, before.nodes_[at]); ++at)
      doubles = true;
    drop_upto(at);
    copy_upto(at);
    doubles |= (at < count && before.bounds_[at] == token) || (!bounds_.empty() && bounds_.back() == token);
    edits.push_back({bounds_.size(), scaled(token), true});
    bounds_.push_back(token);
    nodes_.push_back(point.node);
  }
  drop_upto(count);
  copy_upto(count);
  const auto bound = [&](std::size_t i) { return scaled(bounds_[i]); };
  index_ = before.index_.suits(bounds_.size())
               ? RingIndex<Line>(before.index_, nodes_, edits, change.renumbered, bound)
               : RingIndex<Line>(nodes_, bound);
  set_factor();
  if (doubles) list_regions();
}

// Positions of a ring as wide as its word are used as they are; the others move up, or down, to 64 bits. The
// last of 0…2^127 has a bit more than all others, which is not to cost them half of the lines: it is cut to
// the last of 64 bits, as its neighbours are.
template <class Word, class Line>
void TokenRing<Word, Line>::set_shift(u128 last) noexcept {
  constexpr bool wide = sizeof(Word) > sizeof(std::uint64_t);
  unsigned bits = 0;
  for (u128 rest = wide && last != 0 ? last - 1 : last; rest != 0; rest >>= 1) ++bits;
  if (wide)
    shift_ = bits < 64 ? 0 : bits - 64;
  else
    shift_ = bits == 0 ? 0 : 64 - bits;
}

// In blocks: where lines are far, those of the next block are on their way while this one is answered.
template <class Word, class Line>
void TokenRing<Word, Line>::first(std::span<const std::uint64_t> hashes,
                                  std::span<NodeIndex> out) const noexcept {
  using Batch = RingBatch<Line>;
  constexpr std::size_t block = Batch::block;
  const auto alone = [&](std::size_t i) noexcept { out[i] = first({hashes[i]}); };
  std::size_t done = 0;
  if constexpr (sizeof(Word) == sizeof(std::uint64_t)) {
    const Batch batch = Batch::best();
    const Line* lines = &index_.line(0);
    const bool far = index_.bytes() > near_bytes;
    std::array<std::array<BatchSpot, block>, 2> spots;
    const auto fetch = [&](std::size_t from, std::array<BatchSpot, block>& to) noexcept {
      batch.spots(&hashes[from], shift_, index_.line_count(), to.data());
      if (far)
        for (const BatchSpot& spot : to) __builtin_prefetch(lines + spot.line);
    };
    if (hashes.size() >= block) fetch(0, spots[0]);
    for (std::size_t turn = 0; done + block <= hashes.size(); done += block, turn ^= 1) {
      if (done + 2 * block <= hashes.size()) fetch(done + block, spots[turn ^ 1]);
      std::uint32_t open = batch.answers(lines, spots[turn].data(), &out[done]);
      if constexpr (!RingIndex<Line>::has_nodes)
        for (std::size_t k = 0; k < block; ++k)
          if (!(open >> k & 1)) out[done + k] = node_at(spots[turn][k].line, out[done + k]);
      for (; open != 0; open &= open - 1) alone(done + static_cast<std::size_t>(__builtin_ctz(open)));
    }
  }
  for (; done < hashes.size(); ++done) alone(done);
}

}  // namespace arcwise
