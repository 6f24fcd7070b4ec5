// Placement: the compiled function of one map, from a key to its owners.
//
// Layer: place. The one law: with a mask, owners are the replica policy applied to the placement's candidate
// stream with masked nodes deleted, before racks are counted. Everything here is immutable after compile()
// and safe to share between threads; lookups allocate nothing, lock nothing and cannot fail.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "arcwise/map.hpp"

namespace arcwise {

/// Nodes to skip: a set bit means skip. Bits beyond the words given are clear. A view; the words must outlive
/// it.
struct NodeMask {
  std::span<const std::uint64_t> words;

  NodeMask() = default;
  explicit NodeMask(std::span<const std::uint64_t> w) : words(w) {}
  explicit NodeMask(const NodeSet& set) : words(set.words()) {}
  bool skips(NodeIndex n) const noexcept { return n / 64 < words.size() && (words[n / 64] >> (n % 64) & 1); }
  bool empty() const noexcept {
    for (std::uint64_t w : words)
      if (w) return false;
    return true;
  }
};

/// One question. The key's bytes travel beside its hash because some systems hash them again, or with each
/// node.
struct Query {
  std::string_view key;
  KeyHash hash;
  NodeMask mask;
};

/// What a placement promises. The conformance suite proves every true field and shows a counter-example for
/// every false one.
struct Traits {
  bool enumerable = false;         ///< its regions can be listed exactly
  bool monotone_add = false;       ///< a node added takes keys; no key moves between the others
  bool monotone_remove = false;    ///< a node removed gives up its keys; no other key moves
  bool any_order_removal = false;  ///< both hold for any node, not only the last of the list
  bool weighted = false;           ///< expected shares follow the weights
  bool order_free = false;         ///< the order of the node list does not matter
  bool mask_is_removal = false;    ///< masking a node answers as if it had been removed from the map
};

/// Why a candidate was or was not taken.
enum class Verdict : std::uint8_t {
  taken,         ///< a new node, host, rack or zone, as the policy asks
  taken_repeat,  ///< `when_short: repeat`: a rack already used, because there are fewer racks than replicas
  masked,
  already_owner,
  group_used,    ///< its host, rack or zone already holds a copy
  zone_full,     ///< per_zone: its zone has all its copies
  zone_unlisted  ///< per_zone: its zone holds none
};
std::string_view to_string(Verdict verdict);

/// Called for each candidate in order: the position it stands at, the node, the verdict.
using Trace = std::function<void(Token, NodeIndex, Verdict)>;

/// The compiled map. Cheap to copy.
class Placement {
 public:
  /// The key's position: key preparation, key hash, and reduction to the token space. noexcept, no
  /// allocation.
  KeyHash hash(std::string_view key) const noexcept;
  /// The same for many: the low 64 bits of each position. Where the key hash is MD5, several at once in the
  /// lanes of vectors. positions.size() >= keys.size().
  void hash(std::span<const std::string_view> keys, std::span<std::uint64_t> positions) const noexcept;
  /// The bytes of the key that are hashed (all of it, or what stands in its hash tag).
  std::string_view routing_key(std::string_view key) const noexcept;
  /// The bytes that are hashed for a key: its routing key with whatever the recipe puts around it.
  std::string hashed_bytes(std::string_view key) const;
  /// false: no key of this system, such as "abc" where keys are whole numbers; hash() then goes by its bytes.
  bool reads(std::string_view key) const noexcept;

  /// Whether every key but the empty one has the same hash here and there, before it is reduced to slots;
  /// then regions can be compared.
  bool hashes_alike(const Placement& other) const noexcept;
  /// Number of slots that positions are remainders of the hash over; 0 where the hash is the position.
  std::uint64_t remainder() const noexcept;

  /// Fills `out` with distinct owners in preference order and returns how many there are: at most the
  /// policy's count and out.size(), fewer when the mask leaves too few. Cost: one search and a walk of a few
  /// candidates; a look at every node where the mask refuses 64 of them.
  std::size_t owners(const Query& query, std::span<NodeIndex> out) const noexcept;
  /// The first owner of a key without a mask, whatever the recipe; no_node where nobody owns it. The same as
  /// owners() with room for one, in one call from bytes to node.
  NodeIndex owner(std::string_view key) const noexcept;
  /// The first owner of a position without a mask; no_node where nobody owns it, and for placements that are
  /// not enumerable: these compute candidates for a key, and are asked for its owner().
  NodeIndex primary(KeyHash hash) const noexcept;
  /// The same for many; hashes are positions (the low 64 bits; spaces up to 64 bits). out.size() >=
  /// hashes.size().
  void primary(std::span<const std::uint64_t> hashes, std::span<NodeIndex> out) const noexcept;

  /// Most owners that a key can have: the size `out` needs.
  std::size_t max_owners() const noexcept;
  const Traits& traits() const noexcept;
  const ClusterMap& map() const noexcept;

  /// Enumerable placements (others have no region): regions ascending by `upto`; the first one wraps. Owners
  /// are constant within a region.
  std::size_t region_count() const noexcept;
  Region region(std::size_t i) const noexcept;
  std::size_t region_owners(std::size_t i, const NodeMask& mask, std::span<NodeIndex> out) const noexcept;
  /// The region that holds a position.
  std::size_t region_at(KeyHash hash) const noexcept;

  /// Ring entries, collided ones too (ring: tokens; slots: pieces; table: rows). entry(i) is ascending by
  /// token.
  std::size_t entry_count() const noexcept;
  struct Entry {
    Token token;
    NodeIndex node;  ///< no_node for a table row without owners
  };
  Entry entry(std::size_t i) const noexcept;

  /// owners() with its reasons. The walk ends where owners() would stop.
  void trace(const Query& query, const Trace& trace) const;

  /// The candidate stream itself, before any mask or policy: calls `visit(context, node)` until it says
  /// false. Repeats are possible; a table lists the owners of its range only.
  void walk(const Query& query, bool (*visit)(void* context, NodeIndex node) noexcept,
            void* context) const noexcept;

  struct Model;
  explicit Placement(std::shared_ptr<const Model> model) : model_(std::move(model)) {}

 private:
  friend Placement compile(const ClusterMap& map, const Placement& previous);
  std::shared_ptr<const Model> model_;
};

/// Cost: O(T log T) for T ring entries. A validated map always compiles.
Placement compile(const ClusterMap& map);
/// compile(map) by way of the placement of an earlier map. Where nodes joined, left or changed on a ring
/// whose points depend on each node alone (hashed names, given tokens), the cost is a copy of the earlier
/// ring and the sorting of the new points; elsewhere that of compile(map).
Placement compile(const ClusterMap& map, const Placement& previous);

}  // namespace arcwise
