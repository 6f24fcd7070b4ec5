// Keys such as applications use, from a seed: what a study asks about where hash space cannot be listed.
//
// Layer: study. The same seed gives the same keys on every machine. Cost: about 50 ns a key, no allocation.
#pragma once

#include <cstdint>
#include <string_view>

#include "study/rng.hpp"

namespace arcwise {

class SampleKeys {
 public:
  explicit SampleKeys(std::uint64_t seed) : rng_(seed) {}

  /// "user:48211973:profile", "session:9f3c04d1b2a87e56", "cart/7734120". The view lives until the next call.
  std::string_view next() {
    const std::uint64_t id = rng_.next();
    size_ = 0;
    switch (id & 3) {
      case 0:
        put("user:"), put_number(id >> 2, 10), put(":profile");
        break;
      case 1:
        put("session:"), put_number(id, 16);
        break;
      case 2:
        put("cart/"), put_number(id >> 2, 10);
        break;
      default:
        put("item:"), put_number(id >> 40, 10), put(":"), put_number(id >> 2 & 0xffffffff, 16);
        break;
    }
    return {text_, size_};
  }

 private:
  void put(std::string_view piece) {
    for (char c : piece) text_[size_++] = c;
  }
  void put_number(std::uint64_t value, unsigned base) {
    char digits[20];
    std::size_t n = 0;
    do digits[n++] = "0123456789abcdef"[value % base];
    while (value /= base);
    while (n > 0) text_[size_++] = digits[--n];
  }

  Rng rng_;
  char text_[64];
  std::size_t size_ = 0;
};

}  // namespace arcwise
