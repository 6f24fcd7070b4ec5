// The cluster map: nodes, placement settings and replica policy, validated, immutable and versioned.
//
// Layer: model. A ClusterSpec is what somebody wrote, with the place of every field; validate() turns it into
// a ClusterMap or says what is wrong and where. What a router or nodetool believes about up and down is
// Observed, beside the map and never in it: two views of failures share one fingerprint.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arcwise/error.hpp"
#include "arcwise/hash.hpp"
#include "arcwise/token.hpp"

namespace arcwise {

/// Position of a node in its map's list. Stable within one map only; across maps nodes are matched by name.
using NodeIndex = std::uint32_t;
inline constexpr NodeIndex no_node = ~NodeIndex{0};

enum class NodeState : std::uint8_t {
  normal,
  joining,  ///< owns nothing yet
  leaving   ///< still owns everything it had
};
std::string_view to_string(NodeState state);

struct Node {
  std::string name;     ///< identity: unique, no control characters
  std::string label;    ///< what the recipe hashes; the name unless a system says otherwise
  std::string address;  ///< where to connect; never hashed by Arcwise's own recipes
  std::string host;     ///< the machine; the address without its port, else the name, when not given
  double weight = 1;    ///< finite, > 0
  std::string rack;     ///< a rack is identified by (zone, rack)
  std::string zone;
  NodeState state = NodeState::normal;
  std::vector<Token> tokens;            ///< where given; ascending
  std::vector<std::uint32_t> buckets;   ///< where keys have numbered buckets: those it holds, ascending
  std::optional<std::uint64_t> bucket;  ///< where the recipe numbers nodes (HAProxy's server id, a bucket)
};

/// Which owners are acceptable.
enum class Across : std::uint8_t { node, host, rack, zone };
std::string_view to_string(Across across);
std::optional<Across> find_across(std::string_view name);

/// What to do with fewer distinct racks (hosts, zones) than the count.
enum class WhenShort : std::uint8_t {
  refuse,  ///< validate() fails
  repeat   ///< NetworkTopologyStrategy: every rack once, and count - racks places for the first repeats met
};

struct ZoneCount {
  std::string zone;
  std::uint32_t count = 0;
};

inline constexpr std::size_t max_replicas = 64;      ///< owners of one key
inline constexpr std::size_t max_policy_zones = 32;  ///< entries of per_zone
inline constexpr std::uint64_t max_ring_tokens = std::uint64_t{1} << 26;

struct ReplicaPolicy {
  std::uint32_t count = 1;       ///< sum of per_zone where that is given
  Across across = Across::node;  ///< distinct at this level; within its zone where per_zone is given
  WhenShort when_short = WhenShort::refuse;
  std::vector<ZoneCount> per_zone;  ///< sorted by zone; zones not listed hold nothing
};

/// How key bytes become the bytes that are hashed.
enum class KeyPrep : std::uint8_t {
  none,
  tag_pair,   ///< twemproxy's hash_tag: the first open character, the first close after it, if anything is
              ///< between
  redis_tag,  ///< Redis Cluster: the same with { and }
  routing_prefix,  ///< mcrouter: a leading /region/cluster/ is dropped, and all from the first |#| on
  balance          ///< HAProxy: what the setting `balance` says: a value, a URI, a client's address
};

/// How nodes become positions, coarsely: which of the map's own fields say it.
enum class PointRule : std::uint8_t {
  hashed_name,  ///< the recipe's method hashes labels; max(1, round-half-up(weight * tokens)) points each
  given,        ///< tokens are listed in the map
  buckets,  ///< the method gives a key a numbered bucket; nodes hold max(1, round-half-up(weight * tokens))
  list_index,  ///< remainder of the hash over numbered slots that the method fills with nodes
  table,       ///< owners are listed range by range in the map
  method       ///< the recipe's method alone says it (ketama and its kin, rendezvous, Maglev, CRUSH, …)
};

/// What is hashed for a node, made from its name (and address) where the map gives no label. Examples for the
/// names "10.0.0.1:11211", "/tmp/a.sock", and for Java "cache-a:11212" at the address 10.0.0.1,
/// "[::1]:11211".
enum class LabelRule : std::uint8_t {
  name,               ///< "10.0.0.1:11211"
  drop_11211,         ///< "10.0.0.1": the port is left out when it is 11211; "/tmp/a.sock"
  drop_default_port,  ///< the same for the port in the setting `default_port`; 0: none (npm hashring)
  libmemcached,       ///< "10.0.0.1"; "/tmp/a.sock:0"
  libmemcached_spy,   ///< "/10.0.0.1:11211"; "//tmp/a.sock:0"
  twemproxy,          ///< "10.0.0.1"; "/tmp/a.sock:"
  java_socket,        ///< "cache-a/10.0.0.1:11212", "[0:0:0:0:0:0:0:1]:11211" (spymemcached)
  java_socket_slash,  ///< the same, but "/10.0.0.1:11211" where the name is an address (xmemcached)
  java_host,          ///< "cache-a:11212", "0:0:0:0:0:0:0:1": no port where it is 11211
  java_address,       ///< "10.0.0.1:11212": the address alone; no port where it is 11211
  dalli,              ///< "10.0.0.1:11211", "::1:11211": always a port, never brackets; "/tmp/a.sock"
  evcache,            ///< "10.0.0.1/10.0.0.1:11211"
  pymemcache,         ///< as dalli; "unix:/tmp/a.sock" is "/tmp/a.sock"
  none                ///< "": no text of the node is hashed, unless the map gives one (HAProxy's guid)
};

/// Which entry answers for a hash.
enum class LookupRule : std::uint8_t {
  at_or_after,   ///< the first token >= the hash, wrapping: nearly everybody
  after,         ///< the first token > the hash (uhashring)
  at_or_before,  ///< the last token <= the hash, wrapping backwards (dalli)
  nearest        ///< the token nearest in either direction, the one before on a tie (HAProxy)
};

/// Who wins a position that two nodes claim. The loser keeps its entry and is the next candidate.
enum class TieRule : std::uint8_t {
  by_name,
  by_list_order,    ///< the first in the order in which the method makes points
  by_reverse_order  ///< the last
};

/// How many slots a list_index recipe has.
enum class SlotCount : std::uint8_t {
  none,
  nodes,            ///< one a node
  weights,          ///< the sum of weights, each rounded half up and at least 1
  weights_reduced,  ///< the sum of weights divided by their greatest common divisor (HAProxy map-based)
  listed,           ///< the map's own `slots`: partitions, virtual buckets, shards, placement groups
  setting           ///< the setting `slots` or `table_size`
};

/// A number or word that a recipe reads beyond the common fields: `placement: {settings: {table_size:
/// 65537}}`.
struct SettingInfo {
  enum class Kind : std::uint8_t {
    integer,
    number,
    text,
    flag,
    choice,    ///< one of the words in `choices`
    list,      ///< one or more of these words, with commas between
    key_hash,  ///< one of the recipe's key hashes; empty: the map's own
    prime,     ///< a prime number
    shares     ///< whole numbers by name, "a=1, b=2"; empty: none
  };
  std::string_view name;
  Kind kind;
  std::string_view preset;     ///< the value when the map says nothing
  double least = 0, most = 0;  ///< of numbers
  std::string_view meaning;
  std::string_view choices = {};  ///< of a choice: words with a space between
};

/// One frozen row: how a system computes placement. Never edited after release; a correction is a new row
/// (`name@2`).
struct Recipe {
  std::string_view name;
  std::string_view used_by;      ///< one line for people
  std::string_view method = {};  ///< the function that makes points, slots or choices (src/place/methods.hpp)
  KeyPrep key_prep = KeyPrep::none;
  std::string_view key_rule = {};          ///< the function that takes a key to its position, where hash and
                                           ///< remainder do not say it (src/place/key_rules.hpp)
  KeyHashId hash = KeyHashId::xxh3;        ///< the default
  bool hash_open = false;                  ///< the map may choose among the open key hashes
  std::span<const KeyHashId> hashes = {};  ///< …or among these
  std::uint8_t ring_bits = 0;              ///< 0: as wide as the key hash, at most 64
  u128 ring_last = 0;                      ///< the largest position, where it is not 2^ring_bits - 1
  TokenSpace::Notation notation = TokenSpace::Notation::hex;
  PointRule points = PointRule::method;
  SlotCount slots = SlotCount::none;
  std::uint32_t default_slots = 0;  ///< `slots` when the map says nothing; 0: it must say
  LabelRule label = LabelRule::name;
  LookupRule lookup = LookupRule::at_or_after;
  TieRule ties = TieRule::by_name;
  bool given_allowed = false;      ///< `allocation: given` may replace the method
  bool promotes = false;           ///< when the first owner fails another is promoted: one live owner serves
  bool zero_weight = false;        ///< the system takes a weight of 0
  bool whole_weight = false;       ///< the system's weights are whole numbers
  double heaviest = 0;             ///< the largest weight it takes; 0: any
  bool places_unweighted = false;  ///< keys have owners even where every weight is 0 (mcrouter WeightedCh3)
  std::uint32_t default_tokens =
      0;  ///< vnodes per unit of weight when the map says nothing; 0: the recipe fixes it
  bool shares_tokens = false;          ///< weights divide vnodes × nodes: no weight is too large
  std::uint32_t fixed_tokens = 0;      ///< the same where the recipe fixes it and does not share out a total
  bool keeps_removals = false;         ///< any bucket can go; the map remembers which did, in their order
  bool bucket_is_tokens = false;       ///< a node's `bucket` is its own number of vnodes (npm hashring)
  bool empty_key_is_zero = false;      ///< an empty key's hash is 0, whatever the hash function says
  std::string_view no_placement = {};  ///< the system places no key, and why: maps are refused
  std::span<const SettingInfo> settings = {};
};

std::span<const Recipe> recipes();
const Recipe* find_recipe(std::string_view name);

/// A range with its owners spelled out, in preference order: (previous row's upto, upto].
struct TableRow {
  Token upto;
  std::vector<NodeIndex> owners;  ///< may be empty: nobody owns it
};

struct PlacementSettings {
  const Recipe* recipe = nullptr;
  KeyHashId hash = KeyHashId::xxh3;
  std::uint32_t tokens = 0;     ///< vnodes per unit of weight; 0 where the recipe fixes it
  bool given = false;           ///< allocation: given
  std::string hash_tag;         ///< two characters for KeyPrep::tag_pair, else empty
  std::uint64_t slots = 0;      ///< number of slots for table recipes over slots; 0 otherwise
  std::vector<TableRow> table;  ///< for PointRule::table, ascending by upto
  std::vector<std::uint32_t>
      removed;  ///< for PointRule::buckets: those that nobody holds, in the order they went
  std::map<std::string, std::string, std::less<>>
      settings;  ///< what the map says beyond the recipe's presets

