// An array that a lookup reads at random: where it is large, of huge pages if the system has them.
//
// With pages of 4 KiB most of what a lookup in a ring of 256,000 tokens waits for is not its cache line but
// the translation of its address, for 2 MiB need 512 of them.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace arcwise {

/// How much memory an array gets, and how it is aligned.
struct LargeExtent {
  static constexpr std::size_t huge_page = std::size_t{1} << 21;
  /// Fewer gain less than it costs to clear them, which a join that copies a ring would feel.
  static constexpr std::size_t fewest = 2;

  std::size_t bytes;
  std::align_val_t alignment;

  bool huge() const noexcept { return static_cast<std::size_t>(alignment) == huge_page; }
  /// What is left over behind the last huge page gets one of its own where that adds no more than an eighth.
  static constexpr LargeExtent of(std::size_t bytes, std::size_t least_alignment) noexcept {
    const std::size_t whole = (bytes + huge_page - 1) / huge_page * huge_page;
    const std::size_t rounded = whole - bytes <= bytes / 8 ? whole : bytes;
    if (rounded < fewest * huge_page) return {bytes, std::align_val_t{least_alignment}};
    return {rounded, std::align_val_t{huge_page}};
  }
};

template <class T>
struct LargeArrayFree {
  std::align_val_t alignment{alignof(T)};
  void operator()(T* first) const noexcept { ::operator delete[](static_cast<void*>(first), alignment); }
};
template <class T>
using LargeArray = std::unique_ptr<T[], LargeArrayFree<T>>;

/// Not initialised. Throws std::bad_alloc.
template <class T>
LargeArray<T> large_array(std::size_t count) {
  static_assert(std::is_trivially_default_constructible_v<T> && std::is_trivially_destructible_v<T>);
  const LargeExtent extent = LargeExtent::of(count * sizeof(T), alignof(T));
  void* memory = ::operator new[](extent.bytes, extent.alignment);
#if defined(__linux__)
  // Advice: where it cannot be had, pages are small, and nothing else differs.
  if (extent.huge()) madvise(memory, extent.bytes, MADV_HUGEPAGE);
#endif
  return LargeArray<T>(static_cast<T*>(memory), {extent.alignment});
}

}  // namespace arcwise
