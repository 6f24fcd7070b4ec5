// A queue whose elements are numbered for ever: the first of it has the number first(), and an element keeps
// its number, and its memory, until it is taken out.
//
// Layer: router. Elements are reused, with what they have allocated, so that in steady state nothing is.
#pragma once

#include <cstdint>
#include <vector>

namespace arcwise::router {

template <class T>
class RingQueue {
 public:
  std::uint64_t first() const noexcept { return first_; }
  std::uint64_t end() const noexcept { return end_; }
  std::size_t size() const noexcept { return static_cast<std::size_t>(end_ - first_); }
  bool empty() const noexcept { return first_ == end_; }
  bool holds(std::uint64_t number) const noexcept { return number - first_ < end_ - first_; }

  T& operator[](std::uint64_t number) noexcept { return all_[number & (all_.size() - 1)]; }
  const T& operator[](std::uint64_t number) const noexcept { return all_[number & (all_.size() - 1)]; }
  T& front() noexcept { return (*this)[first_]; }
  const T& front() const noexcept { return all_[first_ & (all_.size() - 1)]; }
  /// The new last element, as it was left when it was last taken out.
  T& push() {
    if (size() == all_.size()) grow();
    return (*this)[end_++];
  }
  void pop() noexcept { ++first_; }
  std::size_t capacity() const noexcept { return all_.size(); }
  /// Gives its memory back, where it is empty.
  void release() noexcept {
    if (empty()) all_ = {};
  }

 private:
  void grow() {
    std::vector<T> larger(all_.empty() ? 16 : all_.size() * 2);
    for (std::uint64_t i = first_; i != end_; ++i) larger[i & (larger.size() - 1)] = std::move((*this)[i]);
    all_ = std::move(larger);
  }

  std::vector<T> all_;  ///< a power of two
  std::uint64_t first_ = 0, end_ = 0;
};

}  // namespace arcwise::router
