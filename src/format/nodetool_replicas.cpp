#include "format/nodetool_replicas.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "arcwise/placement.hpp"

namespace arcwise {
namespace {

constexpr double whole = 0.01;     ///< how far from whole copies, in copies a copy, complete ownership strays
constexpr double rounding = 0.05;  ///< printed percentages have two digits or fewer; the sum of many strays
// `nodetool status` prints tenths of a percent, so a right policy is off by 0.0005 and the rounding of token
// shares.
constexpr double fit = 0.0012;
constexpr double clearly_worse = 4;
constexpr double noise = 0.0002;

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f%%", share * 100);
  return text;
}

std::string text_of(const ReplicaPolicy& policy) {
  if (policy.per_zone.empty()) return std::to_string(policy.count);
  std::string out;
  for (const ZoneCount& zone : policy.per_zone)
    out += (out.empty() ? "" : ", ") + zone.zone + ": " + std::to_string(zone.count);
  return out;
}

void set_zones(ReplicaPolicy& policy, const std::map<std::string, std::uint32_t>& counts) {
  policy.count = 0;
  for (const auto& [zone, count] : counts) {
    if (!count) continue;
    policy.per_zone.push_back({zone, count});
    policy.count += count;
  }
  if (counts.size() == 1 || policy.per_zone.empty()) {
    policy.per_zone.clear();
    policy.count = std::max<std::uint32_t>(policy.count, 1);
  }
}

// `--replicas N` is what Cassandra calls 'replication_factor': N in every data center.
void set_asked(ReplicaPolicy& policy, std::map<std::string, std::uint32_t> zones, std::uint32_t asked,
               std::vector<Finding>& findings) {
  if (zones.size() < 2 || !asked) {
    policy.count = asked;
    return;
  }
  for (auto& [zone, count] : zones) count = asked;
  set_zones(policy, zones);
  findings.push_back({Finding::Severity::info, "replicas-per-zone", "replicas",
                      std::to_string(asked) + " replicas in each of " + std::to_string(zones.size()) +
                          " data centers, " + std::to_string(policy.count) + " in all",
                      "write a map with `per_zone` for other counts"});
}

void ask_for_replicas(std::string why, std::vector<Finding>& findings) {
  findings.push_back({Finding::Severity::info, "replicas-unknown", "replicas",
                      std::move(why) + ": one replica is assumed",
                      "give --replicas N, or run nodetool with the name of a keyspace"});
}

// Two of six nodes cut off a file leave 1.7 of 3 copies: 2 would be a guess.
bool is_whole(double total) {
  const double copies = std::max(1.0, std::floor(total + 0.5));
  return std::abs(total - copies) <= whole * copies;
}

void report_incomplete(double total, std::vector<Finding>& findings) {
  findings.push_back({Finding::Severity::warning, "ownership-incomplete", "replicas",
                      "the printed ownership adds up to " + percent(total) +
                          ", which is no whole number of copies: the output may be cut short",
                      "save the whole output again, or give --replicas N"});
}

struct ZoneOwns {
  double sum = 0;
  bool known = true;
};

// Joining nodes own nothing yet.
std::map<std::string, ZoneOwns> owns_by_zone(std::span<const SeenNode> nodes) {
  std::map<std::string, ZoneOwns> zones;
  for (const SeenNode& node : nodes) {
    if (node.state == SeenNode::State::joining) continue;
    ZoneOwns& zone = zones[node.zone];
    zone.sum += node.owns.value_or(0);
    zone.known &= node.owns.has_value();
  }
  return zones;
}

double total_owns(const std::map<std::string, ZoneOwns>& zones) {
  double total = 0;
  for (const auto& [name, zone] : zones) total += zone.sum;
  return total;
}

// The largest difference between what is printed and what the map computes.
double misfit(const ClusterMap& map, std::span<const SeenNode> nodes) {
  const Placement placement = compile(map);
  std::vector<Share> held(nodes.size());
  std::vector<NodeIndex> owners(placement.max_owners());
  for (std::size_t r = 0; r < placement.region_count(); ++r) {
    const std::size_t count = placement.region_owners(r, {}, owners);
    const Share share = share_of(map.domain(), placement.region(r));
    for (std::size_t i = 0; i < count; ++i) held[owners[i]] += share;
  }
  double worst = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].owns) worst = std::max(worst, std::abs(held[i].value() - *nodes[i].owns));
  return worst;
}

std::uint32_t most_common(const std::map<std::uint32_t, std::size_t>& seen) {
  const auto at = std::max_element(seen.begin(), seen.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second < b.second : a.first < b.first;
  });
  return at == seen.end() ? 0 : at->first;
}

