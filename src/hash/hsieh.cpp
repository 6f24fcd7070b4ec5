#include "hash/hsieh.hpp"

#include "hash/bytes.hpp"

namespace arcwise {
namespace {

std::uint32_t pair(const char* from) noexcept {
  return static_cast<std::uint8_t>(from[0]) | std::uint32_t{static_cast<std::uint8_t>(from[1])} << 8;
}

std::uint32_t with_tail(std::uint32_t hash, std::string_view tail, ByteSign sign) noexcept {
  switch (tail.size()) {
    case 3:
      hash += pair(tail.data());
      hash ^= hash << 16;
      hash ^= bytes::widened(tail[2], sign) << 18;
      return hash + (hash >> 11);
    case 2:
      hash += pair(tail.data());
      hash ^= hash << 11;
      return hash + (hash >> 17);
    case 1:
      hash += static_cast<std::uint8_t>(tail[0]);
      hash ^= hash << 10;
      return hash + (hash >> 1);
    default:
      return hash;
  }
}

}  // namespace

std::uint32_t hsieh(std::string_view input, ByteSign sign) noexcept {
  std::uint32_t hash = 0;
  for (; input.size() >= 4; input.remove_prefix(4)) {
    hash += pair(input.data());
    hash = (hash << 16) ^ (pair(input.data() + 2) << 11) ^ hash;
    hash += hash >> 11;
  }
  hash = with_tail(hash, input, sign);
  hash ^= hash << 3;
  hash += hash >> 5;
  hash ^= hash << 4;
  hash += hash >> 17;
  hash ^= hash << 25;
  return hash + (hash >> 6);
}

}  // namespace arcwise
