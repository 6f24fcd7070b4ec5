// What a change costs: the difference of the two maps, in bytes and seconds, step by step.
#include <algorithm>

#include "arcwise/change.hpp"
#include "study/diff.hpp"
#include "study/numbers.hpp"
#include "study/plan_warnings.hpp"

namespace arcwise {
namespace {

constexpr std::uint64_t sampled_keys = 1'000'000;

// A stream's bytes take their time, and every range costs its stream's overhead beside it, `parallel` of them
// at once. 768 ranges of 130 s one by one are 99,840 s, whatever the data; 16 at once, 48 times 130 s.
struct Direction {
  double transfer = 0, overhead = 0;
  double seconds() const { return transfer + overhead; }
};
Direction direction(double bytes, double bandwidth, std::uint64_t ranges, const CostOptions& cost) {
  const std::uint64_t turns = (ranges + cost.parallel - 1) / cost.parallel;
  return {bandwidth > 0 ? bytes / bandwidth : 0, static_cast<double>(turns) * cost.session_overhead};
}

// Nodes work in parallel; each needs as long as its slower direction, and the slowest sets the pace of all.
struct Pace {
  std::vector<NodeFlow> flows;
  double bytes = 0, seconds = 0;
  std::string bottleneck;
};

Pace pace_of(const Diff& diff, const ClusterMap& before, const CostOptions& cost) {
  Pace pace;
  pace.bytes = diff.moved.value() * cost.data_bytes;
  for (const auto& node : diff.nodes) {
    NodeFlow flow;
    flow.name = node.name;
    flow.bytes_out = node.given.value() * cost.data_bytes;
    flow.bytes_in = node.gained.value() * cost.data_bytes;
    const bool joins = cost.joiner_bandwidth > 0 && !before.find(node.name);
    const double limit_in = joins ? cost.joiner_bandwidth : cost.node_bandwidth;
    const Direction out = direction(flow.bytes_out, cost.node_bandwidth, node.ranges_given, cost);
    const Direction in = direction(flow.bytes_in, limit_in, node.ranges_gained, cost);
    const Direction& slower = in.seconds() > out.seconds() ? in : out;
    flow.sessions = std::max(node.ranges_given, node.ranges_gained);
    flow.transfer_seconds = slower.transfer;
    flow.overhead_seconds = slower.overhead;
    flow.seconds = slower.seconds();
    if (flow.seconds > pace.seconds) {
      pace.seconds = flow.seconds;
      pace.bottleneck = flow.name;
    }
    pace.flows.push_back(std::move(flow));
  }
  for (NodeFlow& flow : pace.flows) {
    if (pace.seconds > 0) flow.send_rate = flow.bytes_out / pace.seconds;
    if (cost.node_bandwidth > 0) flow.budget_used = flow.send_rate / cost.node_bandwidth;
  }
  return pace;
}

// Disks are as large as the targets before ask for, the mean of them filled to `mean`; a new node's disk is
// like its weight. Twelve equal nodes at 60 %, each holding its 1/12; one leaves and its neighbour takes all:
// 60 % × 2/12 ÷ 1/12.
void add_utilisation(std::vector<NodeFlow>& flows, const Diff& diff, const ClusterMap& before,
                     const ClusterMap& after, const Ownership& owned_before, double mean) {
  double targets = 0, weights = 0;
  for (std::size_t n = 0; n < before.nodes().size(); ++n) {
    if (owned_before.nodes[n].target <= 0) continue;
    targets += owned_before.nodes[n].target;
    weights += before.nodes()[n].weight;
  }
  if (weights <= 0) return;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const Diff::NodeShare& share = diff.nodes[i];
    const auto was = before.find(share.name), is = after.find(share.name);
    double capacity = was ? owned_before.nodes[*was].target : 0;
    if (capacity <= 0) capacity = (is ? after.nodes()[*is] : before.nodes()[*was]).weight * targets / weights;
    if (was) flows[i].utilisation_before = mean * share.before.value() / capacity;
    // A new weight is a machine of another size: twice the weight, twice the disk.
    if (was && is) capacity *= after.nodes()[*is].weight / before.nodes()[*was].weight;
    if (is) flows[i].utilisation_after = mean * share.after.value() / capacity;
  }
}

struct NamedChange {
  std::string action;
  Change change;
};

// One node at a time. Tokens that the whole change drew for a new node are its tokens in its own step too.
std::vector<NamedChange> single_changes(const Change& change, const ClusterMap& after) {
  std::vector<NamedChange> out;
  for (const NewNode& node : change.add) {
    NamedChange step{"add " + node.name, {}};
    step.change.add.push_back(node);
    const auto at = after.find(node.name);
    if (after.placement().given && at && node.tokens.empty())
      for (Token token : after.nodes()[*at].tokens)
        step.change.add[0].tokens.push_back(to_hex(after.space(), token));
    out.push_back(std::move(step));
  }
  for (const auto& [old, node] : change.replace) {
    out.push_back({old == node.name ? "readdress " + old : "replace " + old + " by " + node.name, {}});
    out.back().change.replace.emplace_back(old, node);
  }
  for (const auto& [name, weight] : change.weight) {
    const auto at = after.find(name);
    out.push_back({"reweight " + name, {}});
    out.back().change.weight.emplace_back(name, weight);
    if (at) out.back().action += " to " + shortest(after.nodes()[*at].weight);
  }
  for (const std::string& name : change.remove) {
    out.push_back({"remove " + name, {}});
    out.back().change.remove.push_back(name);
  }
  return out;
}

void add_steps(Plan& plan, const ClusterMap& before, const ClusterMap& after, const Change& change,
               const CostOptions& cost, std::uint64_t seed) {
  const std::vector<NamedChange> singles = single_changes(change, after);
  if (singles.size() == 1) {
    plan.steps.push_back({singles[0].action, plan.diff.moved, plan.bytes, plan.seconds});
    return;
  }
  ClusterMap current = before;
  for (const NamedChange& single : singles) {
    std::vector<Finding> already_told;
    const Result<ClusterMap> next = apply(current, single.change, already_told);
    if (!next) {
      plan.steps.clear();
      plan.warnings.push_back({Finding::Severity::warning, "not-one-by-one", "",
                               "the change cannot be made one node at a time: \"" + single.action +
                                   "\" fails: " + next.error().why,
                               "change the order, or make it all at once"});
      return;
    }
    const Diff diff = compare(compile(current), compile(*next), seed, sampled_keys);
    const Pace pace = pace_of(diff, before, cost);
    plan.steps.push_back({single.action, diff.moved, pace.bytes, pace.seconds});
    current = *next;
  }
}

}  // namespace

Plan plan(const ClusterMap& before, const ClusterMap& after, const Change& change, const CostOptions& cost,
          std::uint64_t seed) {
  const Placement placed_before = compile(before), placed_after = compile(after);
  const Ownership owned_before = ownership(placed_before);
  Plan out;
  out.diff = diff(placed_before, placed_after, seed, sampled_keys);
  out.balance_before = owned_before.balance;
  out.balance_after = ownership(placed_after).balance;
  Pace pace = pace_of(out.diff, before, cost);
  out.bytes = pace.bytes;
  out.seconds = pace.seconds;
  out.bottleneck = std::move(pace.bottleneck);
  if (cost.utilisation) add_utilisation(pace.flows, out.diff, before, after, owned_before, *cost.utilisation);
  for (std::size_t i = 0; i < pace.flows.size(); ++i)
    if (cost.utilisation || out.diff.nodes[i].given.units || out.diff.nodes[i].gained.units)
      out.flows.push_back(std::move(pace.flows[i]));
  out.warnings = plan_warnings(before, after, out, cost);
  add_steps(out, before, after, change, cost, seed);
  return out;
}

}  // namespace arcwise
