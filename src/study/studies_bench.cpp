// What the studies of a large map cost, as a ratio to std::sort of the same tokens in the same run.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "arcwise/check.hpp"
#include "arcwise/ownership.hpp"
#include "arcwise/placement.hpp"
#include "arcwise/risk.hpp"
#include "bench_report.hpp"

namespace {

using namespace arcwise;

constexpr std::uint32_t most_nodes = 1000;
constexpr std::uint32_t tokens = 256;
constexpr int rounds = 5;

ClusterMap large_map(std::uint32_t nodes) {
  ClusterMap::Parts parts;
  parts.cluster = "large";
  parts.placement.recipe = find_recipe("ring");
  parts.placement.tokens = tokens;
  parts.replicas = {3, Across::rack, WhenShort::refuse, {}};
  for (std::uint32_t i = 0; i < nodes; ++i) {
    Node node;
    node.name = "node-" + std::to_string(i);
    node.rack = "rack-" + std::to_string(i % 10);
    parts.nodes.push_back(node);
  }
  return *ClusterMap::build(std::move(parts));
}

std::uint64_t list_ranges(const Placement& placement) {
  std::vector<NodeIndex> owners(placement.max_owners());
  std::uint64_t copies = 0;
  for (std::size_t i = 0; i < placement.region_count(); ++i) copies += placement.region_owners(i, {}, owners);
  return copies;
}

}  // namespace

int main(int argc, char** argv) {
  bench::Report report(argc, argv);
  const std::uint32_t nodes = report.smoke() ? 20 : most_nodes;
  const ClusterMap map = large_map(nodes);
  const Placement placement = compile(map);
  std::vector<std::uint64_t> shuffled;
  for (std::uint32_t i = 0; i < nodes * tokens; ++i)
    shuffled.push_back(key_hash(KeyHashId::xxh3, std::to_string(i)));

  std::uint64_t sink = 0;
  bench::Comparison comparison("std::sort of the same tokens", [&] {
    std::vector<std::uint64_t> copy = shuffled;
    std::sort(copy.begin(), copy.end());
    sink += copy[0];
  });
  comparison.add("compile", [&] { sink += compile(map).entry_count(); });
  comparison.add("ranges: every range with its owners", [&] { sink += list_ranges(placement); });
  comparison.add("ownership (status without chance)", [&] { sink += ownership(placement).replica_sets; });
  comparison.add("status: ownership and what chance gives",
                 [&] { sink += ownership(placement).replica_sets + by_chance(placement, 1)->trials; });
  comparison.add("risk", [&] { sink += risk(placement, {}).replica_sets; });
  comparison.add("fingerprint", [&] { sink += fingerprints(placement).fingerprint.size(); });
  comparison.run(report.smoke() ? 1 : rounds);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  comparison.note("peak memory", static_cast<double>(usage.ru_maxrss) / 1024, "MiB");
  comparison.note("checksum", static_cast<double>(sink % 1000), "");
  report.add("1,000 nodes x 256 tokens, 3 replicas across racks", comparison);
  report.close(0);
}
