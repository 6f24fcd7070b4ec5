// Ranges that split: the table of a map changed row by row, and the balancer that splits, moves and merges
// ranges until measured load is even.
//
// Layer: study. Pure and deterministic. The model of load: requests go to the first owner of a key, bytes lie
// on every owner.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arcwise/error.hpp"
#include "arcwise/map.hpp"
#include "arcwise/placement.hpp"

namespace arcwise {

/// What of a map's table may change, by its recipe. What is measured and moved as one is its *unit*.
struct RangeRules {
  enum class Unit : std::uint8_t { range, slot, partition };
  Unit unit = Unit::range;
  bool splits = false;  ///< ranges may be split and merged at any position
  bool moves = false;   ///< owners may be listed anew
  bool shards = false;  ///< owners are a master and its replicas: a unit moves to another master's shard
  std::string_view why = {};  ///< why they may not
};
std::string_view to_string(RangeRules::Unit unit);
RangeRules range_rules(const ClusterMap& map);
/// Of a map whose `moves` is false.
Error may_not_change(const ClusterMap& map);

/// Units in order: slots, partitions, or the rows of the table.
std::size_t unit_count(const ClusterMap& map);
/// As users write it: a slot's or partition's number, or the end of a range as the system prints it.
std::string unit_name(const ClusterMap& map, std::size_t unit);
std::optional<std::size_t> find_unit(const ClusterMap& map, std::string_view name);

/// The range that holds `at` becomes (after, at] and (at, upto] with the same owners. No key moves.
Result<ClusterMap> split_range(const ClusterMap& map, Token at);
/// The ranges on both sides of `end` become one. No key moves: refused where their owners differ.
Result<ClusterMap> merge_ranges(const ClusterMap& map, Token end);
/// `to` takes the place of `from` among the owners of a unit, or becomes first where it is an owner already.
Result<ClusterMap> move_unit(const ClusterMap& map, std::size_t unit, NodeIndex from, NodeIndex to);

struct Load {
  double requests = 0;  ///< or whatever else is measured of work and adds up: microseconds of CPU
  double bytes = 0;     ///< of one copy

  Load& operator+=(const Load& o);
  Load& operator-=(const Load& o);
  friend Load operator*(double factor, const Load& l) { return {factor * l.requests, factor * l.bytes}; }
};

struct KeyLoad {
  std::string key;
  KeyHash position;
  Load load;
};

struct MeasuredLoad {
  /// One a unit, with what its keys have. Empty: keys are all there is.
  std::vector<Load> units;
  /// Ascending by position. What a unit has beyond its keys is taken to lie evenly over its positions.
  std::vector<KeyLoad> keys;
};
/// Positions of keys, in order.
void locate_keys(const Placement& placement, std::vector<KeyLoad>& keys);

struct BalanceLimits {
  double tolerance = 0.1;         ///< even enough: no node above its fair share by more than this part of it
  double max_range_bytes = 0;     ///< larger ranges are split; 0: never for that
  double max_range_requests = 0;  ///< hotter ones too
  /// Neighbours with the same owners are merged where together they are smaller than this, which is at most
  /// half of max_range_bytes, and have at most half of max_range_requests: what was just split stays so.
  double min_range_bytes = 0;
  std::uint64_t max_moves = std::numeric_limits<std::uint64_t>::max();
  double max_bytes = std::numeric_limits<double>::infinity();  ///< that move
  NodeSet frozen = NodeSet(0);  ///< nodes that neither give nor take, such as those that are down
};

struct RangeAction {
  enum class Kind : std::uint8_t {
    split,
    lead,  ///< `to` becomes the first owner, which it is no copy for: no bytes move
    move,
    merge
  };
  Kind kind = Kind::split;
  Region range;  ///< as it is before a split and after all other actions; of slots as many as lie in a row
  Token at;      ///< split: the end of its first half; merge: the end that goes
  NodeIndex from = no_node, to = no_node;
  Load load;  ///< what leaves `from`: no requests with a copy that is not the first
};
std::string_view to_string(RangeAction::Kind kind);

/// Why the hottest node stays above the tolerance.
struct LoadCause {
  enum class Kind : std::uint8_t {
    one_key,   ///< a key alone has more than a node's fair share
    one_unit,  ///< a slot, a partition, or a range that cannot be divided alone has
    limits,    ///< max_moves or max_bytes ended it
    no_place   ///< no move helps: what could move is too large, or copies may not meet
  };
  Kind kind = Kind::no_place;
  bool of_bytes = false;  ///< else of requests
  NodeIndex node = no_node;
  std::string key;       ///< of one_key; the hottest known of one_unit
  Region range;          ///< of one_key and one_unit
  double over_fair = 0;  ///< what it has alone, over the largest fair share of a node
};

struct Balancing {
  struct NodeLoad {
    Load before, after;
    Load fair;  ///< by weight; of bytes at most one copy of everything in a domain of the policy
  };
  /// Of the node with the largest load over its fair share.
  struct Hottest {
    double before = 0, after = 0;  ///< over its fair share; 0 where nothing is measured
    double least = 0;              ///< no table of these keys does better
    NodeIndex node_before = no_node, node_after = no_node;
  };
  explicit Balancing(ClusterMap map) : after(std::move(map)) {}
  ClusterMap after;  ///< epoch + 1 where there is one and something changes
  std::vector<RangeAction> actions;
  std::vector<NodeLoad> nodes;  ///< by NodeIndex
  Hottest requests, bytes;
  double moved_bytes = 0;
  bool reached = false;  ///< within the tolerance
  std::optional<LoadCause> cause;
};

/// Moves and splits what helps most for the fewest bytes, until every node is within the tolerance of its
/// fair share or nothing helps. Neither the hottest load of requests nor that of bytes rises above the
/// tolerance or above what it was. Copies stay as far apart as they are. An error where the map's table may
/// not change. Cost: for each action, units of a node × nodes.
Result<Balancing> balance_load(const ClusterMap& map, const MeasuredLoad& load, const BalanceLimits& limits);

/// What a change that somebody else made, by hand, does to the load: `after` is a table of the same nodes.
/// There are no actions in the answer.
Balancing measure_change(const ClusterMap& map, const MeasuredLoad& load, const ClusterMap& after);

}  // namespace arcwise
