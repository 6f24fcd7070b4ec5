#include "place/key_position.hpp"

#include <array>
#include <cstring>

namespace arcwise {
namespace {

// libmemcached hashes a namespace prefix and the key as one text; what would not fit its longest key is 0.
constexpr std::size_t longest_key = 250;

}  // namespace

std::string_view tagged_part(std::string_view key, char open, char close) noexcept {
  const std::size_t start = key.find(open);
  if (start == std::string_view::npos) return key;
  const std::size_t end = key.find(close, start + 1);
  if (end == std::string_view::npos || end == start + 1) return key;
  return key.substr(start + 1, end - start - 1);
}

ByteSign byte_sign(const PlacementSettings& placement) {
  return placement.text("byte_sign") == "unsigned" ? ByteSign::as_unsigned : ByteSign::as_signed;
}

KeyPosition::KeyPosition(const ClusterMap& map)
    : hash_(map.placement().hash),
      sign_(byte_sign(map.placement())),
      empty_is_zero_(map.placement().recipe->empty_key_is_zero),
      prefix_(map.placement().text("prefix")) {
  const PlacementSettings& placement = map.placement();
  if (placement.recipe->key_prep == KeyPrep::redis_tag) {
    tagged_ = true;
    open_ = '{';
    close_ = '}';
  } else if (placement.hash_tag.size() == 2) {
    tagged_ = true;
    open_ = placement.hash_tag[0];
    close_ = placement.hash_tag[1];
  }
  if (placement.slots || placement.recipe->slots != SlotCount::none)
    slots_ = static_cast<std::uint64_t>(map.space().last) + 1;
  else if (placement.recipe->ring_bits && placement.recipe->ring_bits < info(hash_).bits)
    mask_ = map.space().last;
}

std::string_view KeyPosition::routing_key(std::string_view key) const noexcept {
  return tagged_ ? tagged_part(key, open_, close_) : key;
}

u128 KeyPosition::hash(std::string_view routing_key) const noexcept {
  if (empty_is_zero_ && routing_key.empty()) return 0;
  if (prefix_.empty()) return wide_key_hash(hash_, routing_key, sign_);
  const std::size_t size = prefix_.size() + routing_key.size();
  if (size > longest_key) return 0;
  std::array<char, longest_key> whole;
  std::memcpy(whole.data(), prefix_.data(), prefix_.size());
  if (!routing_key.empty())
    std::memcpy(whole.data() + prefix_.size(), routing_key.data(), routing_key.size());
  return wide_key_hash(hash_, {whole.data(), size}, sign_);
}

KeyHash KeyPosition::of(std::string_view key) const noexcept {
  const u128 value = hash(routing_key(key));
  return {slots_ ? value % slots_ : value & mask_};
}

}  // namespace arcwise
