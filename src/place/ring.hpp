// The token ring: sorted points, the one that answers for a hash, and the walk clockwise from there.
//
// Every lookup rule becomes the same search. An entry answers for the hashes up to its *bound*: with the
// usual rule the bound is its token; the other rules shift it once, here, and lookups stay one
// std::lower_bound.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "arcwise/placement.hpp"
#include "place/methods.hpp"

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

template <class Word>
class TokenRing {
 public:
  TokenRing(const std::vector<RingPoint>& points, LookupRule rule, u128 last) {
    std::vector<Word> bounds;
    for (std::size_t i = 0; i < points.size(); ++i)
      bounds.push_back(static_cast<Word>(entry_bound(points, i, rule, last)));
    // A bound that wrapped past the top breaks the order in one place only: start there.
    std::size_t start = 0;
    for (std::size_t i = 1; i < bounds.size(); ++i)
      if (bounds[i] < bounds[i - 1]) start = i;
    for (std::size_t k = 0; k < points.size(); ++k) {
      const std::size_t i = (start + k) % points.size();
      bounds_.push_back(bounds[i]);
      nodes_.push_back(points[i].node);
      if (rule != LookupRule::at_or_after) tokens_.push_back(static_cast<Word>(points[i].token.value));
    }
    if (std::adjacent_find(bounds_.begin(), bounds_.end()) == bounds_.end()) return;
    for (std::size_t i = 0; i < bounds_.size(); ++i)
      if (i == 0 || bounds_[i] != bounds_[i - 1]) first_entry_.push_back(static_cast<std::uint32_t>(i));
  }

  std::size_t locate(const Query& query) const noexcept { return locate(query.hash); }
  std::size_t locate(KeyHash hash) const noexcept {
    const auto at = std::lower_bound(bounds_.begin(), bounds_.end(), static_cast<Word>(hash.value));
    return at == bounds_.end() ? 0 : static_cast<std::size_t>(at - bounds_.begin());
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

  NodeIndex first(KeyHash hash) const noexcept { return nodes_.empty() ? no_node : nodes_[locate(hash)]; }

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
  Token token(std::size_t i) const noexcept { return {tokens_.empty() ? bounds_[i] : tokens_[i]}; }

  std::vector<Word> bounds_;
  std::vector<Word> tokens_;  ///< empty where bounds are the tokens
  std::vector<NodeIndex> nodes_;
  std::vector<std::uint32_t> first_entry_;  ///< of each distinct bound; empty where none are equal
};

}  // namespace arcwise
