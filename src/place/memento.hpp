// MementoHash (Coluzzi and others, 2023): jump, and a memory of the buckets that are out.
#pragma once

#include <cstdint>
#include <vector>

#include "hash/splitmix.hpp"
#include "place/jump.hpp"

namespace arcwise {

class Memento {
 public:
  /// `removed`: the buckets of 0…count-1 that are out, in the order in which they went.
  Memento(std::uint32_t count, const std::vector<std::uint32_t>& removed) : heir_of_(count, in) {
    std::uint32_t working = count;
    for (std::uint32_t b : removed) heir_of_[b] = --working;
  }

  std::uint32_t operator()(std::uint64_t key) const noexcept {
    std::uint32_t bucket = jump(key, static_cast<std::uint32_t>(heir_of_.size()));
    while (heir_of_[bucket] != in) {
      // It went when heir_of_ buckets stayed, numbered as if its own number had been the last one.
      const std::uint32_t stayed = heir_of_[bucket];
      key = mix64(key + 0x9e3779b97f4a7c15u * (bucket + 1));
      auto heir = static_cast<std::uint32_t>((static_cast<unsigned __int128>(key) * stayed) >> 64);
      while (heir_of_[heir] != in && heir_of_[heir] >= stayed) heir = heir_of_[heir];
      bucket = heir;
    }
    return bucket;
  }

 private:
  static constexpr std::uint32_t in = ~std::uint32_t{0};
  /// How many buckets stayed when this one went, which is also the number of the bucket that stands for it.
  std::vector<std::uint32_t> heir_of_;
};

}  // namespace arcwise
