// From a key's bytes to its position: key preparation, key hash, reduction to the token space.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "arcwise/map.hpp"
#include "hash/remainder.hpp"
#include "place/haproxy_key.hpp"
#include "place/key_rules.hpp"

namespace arcwise {

/// The part of the key between the first `open` and the first `close` after it, if there is any; else the
/// whole key. "user:{123}:cart" with { } gives "123"; "{}{abc}" and "foo{bar" give themselves.
std::string_view tagged_part(std::string_view key, char open, char close) noexcept;

/// mcrouter's routing key: "/region/cluster/user:1|#|tail" gives "user:1". A prefix is a slash and all to the
/// third one, so "/a/b/c" gives "c" and "/images/0.png" itself.
std::string_view mcrouter_routing_key(std::string_view key) noexcept;

/// How this map's system reads bytes of 0x80 and more: the setting `byte_sign` of recipes that have one.
ByteSign byte_sign(const PlacementSettings& placement);

class KeyPosition {
 public:
  explicit KeyPosition(const ClusterMap& map);
  /// The bytes of the key that are hashed, without the setting `prefix` before and `salt` behind them.
  std::string_view routing_key(std::string_view key) const noexcept;
  KeyHash of(std::string_view key) const noexcept { return of_(*this, key); }
  /// How of() does it: the shortest way, chosen once, for a lookup is to cost little more than its key hash.
  enum class Way : std::uint8_t { prepared, plain, xxh3, xxh3_slot };
  Way way() const noexcept { return way_; }
  /// A hash reduced to its slot, where positions are remainders.
  std::uint64_t slot(std::uint64_t hash) const noexcept { return slots_(hash); }
  /// The low 64 bits of the position of each key. out.size() >= keys.size().
  void of(std::span<const std::string_view> keys, std::span<std::uint64_t> out) const noexcept;
  /// The bytes that are hashed, prefix and all.
  std::string hashed(std::string_view key) const;
  /// false: not a key of this system, so that of() goes by its bytes alone.
  bool reads(std::string_view key) const noexcept {
    return !rule_.what || rule_.what->reads(routing_key(key));
  }

  /// Number of slots that positions are remainders over; 0: the hash is the position.
  std::uint64_t remainder() const noexcept { return slots_.divisor(); }
  /// Whether every key has the same hash in both, before it is reduced to slots. The empty key, which no
  /// protocol of these systems can carry, does not count.
  bool hashes_alike(KeyPosition other) const {
    other.slots_ = slots_;
    other.set_way(way_);
    other.empty_is_zero_ = empty_is_zero_;
    return *this == other;
  }
  friend bool operator==(const KeyPosition&, const KeyPosition&) = default;

 private:
  enum class Cut : std::uint8_t { nothing, tag, routing_prefix, balance };
  /// Two are the same rule when they have the same name and read the same settings.
  struct Rule {
    std::shared_ptr<const KeyRule> what;
    std::string says;
    friend bool operator==(const Rule& a, const Rule& b) { return a.says == b.says; }
  };

  /// Whether what is hashed is a piece of the key, by the key hash and nothing else.
  bool hashes_key_alone() const noexcept;
  u128 hash(std::string_view routing_key) const noexcept;
  using Of = KeyHash (*)(const KeyPosition&, std::string_view) noexcept;
  static KeyHash prepared(const KeyPosition& self, std::string_view key) noexcept;
  static KeyHash plain(const KeyPosition& self, std::string_view key) noexcept;
  static KeyHash xxh3(const KeyPosition& self, std::string_view key) noexcept;
  static KeyHash xxh3_slot(const KeyPosition& self, std::string_view key) noexcept;
  Way fastest() const noexcept;
  void set_way(Way way) noexcept;
  std::uint64_t reduced(std::uint64_t hash) const noexcept {
    return slots_.divisor() ? slots_(hash) : hash & static_cast<std::uint64_t>(mask_);
  }

  Of of_ = prepared;
  Way way_ = Way::prepared;
  KeyHashId hash_;
  ByteSign sign_;
  Cut cut_ = Cut::nothing;
  bool empty_is_zero_ = false;
  char open_ = 0;
  char close_ = 0;
  std::string prefix_, suffix_;
  bool as_repr_ = false;  ///< pymemcache: a key of type bytes is hashed as repr() writes it
  HaproxyKey balance_;
  Remainder slots_;       ///< reduce by it; of 0: the hash is the position, or the rule says it
  u128 mask_ = ~u128{0};  ///< a ring narrower than the hash uses its low bits
  Rule rule_;             ///< of recipes that have one: instead of all the above but the tag
};

}  // namespace arcwise
