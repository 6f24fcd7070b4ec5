// What assigning partitions costs: from nothing, and anew after a change, with the copies that move.
#include <fmt/core.h>

#include "bench_report.hpp"
#include "study/assign_testing.hpp"

namespace {

using namespace arcwise;

constexpr int rounds = 5;

struct Case {
  std::string name;
  AssignRequest request;
};

// `before` with one more node like its first.
AssignRequest joined(AssignRequest before, const char* zone, double weight) {
  before.nodes.push_back({"joiner", weight, "", "", zone});
  return before;
}

void compare(bench::Report& report, const std::string& heading, const AssignRequest& request,
             const std::vector<Case>& changes) {
  std::vector<Assignment> done(changes.size());
  bench::Comparison comparison("assigning from nothing", [&] { bench::keep(assign(request)->moved); });
  for (std::size_t i = 0; i < changes.size(); ++i)
    comparison.add(changes[i].name, [&, i] { done[i] = *assign(changes[i].request); });
  comparison.run(report.smoke() ? 1 : rounds);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    comparison.note(changes[i].name + ": moved", static_cast<double>(done[i].moved), "copies");
    comparison.note(changes[i].name + ": proven least", static_cast<double>(done[i].least), "copies");
    comparison.note(changes[i].name + ": above targets, crowded",
                    static_cast<double>(done[i].uneven + done[i].crowded), "copies");
  }
  report.add(heading, comparison);
}

void fleet_changes(bench::Report& report, const std::string& heading, std::uint32_t partitions,
                   std::uint32_t nodes, std::uint32_t zones, std::uint32_t per_host, bool mixed) {
  AssignRequest request = fleet(partitions, 3, nodes, zones, per_host);
  for (std::size_t i = 0; mixed && i < nodes; ++i) request.nodes[i].weight = static_cast<double>(1 + i % 4);
  const AssignRequest placed = after(request, *assign(request));
  AssignRequest drained = placed;
  drained.nodes[nodes / 2].draining = true;
  compare(report, heading, request,
          {{"one node joins", joined(placed, "z0", 1)},
           {"one of twice the weight joins", joined(placed, "z0", 2)},
           {"one node drains", drained}});
}

}  // namespace

int main(int argc, char** argv) {
  bench::Report report(argc, argv);
  const bool smoke = report.smoke();
  const auto size = [&](std::uint32_t full) { return smoke ? full / 16 : full; };
  fleet_changes(report, "4,096 partitions x 3, 100 nodes of weights 1 to 4 in 5 zones", size(4096), 100, 5, 1,
                true);
  fleet_changes(report, "16,384 partitions x 3, 1,000 nodes in 50 zones", size(16384), smoke ? 100 : 1000, 50,
                1, false);
  fleet_changes(report, "65,536 partitions x 3, 100 devices, 5 a host, in 5 zones", size(65536), 100, 5, 5,
                false);
  fleet_changes(report, "262,144 partitions x 3, 100 devices, 5 a host, in 5 zones", size(262144), 100, 5, 5,
                false);
  fleet_changes(report, "65,536 partitions x 3, 99 devices, 5 a host, in 3 zones", size(65536), 99, 3, 5,
                false);
  fleet_changes(report, "65,536 partitions x 3, 100 devices in one zone", size(65536), 100, 1, 5, false);
  report.close(0);
}