  /// A setting as the map or the recipe has it; build() has checked its kind and range.
  std::string_view text(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  double number(std::string_view name) const;
  bool flag(std::string_view name) const;
  std::vector<std::pair<std::string, std::uint64_t>> shares(std::string_view name) const;
};

/// A value with the place it was written at.
template <class T>
struct Marked {
  T value{};
  Mark at;
};

/// What was written, before anything is believed. Only what is present is set.
struct ClusterSpec {
  struct NodeSpec {
    Mark at;
    Marked<std::string> name;
    std::optional<Marked<std::string>> label, address, host, rack, zone, state;
    std::optional<Marked<double>> weight;
    std::optional<Marked<std::uint64_t>> bucket;
    std::vector<Marked<std::string>> tokens;  ///< hex
    std::vector<Marked<std::uint64_t>> buckets;
    bool tokens_present = false;
  };
  struct RangeSpec {
    Marked<std::string> upto;                 ///< hex
    std::vector<Marked<std::string>> owners;  ///< node names
  };
  struct ZoneSpec {
    Marked<std::string> zone;
    Marked<std::uint64_t> count;
  };
  Mark at;
  std::optional<Marked<std::string>> cluster;
  std::optional<Marked<std::uint64_t>> epoch;
  Marked<std::string> recipe;
  std::optional<Marked<std::string>> hash, allocation, hash_tag;
  std::optional<Marked<std::uint64_t>> tokens, slots;
  std::vector<RangeSpec> ranges;
  std::vector<Marked<std::uint64_t>> removed;
  std::optional<Marked<std::uint64_t>> count;
  std::optional<Marked<std::string>> across, when_short;
  std::vector<ZoneSpec> per_zone;
  std::vector<std::pair<Marked<std::string>, Marked<std::string>>> settings;
  std::vector<NodeSpec> nodes;
};

/// The validated snapshot. Cheap to copy (shared, immutable). Thread-safe to read.
class ClusterMap {
 public:
  const std::string& cluster() const { return data_->cluster; }
  std::optional<std::uint64_t> epoch() const { return data_->epoch; }
  const PlacementSettings& placement() const { return data_->placement; }
  const ReplicaPolicy& replicas() const { return data_->replicas; }
  const std::vector<Node>& nodes() const { return data_->nodes; }
  const TokenSpace& space() const { return data_->space; }
  const HashDomain& domain() const { return data_->domain; }
  std::optional<NodeIndex> find(std::string_view name) const;

