// A key with a short text behind it, on the stack.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

namespace arcwise {

/// mcrouter takes keys of at most 255 bytes; of a key that does not fit here, the beginning is hashed.
class SaltedKey {
 public:
  SaltedKey(std::string_view key, std::string_view salt) noexcept {
    put(key.substr(0, room - std::min(room, salt.size())));
    put(salt);
  }
  std::string_view view() const noexcept { return {text_.data(), size_}; }

 private:
  static constexpr std::size_t room = 1024;

  void put(std::string_view piece) noexcept {
    const std::size_t fits = std::min(piece.size(), room - size_);
    if (fits > 0) std::memcpy(text_.data() + size_, piece.data(), fits);
    size_ += fits;
  }

  std::array<char, room> text_;
  std::size_t size_ = 0;
};

}  // namespace arcwise
