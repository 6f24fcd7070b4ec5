// Numbered partitions whose copies the system itself lists or computes: Riak, Swift, Ceph.
//
// Of a partition's candidates the first few are its *own*: where its copies belong while every node is up.
// The others stand in for own ones that are masked (Riak's fallbacks, Swift's handoffs). So a partition has
// at most as many owners as it has own candidates, however many nodes there are.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <span>

#include "place/methods.hpp"
#include "place/slot_of.hpp"

namespace arcwise {

class Partitions {
 public:
  Partitions(std::size_t count, std::unique_ptr<const Partitioner> partitioner)
      : count_(count), partitioner_(std::move(partitioner)) {}

  std::size_t locate(const Query& query) const noexcept { return region_at(query.hash); }

  /// The own candidates of a partition, distinct.
  std::size_t own(std::size_t partition, std::span<NodeIndex> out) const noexcept {
    return partitioner_->own(partition, out);
  }
  template <class Visit>
  void substitutes(std::size_t partition, std::span<const NodeIndex> own, Visit&& visit) const {
    auto plain = [&](NodeIndex n) { return visit(Token{partition}, n); };
    partitioner_->substitutes(partition, own, CandidateVisit(plain));
  }

  NodeIndex first(KeyHash hash) const noexcept { return entry(region_at(hash)).node; }

  std::size_t entry_count() const noexcept { return count_; }
  Placement::Entry entry(std::size_t i) const noexcept {
    std::array<NodeIndex, 1> first{no_node};
    partitioner_->own(i, first);
    return {Token{i}, first[0]};
  }
  std::size_t region_count() const noexcept { return count_; }
  Region region(std::size_t i) const noexcept { return {Token{i == 0 ? count_ - 1 : i - 1}, Token{i}}; }
  std::size_t region_entry(std::size_t i) const noexcept { return i; }
  std::size_t region_at(KeyHash hash) const noexcept { return slot_of(hash, count_); }

 private:
  std::size_t count_;
  std::unique_ptr<const Partitioner> partitioner_;
};

/// Adds a node to a list of distinct ones, if there is room and it is new.
inline void add_distinct(std::span<NodeIndex> out, std::size_t& size, NodeIndex node) noexcept {
  const auto end = out.begin() + static_cast<std::ptrdiff_t>(size);
  if (size < out.size() && std::find(out.begin(), end, node) == end) out[size++] = node;
}

}  // namespace arcwise
