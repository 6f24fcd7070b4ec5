// Bytes that come in at one end and go out at the other: what a connection has read and not yet understood,
// or has to say and not yet sent.
//
// Layer: router. Memory grows by doubling and is kept, up to a limit, for the next bytes: in steady state
// nothing is allocated.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

namespace arcwise::router {

class Buffer {
 public:
  static constexpr std::size_t kept = std::size_t{64} << 10;  ///< capacity that an empty buffer may keep

  std::string_view view() const noexcept { return {data_.get() + head_, tail_ - head_}; }
  std::size_t size() const noexcept { return tail_ - head_; }
  std::uint64_t consumed() const noexcept { return consumed_; }  ///< bytes, since it exists
  bool empty() const noexcept { return tail_ == head_; }

  void append(std::string_view bytes) {
    if (bytes.empty()) return;
    std::memcpy(space(bytes.size()), bytes.data(), bytes.size());
    tail_ += bytes.size();
  }
  template <class... More>
  void append(std::string_view first, More... more) {
    append(first);
    (append(std::string_view(more)), ...);
  }
  /// Room for `size` more bytes, to be written and then committed.
  char* space(std::size_t size) {
    if (capacity_ - tail_ < size) make_room(size);
    return data_.get() + tail_;
  }
  void commit(std::size_t size) noexcept { tail_ += size; }

  /// Forgets the first bytes. Views of the others stay valid until bytes are added.
  void consume(std::size_t size) noexcept {
    head_ += size;
    consumed_ += size;
    if (head_ == tail_) clear();
  }
  /// Forgets the last bytes: `size` stay.
  void truncate(std::size_t size) noexcept {
    tail_ = head_ + size;
    if (size == 0) clear();
  }
  void clear() noexcept {
    head_ = tail_ = 0;
    if (capacity_ > kept) release();
  }
  std::size_t capacity() const noexcept { return capacity_; }
  /// Gives its memory back, where it is empty.
  void release() noexcept {
    if (!empty()) return;
    data_.reset();
    head_ = tail_ = capacity_ = 0;
  }

 private:
  void make_room(std::size_t size) {
    const std::size_t used = tail_ - head_;
    if (capacity_ - used >= size && head_ >= capacity_ / 2) {
      std::memmove(data_.get(), data_.get() + head_, used);
    } else {
      std::size_t capacity = std::max<std::size_t>(capacity_, 2048);
      while (capacity - used < size) capacity *= 2;
      auto data = std::make_unique_for_overwrite<char[]>(capacity);
      if (used) std::memcpy(data.get(), data_.get() + head_, used);
      data_ = std::move(data);
      capacity_ = capacity;
    }
    head_ = 0;
    tail_ = used;
  }

  std::unique_ptr<char[]> data_;
  std::size_t head_ = 0, tail_ = 0, capacity_ = 0;
  std::uint64_t consumed_ = 0;
};

}  // namespace arcwise::router
