// Inside check(): what a rule sees, and the rules.
//
// A rule is a function that appends what it finds. The table in check.cpp names each one.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "arcwise/check.hpp"

namespace arcwise {

/// What every range, or every range's part within one zone, must have.
struct Demand {
  const std::string* zone = nullptr;  ///< per_zone: owners elsewhere do not count
  std::uint32_t copies = 1;
  std::uint32_t groups = 1;  ///< distinct hosts, racks, zones at the level in force
};

struct LintContext {
  const Placement& placement;
  const Observed& observed;
  const CheckOptions& options;
  const ClusterMap& map;
  Across level = Across::node;  ///< asked for, else the map's
  std::uint32_t count = 1;      ///< asked for, else the map's
  std::vector<Demand> demands;

  LintContext(const Placement& p, const Observed& o, const CheckOptions& c);
  /// Only the first owner of a range answers for it; the others are promoted when it fails.
  bool first_owner_serves() const;
  PointRule points() const;
  /// Nodes stand where a hash of what they are called puts them.
  bool labels_hashed() const;
  /// The map names the owners of each range, one by one, as they are.
  bool lists_owners() const;
  bool is_ring() const;
  /// A table of slots that a method fills with nodes.
  bool fills_slots() const;
};

/// Findings of one rule; the rule's name and severity are filled in by check().
using Findings = std::vector<Finding>;
using Rule = void (*)(const LintContext&, Findings&);

/// One finding a range for the first hundred, then one for all of them.
class RangeFindings {
 public:
  static constexpr std::size_t most_listed = 100;
  RangeFindings(const LintContext& context, Findings& out) : context_(context), out_(out) {}
  /// `what` continues "RANGE, SHARE of hash space, "; it is called for listed ranges only.
  void add(std::size_t region, const std::function<std::string()>& what, std::string_view advice);
  /// `what` continues "COUNT ranges, SHARE of hash space, ".
  void sum_up(std::string_view what);

 private:
  const LintContext& context_;
  Findings& out_;
  std::size_t count_ = 0;
  Share total_;
};

// Ranges (lint_ranges.cpp).
void lint_replicas_short(const LintContext&, Findings&);
void lint_replicas_uneven(const LintContext&, Findings&);
void lint_slots_unowned(const LintContext&, Findings&);
void lint_range_unowned(const LintContext&, Findings&);
void lint_range_down(const LintContext&, Findings&);
void lint_master_down(const LintContext&, Findings&);
void lint_quorum_down(const LintContext&, Findings&);
void lint_host_shared(const LintContext&, Findings&);

// Nodes and settings (lint_map.cpp).
void lint_crc_width(const LintContext&, Findings&);
void lint_rf_over_nodes(const LintContext&, Findings&);
void lint_no_points(const LintContext&, Findings&);
void lint_racks_fewer_than_replicas(const LintContext&, Findings&);
void lint_token_collision(const LintContext&, Findings&);
void lint_tokens_few(const LintContext&, Findings&);
void lint_loopback_identity(const LintContext&, Findings&);
void lint_address_identity(const LintContext&, Findings&);
void lint_address_duplicate(const LintContext&, Findings&);
void lint_place_missing(const LintContext&, Findings&);
void lint_single_replica(const LintContext&, Findings&);
void lint_even_replicas(const LintContext&, Findings&);
void lint_node_joining(const LintContext&, Findings&);
void lint_node_leaving(const LintContext&, Findings&);
void lint_owns_nothing(const LintContext&, Findings&);

// What a node is to the system (lint_identity.cpp).
void lint_positional_identity(const LintContext&, Findings&);
void lint_resolved_identity(const LintContext&, Findings&);
void lint_label_ambiguous(const LintContext&, Findings&);

// Weights and counts (lint_weights.cpp).
void lint_share_distorted(const LintContext&, Findings&);
void lint_weights_ignored(const LintContext&, Findings&);
void lint_buckets_off_weight(const LintContext&, Findings&);
void lint_weight_overflow(const LintContext&, Findings&);
void lint_ring_crowded(const LintContext&, Findings&);
void lint_slots_fixed(const LintContext&, Findings&);
void lint_tokens_fixed(const LintContext&, Findings&);
void lint_allocator_rf(const LintContext&, Findings&);

// Declared capacities (lint_capacity.cpp).
void lint_capacity_over(const LintContext&, Findings&);
void lint_capacity_drift(const LintContext&, Findings&);
void lint_capacity_missing(const LintContext&, Findings&);
void lint_capacity_unknown(const LintContext&, Findings&);

// The keys that were given (lint_keys.cpp).
void lint_keys_weights(const LintContext&, Findings&);
void lint_keys_arcs(const LintContext&, Findings&);
void lint_keys_hash_pattern(const LintContext&, Findings&);
void lint_keys_hot(const LintContext&, Findings&);
void lint_keys_few(const LintContext&, Findings&);

}  // namespace arcwise
