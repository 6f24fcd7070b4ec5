// What it costs to have a ring ready: from nothing, and after a node joined. The peer is what a router or
// client does on every change: hash the same names, sort pairs of token and pointer.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "arcwise/placement.hpp"
#include "bench_report.hpp"
#include "hash/splitmix.hpp"

namespace {

using namespace arcwise;

constexpr std::uint64_t seed = 1;
constexpr int rounds = 21;

ClusterMap map_of(std::size_t nodes, std::uint32_t tokens) {
  ClusterMap::Parts parts;
  parts.cluster = "bench";
  parts.placement.recipe = find_recipe("ring");
  parts.placement.tokens = tokens;
  parts.replicas.count = 3;
  parts.nodes.resize(nodes);
  for (std::size_t i = 0; i < nodes; ++i) parts.nodes[i].name = "node-" + std::to_string(i);
  return *ClusterMap::build(std::move(parts));
}

using Pairs = std::vector<std::pair<std::uint64_t, const Node*>>;

Pairs sorted_pairs(const ClusterMap& map, std::uint32_t tokens) {
  Pairs pairs;
  pairs.reserve(map.nodes().size() * tokens);
  for (const Node& node : map.nodes())
    for (std::uint32_t i = 0; i < tokens; ++i)
      pairs.emplace_back(key_hash(KeyHashId::xxh3, node.name + ":" + std::to_string(i)), &node);
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

void check(const Placement& ring, const Pairs& pairs) {
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    const std::uint64_t hash = mix64(seed + i);
    auto at = std::lower_bound(pairs.begin(), pairs.end(), hash,
                               [](const auto& p, std::uint64_t h) { return p.first < h; });
    if (at == pairs.end()) at = pairs.begin();
    if (ring.map().nodes()[ring.primary({hash})].name != at->second->name) {
      std::fprintf(stderr, "wrong answer for %llx\n", static_cast<unsigned long long>(hash));
      std::exit(1);
    }
  }
}

void compare(std::size_t nodes, std::uint32_t tokens, int times, bench::Report& report) {
  const ClusterMap before = map_of(nodes, tokens);
  const ClusterMap after = map_of(nodes + 1, tokens);
  Placement ring = compile(before);
  Placement joined = compile(after, ring);
  Placement full = compile(after);
  check(ring, sorted_pairs(before, tokens));
  check(joined, sorted_pairs(after, tokens));
  bench::Comparison builds("sorted pairs", [&] { bench::keep(sorted_pairs(after, tokens).size()); });
  builds.add("compile", [&] { full = compile(after); });
  builds.add("compile after a join, from the ring before", [&] { joined = compile(after, ring); });
  builds.add("compile after a leave, from the ring before", [&] { ring = compile(before, joined); });
  report.add(std::to_string(nodes) + " nodes x " + std::to_string(tokens) + " tokens", builds, times);
}

}  // namespace

int main(int argc, char** argv) {
  bench::Report report(argc, argv);
  compare(100, 160, rounds, report);
  if (!report.smoke()) compare(1000, 256, rounds, report);
  if (!report.smoke()) compare(10000, 256, 5, report);
  report.close(seed);
}