// How many ranges have how many endpoints, in each data center.
std::map<std::string, std::map<std::uint32_t, std::size_t>> counts_by_zone(const NodetoolView& view) {
  std::map<std::string, std::map<std::uint32_t, std::size_t>> seen;
  for (const SeenNode& node : view.nodes) seen[node.zone];
  for (const SeenRange& range : view.ranges) {
    std::map<std::string, std::uint32_t> here;
    for (const NodeIndex node : range.endpoints) ++here[view.nodes[node].zone];
    for (auto& [zone, counts] : seen) ++counts[here[zone]];
  }
  return seen;
}

}  // namespace

DerivedPolicy policy_of_owns(std::span<const SeenNode> nodes, const LoadOptions& options,
                             std::vector<Finding>& findings) {
  DerivedPolicy out{{1, options.across.value_or(Across::rack), WhenShort::repeat, {}}, false};
  const auto zones = owns_by_zone(nodes);
  const bool known =
      std::all_of(zones.begin(), zones.end(), [](const auto& zone) { return zone.second.known; });
  const double total = total_owns(zones);
  const bool cut = known && !is_whole(total);
  if (cut) report_incomplete(total, findings);
  out.owns_effective = known && !cut && total > 1 + rounding;
  std::map<std::string, std::uint32_t> counts;
  for (const auto& [name, zone] : zones)
    counts[name] = static_cast<std::uint32_t>(std::min(zone.sum + 0.5, 1e6));
  // Five asked for, and three and two printed: the counts are known. Three asked for: three in each.
  const bool said = out.owns_effective && options.replicas && std::abs(total - *options.replicas) < rounding;
  if (options.replicas && !said) {
    set_asked(out.policy, counts, *options.replicas, findings);
  } else if (!known) {
    ask_for_replicas("the printed ownership does not count replicas (`?`)", findings);
  } else if (cut) {
    ask_for_replicas("the printed ownership is incomplete", findings);
  } else if (!out.owns_effective) {
    ask_for_replicas("the printed ownership adds up to " + percent(total) + ", that is one copy", findings);
  } else {
    set_zones(out.policy, counts);
    findings.push_back(
        {Finding::Severity::info, "replicas-derived", "replicas",
         "the printed ownership adds up to " + percent(total) + ": replicas " + text_of(out.policy),
         "give --replicas N if that is wrong"});
  }
  return out;
}

ReplicaPolicy policy_of_ranges(const NodetoolView& view, const LoadOptions& options,
                               std::vector<Finding>& findings) {
  ReplicaPolicy policy{1, options.across.value_or(Across::rack), WhenShort::repeat, {}};
  std::map<std::string, std::uint32_t> counts;
  for (const auto& [zone, seen] : counts_by_zone(view)) counts[zone] = most_common(seen);
  if (options.replicas) {
    set_asked(policy, counts, *options.replicas, findings);
    return policy;
  }
  set_zones(policy, counts);
  findings.push_back({Finding::Severity::info, "replicas-derived", "replicas",
                      "most ranges have this many endpoints: replicas " + text_of(policy),
                      "give --replicas N if that is wrong"});
  std::size_t more = 0;
  for (const SeenRange& range : view.ranges) more += range.endpoints.size() > policy.count;
  if (more)
    findings.push_back({Finding::Severity::warning, "extra-endpoints", "replicas",
                        std::to_string(more) +
                            " ranges have more endpoints than the others; only the first " +
                            std::to_string(policy.count) + " are counted",
                        "give --replicas N to count them all"});
  return policy;
}

ReplicaPolicy strategy_of_owns(const ClusterMap::Parts& parts, std::span<const SeenNode> nodes,
                               std::vector<Finding>& findings) {
  const auto network = ClusterMap::build(parts);
  if (!network) return parts.replicas;
  const double with_racks = misfit(*network, nodes);
  ClusterMap::Parts plain = parts;
  const auto count = static_cast<std::uint32_t>(std::min(total_owns(owns_by_zone(nodes)) + 0.5, 1e6));
  plain.replicas = {count, Across::node, WhenShort::repeat, {}};
  const auto simple = ClusterMap::build(plain);
  if (!simple) return parts.replicas;
  const double without = misfit(*simple, nodes);
  if (without >= fit || with_racks < clearly_worse * without + noise) return parts.replicas;
  findings.push_back({Finding::Severity::info, "simple-strategy", "replicas",
                      "the printed ownership is that of SimpleStrategy with " + std::to_string(count) +
                          " replicas, which ignores racks",
                      "give --across rack to treat it as NetworkTopologyStrategy"});
  return plain.replicas;
}

}  // namespace arcwise
