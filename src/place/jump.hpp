// Jump consistent hash (Lamping and Veach, 2014): a bucket in 0…count-1 without any memory.
#pragma once

#include <cstdint>

namespace arcwise {

/// Goes from bucket to bucket at which the key would have jumped as `count` grew; `step` is told each: about
/// ln(count) of them, H_count on average.
template <class Step>
std::uint32_t jump_steps(std::uint64_t key, std::uint32_t count, Step&& step) noexcept {
  std::int64_t bucket = 0, next = 0;
  while (next < count) {
    bucket = next;
    step(bucket);
    key = key * 2862933555777941757u + 1;
    next = static_cast<std::int64_t>(static_cast<double>(bucket + 1) *
                                     (2147483648.0 / static_cast<double>((key >> 33) + 1)));
  }
  return static_cast<std::uint32_t>(bucket);
}

/// Of 0 buckets: 0.
inline std::uint32_t jump(std::uint64_t key, std::uint32_t count) noexcept {
  return jump_steps(key, count, [](std::int64_t) {});
}

}  // namespace arcwise
