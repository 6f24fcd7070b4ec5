#include "study/plan_warnings.hpp"

#include <algorithm>
#include <set>

#include "model/build.hpp"
#include "study/apply_parts.hpp"
#include "study/numbers.hpp"

namespace arcwise {
namespace {

using Severity = Finding::Severity;

PointRule point_rule(const ClusterMap& map) {
  return map.placement().given ? PointRule::given : map.placement().recipe->points;
}

// A node that the change is about: in one map only, or described differently.
bool touched(const ClusterMap& before, const ClusterMap& after, const std::string& name) {
  const auto a = before.find(name), b = after.find(name);
  if (!a || !b) return true;
  const Node& x = before.nodes()[*a];
  const Node& y = after.nodes()[*b];
  return x.weight != y.weight || x.label != y.label || x.host != y.host || x.rack != y.rack ||
         x.zone != y.zone || x.state != y.state || x.tokens != y.tokens;
}

std::string useless_advice(const ClusterMap& before, const ClusterMap& after) {
  if (point_rule(before) != point_rule(after))
    return "these are two different placements: expect nearly everything to move once";
  switch (point_rule(after)) {
    case PointRule::method:
      return "with this recipe a change may move keys between any nodes; a ring with fixed tokens per weight "
             "does not";
    case PointRule::list_index:
      return "a remainder renumbers nearly every key; a ring moves about one node's share";
    default:
      return "look at the single steps: what one step moves another may move back";
  }
}

void check_useless(const ClusterMap& before, const ClusterMap& after, const Diff& diff,
                   std::vector<Finding>& out) {
  const double moved = diff.moved.value(), useless = moved - diff.least.value();
  if (useless <= moved / 100) return;
  Share between;
  std::set<std::string> changed;
  for (const auto& node : diff.nodes)
    if (touched(before, after, node.name)) changed.insert(node.name);
  for (const Transfer& t : diff.transfers)
    if (!changed.contains(t.from) && !changed.contains(t.to)) between += t.share;
  std::string message = "copies that make up " + percent(moved) + " of the data move where " +
                        percent(diff.least.value()) + " would do: " + percent(useless) + " is useless";
  if (between.units)
    message += "; " + percent(between.value()) + " moves between nodes that the change does not touch";
  out.push_back({Severity::warning, "useless-moves", "", message, useless_advice(before, after)});
}

// One node that does most of the work though the change is not about it: the neighbour of a single token.
void check_spread(const ClusterMap& before, const ClusterMap& after, const Diff& diff,
                  std::vector<Finding>& out) {
  constexpr std::size_t few_nodes = 3;
  constexpr double most = 0.5;
  if (before.nodes().size() <= few_nodes || diff.moved.units == 0) return;
  for (const auto& node : diff.nodes) {
    const double given = node.given.value() / diff.moved.value(),
                 gained = node.gained.value() / diff.moved.value();
    if (std::max(given, gained) <= most || touched(before, after, node.name)) continue;
    const bool donor = given > most;
    out.push_back({Severity::warning, donor ? "one-donor" : "one-receiver", node.name,
                   "'" + node.name + (donor ? "' sends " : "' receives ") + percent(donor ? given : gained) +
                       " of what moves, alone, while the others stand by",
                   "with more tokens a node, all nodes share that work"});
  }
}

std::size_t groups(const ClusterMap& map, Across across, const std::string* zone) {
  std::set<std::string> seen;
  for (const Node& node : map.nodes())
    if (node.state != NodeState::joining && (!zone || node.zone == *zone))
      seen.insert(group_name(node, across));
  return seen.size();
}

void check_groups(const ClusterMap& before, const ClusterMap& after, std::uint32_t count,
                  const std::string* zone, std::vector<Finding>& out) {
  const Across across = after.replicas().across;
  const std::size_t had = groups(before, across, zone), have = groups(after, across, zone);
  const std::string where = zone ? " in zone '" + *zone + "'" : "";
  const std::string level(to_string(across));
  if (across == Across::node) {
    if (have == count && had > have)
      out.push_back({Severity::info, "no-spare-node", zone ? *zone : "",
                     std::to_string(have) + " nodes are left" + where + " for " + std::to_string(count) +
                         " copies: each holds everything, and none can be taken out",
                     "keep at least one node more than there are copies"});
    return;
  }
  if (have >= count || have == 0) return;
  const std::size_t together = (count + have - 1) / have;
  std::string message = have < had
                            ? level + "s fall from " + std::to_string(had) + " to " + std::to_string(have)
                            : "there are " + std::to_string(have) + " " + level + "s";
  message += where + " for " + std::to_string(count) + " copies, so that one " + level + " holds " +
             std::to_string(together) + " of them";
  if (count - together < count / 2 + 1) message += ", and losing it loses the quorum";
  out.push_back({have < had ? Severity::warning : Severity::info, "fewer-" + level + "s-than-replicas",
                 zone ? *zone : "", message, "keep at least " + std::to_string(count) + " " + level + "s"});
}

void check_policy(const ClusterMap& before, const ClusterMap& after, std::vector<Finding>& out) {
  if (point_rule(after) == PointRule::table) return;
  const ReplicaPolicy& policy = after.replicas();
  if (policy.per_zone.empty()) return check_groups(before, after, policy.count, nullptr, out);
  for (const ZoneCount& zone : policy.per_zone) check_groups(before, after, zone.count, &zone.zone, out);
}

void check_space(const Plan& plan, std::vector<Finding>& out) {
  for (const NodeFlow& flow : plan.flows)
    if (flow.utilisation_after.value_or(0) > 1)
      out.push_back(
          {Severity::warning, "over-full", flow.name,
           "'" + flow.name + "' would have to hold " + percent(*flow.utilisation_after) + " of its capacity",
           "add capacity first, or spread the load over more nodes"});
}

// The map's function is the same, but the machine behind a name is another one, perhaps an empty one.
void check_addresses(const ClusterMap& before, const ClusterMap& after, const Diff& diff,
                     std::vector<Finding>& out) {
  for (const auto& node : diff.nodes) {
    const auto was = before.find(node.name), is = after.find(node.name);
    if (!was || !is || node.before.units == 0) continue;
    const std::string& address = after.nodes()[*is].address;
    if (before.nodes()[*was].address == address) continue;
    out.push_back({Severity::info, "readdressed", node.name,
                   "'" + node.name + "' is at '" + address + "' now and keeps its keys: " +
                       percent(node.before.value()) + " of the data is expected there",
                   "if that machine is empty, fill it from the old one or from the other replicas first"});
  }
}

// "107840 s"
std::string seconds_text(double seconds) {
  return std::to_string(static_cast<std::uint64_t>(seconds + 0.5)) + " s";
}

// The many-ranges trap: more time goes into beginning streams than into bytes.
void check_overhead(const ClusterMap& before, const ClusterMap& after, const Plan& plan,
                    const CostOptions& cost, std::vector<Finding>& out) {
  constexpr std::uint32_t few = 16;
  const auto flow = std::find_if(plan.flows.begin(), plan.flows.end(),
                                 [&](const NodeFlow& f) { return f.name == plan.bottleneck; });
  if (flow == plan.flows.end() || flow->overhead_seconds <= flow->transfer_seconds) return;
  const auto with = [&](std::uint64_t sessions, std::uint64_t at_once) {
    return seconds_text(flow->transfer_seconds +
                        static_cast<double>((sessions + at_once - 1) / at_once) * cost.session_overhead);
  };
  const ClusterMap& map = after.find(flow->name) ? after : before;
  const Node& node = map.nodes()[*map.find(flow->name)];
  const std::uint64_t per_node =
      node.tokens.empty() ? token_count(node.weight, map.placement().tokens) : node.tokens.size();
  std::string advice;
  if (cost.parallel < few)
    advice = "run " + std::to_string(few) + " streams at once (" + with(flow->sessions, few) + ")";
  if (per_node > few)
    advice += (advice.empty() ? "" : ", or ") + ("use " + std::to_string(few)) +
              " tokens a node where there are " + std::to_string(per_node) + " (" +
              with(std::max<std::uint64_t>(1, flow->sessions * few / per_node), cost.parallel) + ")";
  out.push_back({Severity::warning, "overhead-rules", flow->name,
                 "the fixed cost of " + std::to_string(flow->sessions) + " streams takes " +
                     seconds_text(flow->overhead_seconds) + ", their bytes " +
                     seconds_text(flow->transfer_seconds),
                 advice});
}

// Nodes that come or go have their reasons; weights and other maps are there to even things out.
void check_balance(const Change& change, const Plan& plan, std::vector<Finding>& out) {
  constexpr double noticeable = 1.02;
  if (!change.add.empty() || !change.remove.empty() || !change.replace.empty()) return;
  if (!change.parts.drains.empty()) return;
  const double was = plan.balance_before.max_over_target, is = plan.balance_after.max_over_target;
  if (plan.diff.moved.units == 0 || is < was * noticeable) return;
  out.push_back({Severity::warning, "less-even", "",
                 "data moves, and the cluster gets less even: the largest node goes from " + ratio(was) +
                     " to " + ratio(is) + " its target",
                 "stay with the map before, or change other nodes"});
}

}  // namespace

std::vector<Finding> plan_warnings(const ClusterMap& before, const ClusterMap& after, const Change& change,
                                   const Plan& plan, const CostOptions& cost) {
  std::vector<Finding> out;
  check_overhead(before, after, plan, cost, out);
  check_space(plan, out);
  check_policy(before, after, out);
  if (change.parts.pins.empty() && change.parts.exclusions.empty())  // those are asked for
    check_useless(before, after, plan.diff, out);
  if (!parts_may_move(before)) check_spread(before, after, plan.diff, out);
  check_balance(change, plan, out);
  check_addresses(before, after, plan.diff, out);
  if (plan.diff.moved.units == 0 && !plan.diff.sampled)
    out.push_back({Severity::info, "moves-nothing", "", "no copy goes to another node", ""});
  if (plan.diff.sampled)
    out.push_back({Severity::info, "sampled", "",
                   "regions of the two maps cannot be compared, so shares come from " +
                       std::to_string(plan.diff.sampled->keys) + " sampled keys",
                   ""});
  std::stable_sort(out.begin(), out.end(),
                   [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
  return out;
}

}  // namespace arcwise
