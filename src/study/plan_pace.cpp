#include "study/plan_pace.hpp"

#include <algorithm>
#include <map>

#include "study/rack_text.hpp"

namespace arcwise {
namespace {

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

NodeFlow flow_of(const Diff::NodeShare& node, const ClusterMap& before, const CostOptions& cost) {
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
  return flow;
}

// Empty where the node names no rack: what it sends passes no rack's limit.
std::string rack_of(const std::string& name, const ClusterMap& first, const ClusterMap& second) {
  for (const ClusterMap* map : {&first, &second})
    if (const auto at = map->find(name))
      return map->nodes()[*at].rack.empty() ? "" : rack_text(map->nodes()[*at]);
  return "";
}

std::vector<RackLoad> rack_loads(const Diff& diff, const ClusterMap& before, const ClusterMap& after,
                                 const CostOptions& cost) {
  std::map<std::string, Share> passed;
  for (const Transfer& t : diff.transfers) {
    const std::string from = rack_of(t.from, before, after), to = rack_of(t.to, after, before);
    if (from == to) continue;
    if (!from.empty()) passed[from] += t.share;
    if (!to.empty()) passed[to] += t.share;
  }
  std::vector<RackLoad> out;
  out.reserve(passed.size());
  for (const auto& [rack, share] : passed) out.push_back({rack, share.value() * cost.data_bytes, 0, 0});
  return out;
}

}  // namespace

Pace pace_of(const Diff& diff, const ClusterMap& before, const ClusterMap& after, const CostOptions& cost) {
  Pace pace;
  pace.bytes = diff.moved.value() * cost.data_bytes;
  const auto slower = [&](double seconds, const std::string& name) {
    if (!(seconds > pace.seconds)) return;
    pace.seconds = seconds;
    pace.bottleneck = name;
  };
  for (const auto& node : diff.nodes) {
    pace.flows.push_back(flow_of(node, before, cost));
    slower(pace.flows.back().seconds, node.name);
  }
  if (cost.rack_bandwidth > 0) pace.racks = rack_loads(diff, before, after, cost);
  for (const RackLoad& rack : pace.racks) slower(rack.bytes / cost.rack_bandwidth, "rack " + rack.name);
  for (NodeFlow& flow : pace.flows) {
    if (pace.seconds > 0) flow.send_rate = flow.bytes_out / pace.seconds;
    if (cost.node_bandwidth > 0) flow.budget_used = flow.send_rate / cost.node_bandwidth;
  }
  for (RackLoad& rack : pace.racks) {
    if (pace.seconds > 0) rack.rate = rack.bytes / pace.seconds;
    rack.budget_used = rack.rate / cost.rack_bandwidth;
  }
  return pace;
}

Disks::Disks(const ClusterMap& before, const Ownership& owned_before, double mean)
    : before_(before), mean_(mean) {
  double targets = 0, weights = 0;
  for (std::size_t n = 0; n < before.nodes().size(); ++n) {
    targets_.push_back(owned_before.nodes[n].target);
    if (targets_.back() <= 0) continue;
    targets += targets_.back();
    weights += before.nodes()[n].weight;
  }
  if (weights > 0) per_weight_ = targets / weights;
}

double Disks::filled(const Node& at, Share share) const {
  const auto was = before_.find(at.name);
  double capacity = was ? targets_[*was] * at.weight / before_.nodes()[*was].weight : 0;
  if (!(capacity > 0)) capacity = at.weight * per_weight_;  // a new node's disk is like its weight
  return capacity > 0 ? mean_ * share.value() / capacity : 0;
}

}  // namespace arcwise
