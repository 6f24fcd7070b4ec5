// Steps: a change carried out a few nodes at a time, under limits, and what each step costs, risks and needs
// to be undone.
//
// Layer: study. Worked example, two of four nodes leave a ring of one copy, one at a time: step 1 hands a
// quarter to the three others, step 2 a third to the two that stay. Nodes of different maps are the same node
// when their names are equal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arcwise/change.hpp"
#include "arcwise/check.hpp"

namespace arcwise {

struct StepOptions {
  std::uint64_t max_in_flight = 1;        ///< nodes that change at once; at least 1
  double min_age = 0;                     ///< seconds that must pass between two changes
  std::optional<double> last_change_age;  ///< seconds since the last change; nullopt: long ago
  std::vector<std::string> down;          ///< nodes that hold nothing now
  std::vector<std::string> seen_down;     ///< that may hold something, but do not answer
  double requests = 0;                    ///< a second, of the whole cluster; 0: unknown
  std::optional<double> hit_ratio;  ///< of a cache: 0…1; also says that what is lost can be filled again
  double database_limit = 0;        ///< requests a second; 0: unknown
  double refill = 0;                ///< seconds until a typical key is asked for again; 0: keys / requests
  double keys = 0;                  ///< that the cache holds; 0: unknown
};

/// Who really holds data, over all ranges. A range's full holders are those of its owners that are not down
/// and hold all of it.
struct SafetyPhase {
  std::uint32_t fewest = 0;        ///< full holders of the range that has the fewest
  Share without;                   ///< ranges with no full holder
  Share below_quorum;              ///< ranges with too few to serve, those without any among them
  Share fewer_racks, fewer_hosts;  ///< ranges on fewer distinct ones than before the step
  std::string worst;               ///< the node whose failure costs most; empty where none costs anything
  Share worst_share;               ///< below quorum with that node down too
};

/// Before: the owners. During: the owners before, except those replaced, which are gone; a node that leaves
/// serves until the end, and a node that gains a range holds it only after. After: the owners after, where
/// anybody could fill them.
struct StepSafety {
  SafetyPhase before, during, after;
  Share lost;  ///< ranges with a full holder before, and none during or after
  Share unfillable;  ///< ranges that get another owner, though none of those before is up to fill it
};

/// What a step asks of one node.
struct StepLoad {
  std::string name;
  double bytes_out = 0, bytes_in = 0;
  double send_rate = 0, receive_rate = 0;  ///< bytes/s at the step's pace
  double budget_used = 0;                  ///< the larger of both, of node_bandwidth
  /// Copies it stores: those it gives up stay until the step is over, so the peak is before + gained.
  Share stored_before, stored_peak, stored_after;
  std::optional<double> utilisation_peak;
  Share first_before, first_after;  ///< ranges whose first owner it is: its part of the requests
};

struct RackLoad {
  std::string name;
  double bytes = 0;        ///< in and out of the rack; what stays within does not count
  double rate = 0;         ///< bytes/s at the step's pace
  double budget_used = 0;  ///< of rack_bandwidth
};

/// A cache right after the step. A key misses where its first owner did not hold it before.
struct StepCache {
  Share cold;                                    ///< of the keys
  double hit_ratio_before = 0;                   ///< with what the steps before have left cold
  double hit_ratio_after = 0;                    ///< before × (1 - cold)
  double misses_factor = 0;                      ///< the database's load, over that of the warm cache
  double database_warm = 0, database_after = 0;  ///< requests a second; 0: unknown
  std::uint64_t pieces = 1;  ///< as many smaller steps keep the database under its limit; 0: none do
  double ramp_seconds = 0;   ///< or this time, if the change is spread evenly over it; 0: no need, or unknown
  double refill_seconds = 0;  ///< until 95 % of the lost hits are back; 0: unknown
};

/// What undoes a step.
struct WayBack {
  std::vector<std::string> words;  ///< of the command line; empty: only the map before says it
  Share moved;
};

struct Step {
  std::vector<std::string> actions;  ///< "add n13", one a node
  Share moved;
  double bytes = 0, seconds = 0;
  std::string pace;  ///< the node or "rack r1" that sets it; empty where unknown
  double start = 0;  ///< seconds after the beginning
  std::vector<Transfer> transfers;
  std::vector<StepLoad> nodes;  ///< sorted by name
  std::vector<RackLoad> racks;  ///< sorted by name; where a rack's bandwidth is known
  StepSafety safety;
  std::optional<StepCache> cache;
  WayBack back;
  std::optional<Sampled> sampled;
};

/// The most that any step asks of a node.
struct PeakLoad {
  std::string name;
  double rate = 0, budget_used = 0;  ///< sent or received, whichever is more
  std::size_t rate_step = 0;         ///< counted from 1; 0: it neither sends nor receives
  std::optional<double> utilisation;
  Share stored, stored_after;  ///< at most; after the last step
  double stored_bytes = 0;
  std::size_t stored_step = 0;
  Share first_before, first_peak, first_after;
};

struct StepPlan {
  std::vector<ClusterMap> maps;      ///< one more than there are steps: the first is the map before
  std::vector<Fingerprints> states;  ///< of those maps
  std::vector<Step> steps;
  Share moved;                  ///< of all steps
  double bytes = 0;             ///< of all steps
  double seconds = 0;           ///< from the beginning to the end of the last step
  std::vector<PeakLoad> peaks;  ///< sorted by name
  std::vector<Finding> warnings;
};

/// Nodes are added, replaced, reweighted and removed in this order, where ranges have collapsed those changes
/// first that place most of them anew, `max_in_flight` at once; where a table
/// lists who owns what, each copy moves once, straight to its owner after the change. Without a change (two
/// maps are given) what differs between the maps is the change. Where the maps differ in more than nodes and
/// table, or no map in between can be made, there is one step.
StepPlan plan_steps(const ClusterMap& before, const ClusterMap& after, const Change& change,
                    const CostOptions& cost, const StepOptions& options, std::uint64_t seed);

/// A map on the way, and what leads to it from the one before: `before` and `after` name the node that
/// changes; empty: it is not there.
struct Stage {
  ClusterMap map;
  std::string action, before, after;
};
/// The same over maps that are given, such as those of a node that leaves and comes back with other tokens.
StepPlan plan_steps(const ClusterMap& before, const std::vector<Stage>& stages, const CostOptions& cost,
                    const StepOptions& options, std::uint64_t seed);

/// Copies moved, told apart by whether the shares needed it.
struct Usefulness {
  Share useful;                 ///< Diff::least
  Share useless;                ///< the rest
  std::vector<Transfer> pairs;  ///< useless as a whole: the receiver was and remains and does not grow, or
                                ///< the sender was and remains and does not shrink
  Share untold;                 ///< useless, between other pairs
};
Usefulness usefulness(const Diff& diff);

}  // namespace arcwise
