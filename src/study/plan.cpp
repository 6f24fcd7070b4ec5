// What a change costs: the difference of the two maps, in bytes and seconds.
#include "arcwise/change.hpp"
#include "study/plan_pace.hpp"
#include "study/plan_warnings.hpp"

namespace arcwise {
namespace {

constexpr std::uint64_t sampled_keys = 1'000'000;

// Twelve equal nodes at 60 %, each holding its 1/12; one leaves and its neighbour takes all: 60 % × 2/12 ÷
// 1/12.
void add_utilisation(std::vector<NodeFlow>& flows, const Diff& diff, const ClusterMap& before,
                     const ClusterMap& after, const Disks& disks) {
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const Diff::NodeShare& share = diff.nodes[i];
    const auto was = before.find(share.name), is = after.find(share.name);
    if (was) flows[i].utilisation_before = disks.filled(before.nodes()[*was], share.before);
    if (is) flows[i].utilisation_after = disks.filled(after.nodes()[*is], share.after);
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
  Pace pace = pace_of(out.diff, before, after, cost);
  out.bytes = pace.bytes;
  out.seconds = pace.seconds;
  out.bottleneck = std::move(pace.bottleneck);
  if (cost.utilisation)
    add_utilisation(pace.flows, out.diff, before, after, Disks(before, owned_before, *cost.utilisation));
  for (std::size_t i = 0; i < pace.flows.size(); ++i)
    if (cost.utilisation || out.diff.nodes[i].given.units || out.diff.nodes[i].gained.units)
      out.flows.push_back(std::move(pace.flows[i]));
  out.warnings = plan_warnings(before, after, change, out, cost);
  return out;
}

}  // namespace arcwise
