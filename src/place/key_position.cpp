#include "place/key_position.hpp"

namespace arcwise {

std::string_view tagged_part(std::string_view key, char open, char close) noexcept {
  const std::size_t start = key.find(open);
  if (start == std::string_view::npos) return key;
  const std::size_t end = key.find(close, start + 1);
  if (end == std::string_view::npos || end == start + 1) return key;
  return key.substr(start + 1, end - start - 1);
}

KeyPosition::KeyPosition(const ClusterMap& map) : hash_(map.placement().hash) {
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
}

std::string_view KeyPosition::routing_key(std::string_view key) const noexcept {
  return tagged_ ? tagged_part(key, open_, close_) : key;
}

KeyHash KeyPosition::of(std::string_view key) const noexcept {
  const std::uint64_t hash = key_hash(hash_, routing_key(key));
  return {slots_ ? hash % slots_ : hash};
}

}  // namespace arcwise
