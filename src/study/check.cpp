// check(): the table of rules, and the order of what they find.
#include "arcwise/check.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "model/build.hpp"
#include "place/methods.hpp"
#include "study/lint.hpp"

namespace arcwise {
namespace {

using enum Finding::Severity;

struct Row {
  CheckRule rule;
  Rule run;
};

constexpr std::array rows{
    Row{{"replicas-short", error, "a range has fewer distinct owners, hosts, racks or zones than asked for"},
        lint_replicas_short},
    Row{{"range-unowned", error, "a range has no owner"}, lint_range_unowned},
    Row{{"slots-unowned", error, "slots have no owner"}, lint_slots_unowned},
    Row{{"range-down", error, "every owner of a range was seen down"}, lint_range_down},
    Row{{"master-down", error, "the master of some slots was seen down and no replica has taken over"},
        lint_master_down},
    Row{{"rf-over-nodes", error, "more replicas are asked for than there are nodes"}, lint_rf_over_nodes},
    Row{{"no-points", error, "a node has no point on the ring, so it gets no key"}, lint_no_points},
    Row{{"crc-width", error, "the key hash is narrower than the ring, so most of the ring is never reached"},
        lint_crc_width},
    Row{{"label-ambiguous", error,
         "two nodes are hashed by the same texts, so they stand on the same points"},
        lint_label_ambiguous},
    Row{{"weight-overflow", error, "the weights sum to more than 32 bits hold"}, lint_weight_overflow},
    Row{{"capacity-over", error,
         "with --capacity: a node holds too many times its part of the declared capacity"},
        lint_capacity_over},
    Row{{"positional-identity", warning, "nodes are known by their place in the list: its order moves keys"},
        lint_positional_identity},
    Row{{"resolved-identity", warning, "a host name is hashed as the address that it resolves to"},
        lint_resolved_identity},
    Row{{"share-distorted", warning, "whole points give a node another share than its weight asks for"},
        lint_share_distorted},
    Row{{"weights-ignored", warning, "weights differ, and the system reads none"}, lint_weights_ignored},
    Row{{"buckets-off-weight", warning, "a node lists more or fewer buckets than its weight asks for"},
        lint_buckets_off_weight},
    Row{{"ring-crowded", warning, "so many points for so few positions that many fall on a taken one"},
        lint_ring_crowded},
    Row{{"slots-fixed", warning, "a handful of slots a node, of a number that cannot change in place"},
        lint_slots_fixed},
    Row{{"tokens-fixed", warning,
         "nodes of one zone differ in their number of tokens, which cannot change in place"},
        lint_tokens_fixed},
    Row{{"allocation-rf-differs", warning, "tokens were allocated for another replica count"},
        lint_allocator_rf},
    Row{{"capacity-drift", warning,
         "with --capacity: a node's weight, tokens or partitions are off its declared capacity"},
        lint_capacity_drift},
    Row{{"capacity-missing", warning, "with --capacity: nodes whose capacity is not declared"},
        lint_capacity_missing},
    Row{{"capacity-unknown", warning, "with --capacity: the file names nodes that the map does not have"},
        lint_capacity_unknown},
    Row{{"keys-weights", warning, "with --keys: a node has too many because weights become other points"},
        lint_keys_weights},
    Row{{"keys-arcs", warning, "with --keys: a node has too many because its arcs are long"}, lint_keys_arcs},
    Row{{"keys-hash-pattern", warning,
         "with --keys: a node has too many because the hash treats these keys unevenly"},
        lint_keys_hash_pattern},
    Row{{"keys-hot", warning, "with --keys: a node has too many because some keys occur very often"},
        lint_keys_hot},
    Row{{"keys-few", info, "with --keys: so few keys that chance spreads them unevenly"}, lint_keys_few},
    Row{{"quorum-down", warning, "fewer than a majority of a range's owners were seen up"}, lint_quorum_down},
    Row{{"replicas-uneven", warning, "some slots have fewer replicas than others"}, lint_replicas_uneven},
    Row{{"racks-fewer-than-replicas", warning,
         "there are fewer hosts, racks or zones than replicas, so copies share one"},
        lint_racks_fewer_than_replicas},
    Row{{"host-shared", warning, "two copies of a range are on one machine"}, lint_host_shared},
    Row{{"place-missing", warning, "the replica policy looks at racks or zones, and a node names none"},
        lint_place_missing},
    Row{{"token-collision", warning, "two nodes have the same token; a stated rule decides who owns it"},
        lint_token_collision},
    Row{{"tokens-few", warning, "a handful of random points a node: shares differ a lot by chance"},
        lint_tokens_few},
    Row{{"loopback-identity", warning, "what is hashed for a node is a loopback address"},
        lint_loopback_identity},
    Row{{"address-duplicate", warning, "two nodes have one address"}, lint_address_duplicate},
    Row{{"address-identity", info, "nodes are hashed by address, so a new address moves all their keys"},
        lint_address_identity},
    Row{{"single-replica", info, "every key has one copy"}, lint_single_replica},
    Row{{"even-replicas", info, "an even number of replicas tolerates no more failures than one fewer"},
        lint_even_replicas},
    Row{{"node-joining", info, "nodes are joining and own nothing yet"}, lint_node_joining},
    Row{{"node-leaving", info, "nodes are leaving and still own what they had"}, lint_node_leaving},
    Row{{"owns-nothing", info, "nodes are in no range's list of owners"}, lint_owns_nothing},
};

constexpr auto rules = [] {
  std::array<CheckRule, rows.size()> out{};
  for (std::size_t i = 0; i < rows.size(); ++i) out[i] = rows[i].rule;
  return out;
}();

std::uint32_t groups_in(const ClusterMap& map, Across level, const std::string* zone) {
  std::set<std::string> groups;
  for (const Node& node : map.nodes())
    if (node.state != NodeState::joining && (!zone || node.zone == *zone))
      groups.insert(group_name(node, level));
  return static_cast<std::uint32_t>(groups.size());
}

}  // namespace

LintContext::LintContext(const Placement& p, const Observed& o, const CheckOptions& c)
    : placement(p), observed(o), options(c), map(p.map()) {
  const ReplicaPolicy& policy = map.replicas();
  level = options.across.value_or(policy.across);
  count = options.replicas.value_or(policy.count);
  // A map may accept repeats of a rack; somebody who asks for racks on the command line means distinct ones.
  const bool repeat = policy.when_short == WhenShort::repeat && !options.across;
  const auto demand = [&](const std::string* zone, std::uint32_t copies) {
    demands.push_back({zone, copies, repeat ? std::min(copies, groups_in(map, level, zone)) : copies});
  };
  if (options.replicas || policy.per_zone.empty())
    demand(nullptr, count);
  else
    for (const ZoneCount& zone : policy.per_zone) demand(&zone.zone, zone.count);
}

bool LintContext::first_owner_serves() const {
  return map.placement().recipe->promotes;
}

PointRule LintContext::points() const {
  return map.placement().given ? PointRule::given : map.placement().recipe->points;
}

bool LintContext::labels_hashed() const {
  return points() == PointRule::hashed_name ||
         (points() == PointRule::method && map.placement().recipe->label != LabelRule::none &&
          !find_method(map.placement().recipe->method)->partitions);
}

bool LintContext::lists_owners() const {
  return points() == PointRule::table && !find_method(map.placement().recipe->method)->partitions;
}

bool LintContext::is_ring() const {
  if (map.placement().given) return true;
  const Method* method = find_method(map.placement().recipe->method);
  return method && method->is_ring();
}

bool LintContext::fills_slots() const {
  const Method* method = find_method(map.placement().recipe->method);
  return method && method->slots;
}

std::span<const CheckRule> check_rules() {
  return rules;
}

CheckReport check(const Placement& placement, const Observed& observed, const CheckOptions& options) {
  const LintContext context(placement, observed, options);
  CheckReport report;
  report.findings = observed.findings;
  for (const Row& row : rows) {
    Findings found;
    row.run(context, found);
    for (Finding& finding : found) {
      finding.severity = row.rule.severity;
      finding.rule = row.rule.name;
      report.findings.push_back(std::move(finding));
    }
  }
  std::stable_sort(report.findings.begin(), report.findings.end(), [](const Finding& a, const Finding& b) {
    return a.severity != b.severity ? a.severity > b.severity : a.rule < b.rule;
  });
  report.ok = std::none_of(report.findings.begin(), report.findings.end(),
                           [](const Finding& f) { return f.severity == error; });
  return report;
}

}  // namespace arcwise
