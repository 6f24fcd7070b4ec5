// The arithmetic of Cassandra's token allocators, kept to the last bit: sizes as doubles, splits as decimals,
// Java's random numbers.
//
// Layer: study. Tokens are signed here, as Murmur3Partitioner has them.
#pragma once

#include <cstdint>
#include <vector>

#include "study/allocate_ring.hpp"

namespace arcwise::cassandra {

using SignedToken = std::int64_t;

constexpr SignedToken to_signed(std::uint64_t at) {
  return static_cast<SignedToken>(at ^ (std::uint64_t{1} << 63));
}
constexpr std::uint64_t to_ring(SignedToken token) {
  return static_cast<std::uint64_t>(token) ^ (std::uint64_t{1} << 63);
}

/// The part of the ring in (from, to]; 1 where they are equal.
double size_of(SignedToken from, SignedToken to);
SignedToken midpoint(SignedToken left, SignedToken right);
/// The token at `ratio` of the way, a number from 0.1 to 0.9, read in its shortest decimal form.
SignedToken split(SignedToken left, SignedToken right, double ratio);

/// What both allocators do on a ring too small for them: cut the largest range again and again, a little past
/// its middle.
std::vector<std::uint64_t> generate_splits(const AllocationRing& ring, const Joiner& joiner);

std::vector<std::uint64_t> replication_aware(const AllocationRing& ring, const Joiner& joiner);
std::vector<std::uint64_t> no_replication(const AllocationRing& ring, const Joiner& joiner);

/// java.util.PriorityQueue of the largest: equal values leave it in the order that Java's does.
template <class T>
class JavaQueue {
 public:
  struct Weighted {
    double weight;
    T value;
  };
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  const Weighted& top() const { return heap_.front(); }
  void push(Weighted item) {
    std::size_t at = heap_.size();
    heap_.push_back(item);
    while (at > 0) {
      const std::size_t parent = (at - 1) / 2;
      if (item.weight <= heap_[parent].weight) break;
      heap_[at] = heap_[parent];
      at = parent;
    }
    heap_[at] = item;
  }
  Weighted pop() {
    const Weighted best = heap_.front(), last = heap_.back();
    heap_.pop_back();
    const std::size_t count = heap_.size();
    if (count == 0) return best;
    std::size_t at = 0;
    while (2 * at + 1 < count) {
      std::size_t child = 2 * at + 1;
      if (child + 1 < count && heap_[child + 1].weight > heap_[child].weight) ++child;
      if (last.weight >= heap_[child].weight) break;
      heap_[at] = heap_[child];
      at = child;
    }
    heap_[at] = last;
    return best;
  }

 private:
  std::vector<Weighted> heap_;
};

}  // namespace arcwise::cassandra
