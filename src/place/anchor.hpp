// AnchorHash (Mendelson and others, 2018): buckets that may go and come back in any order, below a capacity
// that is fixed from the start.
#pragma once

#include <cstdint>
#include <vector>

#include "hash/splitmix.hpp"

namespace arcwise {

class Anchor {
 public:
  /// `removed`: the buckets of 0…count-1 that are out, in the order in which they went; those from `count` up
  /// to `capacity` were never in.
  Anchor(std::uint32_t capacity, std::uint32_t count, const std::vector<std::uint32_t>& removed)
      : gone_at_(capacity), at_place_(capacity), place_(capacity), successor_(capacity), working_(capacity) {
    for (std::uint32_t b = 0; b < capacity; ++b) at_place_[b] = place_[b] = successor_[b] = b;
    for (std::uint32_t b = capacity; b-- > count;) remove(b);
    for (std::uint32_t b : removed) remove(b);
  }

  std::uint32_t operator()(std::uint64_t key) const noexcept {
    auto bucket = static_cast<std::uint32_t>(within(mix64(key), gone_at_.size()));
    while (gone_at_[bucket]) {
      // It went when only gone_at_ buckets stayed: one of those takes the key, or whoever took its place.
      key = mix64(key + 0x9e3779b97f4a7c15u * (bucket + 1));
      auto heir = static_cast<std::uint32_t>(within(key, gone_at_[bucket]));
      while (gone_at_[heir] >= gone_at_[bucket]) heir = successor_[heir];
      bucket = heir;
    }
    return bucket;
  }

 private:
  static std::uint64_t within(std::uint64_t hash, std::uint64_t count) noexcept {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(hash) * count) >> 64);
  }
  void remove(std::uint32_t bucket) noexcept {
    gone_at_[bucket] = --working_;
    at_place_[place_[bucket]] = at_place_[working_];
    place_[at_place_[working_]] = place_[bucket];
    successor_[bucket] = at_place_[working_];
  }

  std::vector<std::uint32_t> gone_at_;    ///< how many stayed when it went; 0: it is in
  std::vector<std::uint32_t> at_place_;   ///< the buckets that are in, one a place
  std::vector<std::uint32_t> place_;      ///< of each bucket, in at_place_
  std::vector<std::uint32_t> successor_;  ///< who moved into its place when it went; itself where it is in
  std::uint32_t working_;
};

}  // namespace arcwise
