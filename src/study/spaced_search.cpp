#include "study/spaced_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "study/rng.hpp"

namespace arcwise {
namespace {

constexpr std::uint64_t rounds = 6, steps_a_partition = 6000, most_steps = 1'500'000;
// In moves: what a pair that is too close costs, and a partition above or below the even number.
constexpr std::int64_t close_price = 4, uneven_price = 3;

class Ring {
 public:
  Ring(const std::vector<NodeIndex>& previous, std::uint32_t nodes, std::uint32_t spacing)
      : previous_(previous),
        size_(previous.size()),
        nodes_(nodes),
        reach_(std::min<std::size_t>(spacing, previous.size()) - 1),
        low_(size_ / nodes),
        high_((size_ + nodes - 1) / nodes) {}

  // What is gone is dealt to whoever has least, so that the search starts with an owner everywhere.
  void start() {
    owner_ = previous_;
    held_.assign(nodes_, 0);
    for (NodeIndex n : owner_)
      if (n < nodes_) ++held_[n];
    for (NodeIndex& n : owner_) {
      if (n < nodes_) continue;
      n = static_cast<NodeIndex>(std::min_element(held_.begin(), held_.end()) - held_.begin());
      ++held_[n];
    }
  }

  std::size_t size() const { return size_; }
  NodeIndex at(std::size_t p) const { return owner_[p]; }
  NodeIndex home(std::size_t p) const { return previous_[p]; }
  const std::vector<NodeIndex>& owners() const { return owner_; }

  // Partitions within reach of p, on either side, that n has.
  std::int64_t near(std::size_t p, NodeIndex n) const {
    std::int64_t out = 0;
    for (std::size_t d = 1; d <= reach_; ++d) {
      out += owner_[p + d < size_ ? p + d : p + d - size_] == n;
      out += owner_[p >= d ? p - d : p + size_ - d] == n;
    }
    return out;
  }
  std::int64_t uneven(std::size_t held) const {
    return static_cast<std::int64_t>(held < low_ ? low_ - held : held > high_ ? held - high_ : 0);
  }
  // What the whole costs more when n gets p.
  std::int64_t price(std::size_t p, NodeIndex n) const {
    const NodeIndex from = owner_[p];
    const std::int64_t close = near(p, n) - near(p, from);
    const std::int64_t even =
        uneven(held_[n] + 1) - uneven(held_[n]) + uneven(held_[from] - 1) - uneven(held_[from]);
    return close_price * close + uneven_price * even + (n != previous_[p]) - (from != previous_[p]);
  }
  void give(std::size_t p, NodeIndex n) {
    --held_[owner_[p]];
    ++held_[n];
    owner_[p] = n;
  }

  std::uint64_t close() const {
    std::uint64_t out = 0;
    for (std::size_t p = 0; p < size_; ++p)
      for (std::size_t d = 1; d <= reach_; ++d) out += owner_[p] == owner_[(p + d) % size_];
    return out;
  }
  std::uint64_t moved() const {
    std::uint64_t out = 0;
    for (std::size_t p = 0; p < size_; ++p) out += owner_[p] != previous_[p];
    return out;
  }
  bool even() const {
    return std::all_of(held_.begin(), held_.end(), [&](std::size_t held) { return uneven(held) == 0; });
  }

  // Every node keeps at most the higher even number, and as many nodes that number as the rest makes. And of
  // neighbours too close to each other one has to go, from pairs that do not overlap.
  std::uint64_t least() const {
    std::vector<std::size_t> held(nodes_, 0);
    std::uint64_t stay = 0;
    for (NodeIndex n : previous_)
      if (n < nodes_) ++held[n];
    std::size_t rest = size_ - low_ * nodes_;
    for (std::size_t h : held) stay += std::min(h, low_);
    for (std::size_t h : held)
      if (h > low_ && rest > 0) ++stay, --rest;
    std::uint64_t pairs = 0;
    std::vector<char> used(size_, 0);
    for (std::size_t p = 0; p < size_; ++p)
      for (std::size_t d = 1; d <= reach_ && !used[p]; ++d) {
        const std::size_t q = p + d;
        if (q >= size_ || used[q] || previous_[p] != previous_[q] || previous_[p] >= nodes_) continue;
        used[p] = used[q] = 1;
        ++pairs;
      }
    return std::max<std::uint64_t>(size_ - stay, pairs);
  }

 private:
  const std::vector<NodeIndex>& previous_;
  std::size_t size_, nodes_, reach_, low_, high_;
  std::vector<NodeIndex> owner_;
  std::vector<std::size_t> held_;
};

struct Best {
  std::vector<NodeIndex> owners;
  std::uint64_t close = std::numeric_limits<std::uint64_t>::max(), moved = 0;
  bool even = false;

  void offer(const Ring& ring) {
    const bool is_even = ring.even();
    if (even && !is_even) return;
    const std::uint64_t is_close = ring.close(), has_moved = ring.moved();
    if (is_even == even && (is_close > close || (is_close == close && has_moved >= moved))) return;
    *this = {ring.owners(), is_close, has_moved, is_even};
  }
};

// One partition gets another owner, its own from before in one of three tries, or two exchange theirs.
void anneal(Ring& ring, std::uint32_t nodes, Rng& rng, std::uint64_t steps, std::uint64_t bound, Best& best) {
  std::int64_t cost = 0, least = 0;  // beside the start
  const auto accepted = [&](std::int64_t more, double heat) {
    return more <= 0 || rng.unit() < std::exp(-static_cast<double>(more) / heat);
  };
  for (std::uint64_t step = 0; step < steps; ++step) {
    const double heat = 1.2 * std::pow(0.1, 1.5 * static_cast<double>(step) / static_cast<double>(steps));
    const auto p = static_cast<std::size_t>(rng.below(ring.size()));
    const NodeIndex from = ring.at(p);
    const std::uint64_t kind = rng.below(3);
    NodeIndex to = kind == 0 ? ring.home(p) : static_cast<NodeIndex>(rng.below(nodes));
    const auto q = static_cast<std::size_t>(rng.below(ring.size()));
    if (kind == 2) to = ring.at(q);
    if (to >= nodes || to == from) continue;
    std::int64_t more = ring.price(p, to);
    ring.give(p, to);
    if (kind == 2) {
      more += ring.price(q, from);
      ring.give(q, from);
    }
    if (accepted(more, heat)) {
      cost += more;
      if (cost < least || best.owners.empty()) {
        least = cost;
        best.offer(ring);
        if (best.even && best.close == 0 && best.moved <= bound) return;
      }
      continue;
    }
    if (kind == 2) ring.give(q, to);
    ring.give(p, from);
  }
  best.offer(ring);
}

}  // namespace

SpacedAssignment search_spaced(const std::vector<NodeIndex>& previous, std::uint32_t nodes,
                               std::uint32_t spacing) {
  Ring ring(previous, nodes, spacing);
  Best best;
  ring.start();
  best.offer(ring);
  const std::uint64_t bound = ring.least();
  const std::uint64_t steps = std::min<std::uint64_t>(most_steps, steps_a_partition * previous.size());
  for (std::uint64_t round = 0; round < rounds; ++round) {
    if (best.even && best.close == 0 && best.moved <= bound) break;
    Rng rng(round + 1);
    ring.start();
    anneal(ring, nodes, rng, steps, bound, best);
  }
  return {best.owners, best.moved, bound, best.close};
}

}  // namespace arcwise
