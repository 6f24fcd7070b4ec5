// Writes, counted by hashes of their keys: what a read may share depends on them.
//
// Layer: router. Lock-free; one object for all loops that serve a pool.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

namespace arcwise::router {

/// Keys of one mark are counted together.
using KeyMark = std::uint16_t;
inline constexpr KeyMark no_mark = 0xffff;    ///< nothing is counted
inline constexpr KeyMark all_marks = 0xfffe;  ///< several keys, or nobody knows which

class WriteMarks {
 public:
  static KeyMark of(std::string_view key) noexcept;
  void wrote(KeyMark mark) noexcept {
    if (mark == no_mark) return;
    (mark == all_marks ? all_ : counts_[mark]).fetch_add(1);
  }
  /// Rises with each write of this mark, or of all. Not of all_marks.
  std::uint64_t seen(KeyMark mark) const noexcept { return counts_[mark].load() + all_.load(); }

 private:
  static constexpr std::size_t size = 4096;
  std::array<std::atomic<std::uint64_t>, size> counts_{};
  std::atomic<std::uint64_t> all_{0};
};

}  // namespace arcwise::router
