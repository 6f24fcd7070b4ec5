// The token ring: sorted points, the first one at or after a hash, and the walk clockwise from there.
//
// Modulo is the same ring over slots 0…n-1, one point a slot, so its later candidates are the next slots.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "arcwise/placement.hpp"
#include "place/points.hpp"

namespace arcwise {

template <class Word>
class TokenRing {
 public:
  explicit TokenRing(const std::vector<RingPoint>& points) {
    tokens_.reserve(points.size());
    nodes_.reserve(points.size());
    bool collided = false;
    for (const RingPoint& p : points) {
      const Word token = static_cast<Word>(p.token.value);
      collided |= !tokens_.empty() && tokens_.back() == token;
      tokens_.push_back(token);
      nodes_.push_back(p.node);
    }
    if (!collided) return;
    for (std::size_t i = 0; i < tokens_.size(); ++i)
      if (i == 0 || tokens_[i] != tokens_[i - 1]) first_entry_.push_back(static_cast<std::uint32_t>(i));
  }

  /// Index of the first entry at or after the hash; 0 past the last one.
  std::size_t locate(KeyHash hash) const noexcept {
    const auto at = std::lower_bound(tokens_.begin(), tokens_.end(), static_cast<Word>(hash.value));
    return at == tokens_.end() ? 0 : static_cast<std::size_t>(at - tokens_.begin());
  }

  /// Candidates clockwise from an entry; one full turn.
  template <class Visit>
  void candidates(std::size_t from, Visit&& visit) const noexcept(noexcept(visit(Token{}, NodeIndex{}))) {
    for (std::size_t i = from; i < nodes_.size(); ++i)
      if (!visit(Token{tokens_[i]}, nodes_[i])) return;
    for (std::size_t i = 0; i < from; ++i)
      if (!visit(Token{tokens_[i]}, nodes_[i])) return;
  }

  NodeIndex first(std::size_t at) const noexcept { return nodes_[at]; }

  std::size_t entry_count() const noexcept { return tokens_.size(); }
  Placement::Entry entry(std::size_t i) const noexcept { return {Token{tokens_[i]}, nodes_[i]}; }

  std::size_t region_count() const noexcept {
    return first_entry_.empty() ? tokens_.size() : first_entry_.size();
  }
  Region region(std::size_t i) const noexcept {
    const std::size_t before = i == 0 ? region_count() - 1 : i - 1;
    return {Token{tokens_[region_entry(before)]}, Token{tokens_[region_entry(i)]}};
  }
  std::size_t region_entry(std::size_t i) const noexcept {
    return first_entry_.empty() ? i : first_entry_[i];
  }
  std::size_t region_at(KeyHash hash) const noexcept {
    const std::size_t entry = locate(hash);
    if (first_entry_.empty()) return entry;
    return static_cast<std::size_t>(std::upper_bound(first_entry_.begin(), first_entry_.end(), entry) -
                                    first_entry_.begin()) -
           1;
  }

 private:
  std::vector<Word> tokens_;
  std::vector<NodeIndex> nodes_;
  std::vector<std::uint32_t> first_entry_;  ///< of each distinct token; empty where no tokens collide
};

}  // namespace arcwise
