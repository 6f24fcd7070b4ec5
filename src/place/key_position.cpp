#include "place/key_position.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "hash/key_hash_function.hpp"
#include "hash/xxh_inline.hpp"
#include "model/build.hpp"
#include "place/rendezvous.hpp"
#include "place/salted_key.hpp"

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

std::string_view mcrouter_routing_key(std::string_view key) noexcept {
  if (key.starts_with('/')) {
    const std::size_t second = key.find('/', 1);
    const std::size_t third = second == key.npos ? key.npos : key.find('/', second + 1);
    if (third != key.npos) key.remove_prefix(third + 1);
  }
  return key.substr(0, key.find("|#|"));
}

KeyPosition::KeyPosition(const ClusterMap& map)
    : hash_(map.placement().hash),
      sign_(byte_sign(map.placement())),
      empty_is_zero_(map.placement().recipe->empty_key_is_zero),
      prefix_(map.placement().text("prefix")),
      suffix_(map.placement().text("salt")),
      as_repr_(map.placement().text("key_type") == "bytes") {
  const PlacementSettings& placement = map.placement();
  if (placement.recipe->key_prep == KeyPrep::redis_tag) {
    cut_ = Cut::tag;
    open_ = '{';
    close_ = '}';
  } else if (placement.recipe->key_prep == KeyPrep::routing_prefix) {
    cut_ = Cut::routing_prefix;
  } else if (placement.recipe->key_prep == KeyPrep::balance) {
    cut_ = Cut::balance;
    balance_ = HaproxyKey(placement);
  } else if (placement.hash_tag.size() == 2) {
    cut_ = Cut::tag;
    open_ = placement.hash_tag[0];
    close_ = placement.hash_tag[1];
  }
  if (placement.slots || placement.recipe->slots != SlotCount::none)
    slots_ = Remainder(static_cast<std::uint64_t>(map.space().last) + 1);
  else if (placement.recipe->ring_bits && placement.recipe->ring_bits < info(hash_).bits)
    mask_ = map.space().last;
  if (const KeyRuleInfo* rule = find_key_rule(placement.recipe->key_rule)) {
    slots_ = {};
    rule_ = {rule->make(map), std::string(rule->name)};
    for (std::string_view names = rule->settings; !names.empty();)
      rule_.says.append(1, '\n').append(placement.text(next_word(names)));
  }
  set_way(fastest());
}

std::string_view KeyPosition::routing_key(std::string_view key) const noexcept {
  switch (cut_) {
    case Cut::nothing:
      return key;
    case Cut::tag:
      return tagged_part(key, open_, close_);
    case Cut::routing_prefix:
      return mcrouter_routing_key(key);
    case Cut::balance:
      return balance_.value(key);
  }
  return key;
}

bool KeyPosition::hashes_key_alone() const noexcept {
  return !rule_.what && cut_ != Cut::balance && prefix_.empty() && suffix_.empty();
}

u128 KeyPosition::hash(std::string_view routing_key) const noexcept {
  if (empty_is_zero_ && routing_key.empty()) return 0;
  if (cut_ == Cut::balance) return balance_.hash(routing_key);
  if (prefix_.empty() && suffix_.empty()) return wide_key_hash(hash_, routing_key, sign_);
  if (!suffix_.empty()) {
    const SaltedKey salted(routing_key, suffix_);
    return wide_key_hash(hash_, salted.view(), sign_);
  }
  const std::size_t size = prefix_.size() + routing_key.size();
  if (size > longest_key) return 0;
  std::array<char, longest_key> whole;
  std::memcpy(whole.data(), prefix_.data(), prefix_.size());
  if (!routing_key.empty())
    std::memcpy(whole.data() + prefix_.size(), routing_key.data(), routing_key.size());
  return wide_key_hash(hash_, {whole.data(), size}, sign_);
}

std::string KeyPosition::hashed(std::string_view key) const {
  if (rule_.what) return rule_.what->hashed(routing_key(key));
  if (as_repr_) return python_repr(routing_key(key));
  return prefix_ + std::string(routing_key(key)) + suffix_;
}

KeyPosition::Way KeyPosition::fastest() const noexcept {
  if (cut_ != Cut::nothing || !hashes_key_alone() || empty_is_zero_ || info(hash_).bits > 64)
    return Way::prepared;
  if (hash_ != KeyHashId::xxh3 || mask_ != ~u128{0}) return Way::plain;
  return slots_.divisor() ? Way::xxh3_slot : Way::xxh3;
}

void KeyPosition::set_way(Way way) noexcept {
  static constexpr std::array<Of, 4> ways{prepared, plain, xxh3, xxh3_slot};
  way_ = way;
  of_ = ways[static_cast<std::size_t>(way)];
}

[[gnu::flatten]] KeyHash KeyPosition::xxh3(const KeyPosition&, std::string_view key) noexcept {
  return {xxh3_of_key(key)};
}

[[gnu::flatten]] KeyHash KeyPosition::xxh3_slot(const KeyPosition& self, std::string_view key) noexcept {
  return {self.slots_(xxh3_of_key(key))};
}

KeyHash KeyPosition::plain(const KeyPosition& self, std::string_view key) noexcept {
  return {self.reduced(key_hash(self.hash_, key, self.sign_))};
}

KeyHash KeyPosition::prepared(const KeyPosition& self, std::string_view key) noexcept {
  const std::string_view part = self.routing_key(key);
  if (self.rule_.what) return {self.rule_.what->position(part)};
  const u128 value = self.hash(part);
  const std::uint64_t slots = self.slots_.divisor();
  if (slots == 0) return {value & self.mask_};
  return {value >> 64 == 0 ? self.slots_(static_cast<std::uint64_t>(value)) : value % slots};
}

void KeyPosition::of(std::span<const std::string_view> keys, std::span<std::uint64_t> out) const noexcept {
  // A remainder is one of all bits of a hash.
  if (!hashes_key_alone() || (slots_.divisor() && info(hash_).bits > 64)) {
    for (std::size_t i = 0; i < keys.size(); ++i) out[i] = static_cast<std::uint64_t>(of(keys[i]).value);
    return;
  }
  constexpr std::size_t most = 64;
  std::array<std::string_view, most> parts;
  for (std::size_t from = 0; from < keys.size(); from += most) {
    auto part = keys.subspan(from, std::min(most, keys.size() - from));
    const auto positions = out.subspan(from, part.size());
    if (cut_ != Cut::nothing) {
      for (std::size_t i = 0; i < part.size(); ++i) parts[i] = routing_key(part[i]);
      part = std::span(parts).first(part.size());
    }
    key_hash_each(hash_, part, sign_, positions);
    if (slots_.divisor() || mask_ != ~u128{0})
      for (std::uint64_t& position : positions) position = reduced(position);
    if (empty_is_zero_)
      for (std::size_t i = 0; i < part.size(); ++i)
        if (part[i].empty()) positions[i] = 0;
  }
}

}  // namespace arcwise