  /// The parts of a map, for whoever builds one from parts already checked field by field (importers, plans).
  struct Parts {
    std::string cluster;
    std::optional<std::uint64_t> epoch;
    PlacementSettings placement;
    ReplicaPolicy replicas;
    std::vector<Node> nodes;
    // Derived by build().
    TokenSpace space;
    HashDomain domain;
  };
  /// The invariants that hold for every map: names, weights, tokens, policy against nodes. `at` marks the
  /// error.
  static Result<ClusterMap> build(Parts parts, const Mark& at = {});
  Parts parts() const { return *data_; }

 private:
  friend struct ClusterMapAccess;
  explicit ClusterMap(std::shared_ptr<const Parts> data) : data_(std::move(data)) {}
  std::shared_ptr<const Parts> data_;
};

/// Cost: O(nodes + tokens). Errors carry the mark of the field that caused them.
Result<ClusterMap> validate(const ClusterSpec& spec);

/// round-half-up(weight * tokens), at least 1.
std::uint64_t token_count(double weight, std::uint32_t tokens_per_unit);

/// A set of nodes, one bit each.
class NodeSet {
 public:
  explicit NodeSet(std::size_t nodes = 0) : words_((nodes + 63) / 64) {}
  void insert(NodeIndex n) { words_[n / 64] |= std::uint64_t{1} << (n % 64); }
  void erase(NodeIndex n) { words_[n / 64] &= ~(std::uint64_t{1} << (n % 64)); }
  bool contains(NodeIndex n) const { return n / 64 < words_.size() && (words_[n / 64] >> (n % 64) & 1); }
  bool empty() const {
    for (std::uint64_t w : words_)
      if (w) return false;
    return true;
  }
  std::span<const std::uint64_t> words() const { return words_; }

 private:
  std::vector<std::uint64_t> words_;
};

/// What an import saw beside the map. It enters no digest. Vectors are empty or one entry a node.
struct Observed {
  NodeSet down;  ///< becomes the mask
  std::vector<std::optional<double>> load_bytes;
  std::vector<std::optional<double>> printed_share;  ///< "Owns (effective)" as the system printed it, 0…1
  std::vector<Finding> findings;                     ///< what the importer noticed
  std::string format;                                ///< the format it came from
};

}  // namespace arcwise
