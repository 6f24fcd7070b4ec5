// How even clusters stay that grow one node at a time, by Arcwise's allocator and by Cassandra's; and what
// growing costs, as a ratio to Cassandra's rule in the same run.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bench_report.hpp"
#include "growth_bound.hpp"
#include "study/allocate_growing.hpp"
#include "study/allocate_shift.hpp"
#include "study/rng.hpp"

namespace {

using namespace arcwise;

std::vector<std::uint64_t> random_tokens(const AllocationRing& ring, const Joiner& joiner) {
  Rng rng(ring.tokens.size() + 1);
  std::vector<std::uint64_t> out(joiner.tokens);
  for (std::uint64_t& at : out) at = rng.next();
  return out;
}

constexpr std::uint64_t seed = 1;

struct Rule {
  const char* name;
  AllocationRule choose;
};
const Rule rules[] = {{"arcwise", arcwise_tokens}, {"cassandra", cassandra_tokens}};

/// What the smallest should hold at least, of what is fair.
double least_asked(std::uint32_t tokens) {
  return tokens <= 4 ? 0.88 : tokens <= 8 ? 0.93 : tokens <= 16 ? 0.965 : 0.98;
}

/// Worst over all sizes from `from` on.
Evenness worst(const Growth& growth, const AllocationRule& rule, std::size_t from) {
  const auto sizes = grow(growth, rule);
  Evenness out{0, 1e9};
  for (std::size_t i = from - 1; i < sizes.size(); ++i) {
    out.most = std::max(out.most, sizes[i].most);
    out.least = std::min(out.least, sizes[i].least);
  }
  return out;
}

void growth_table(bench::Report& report, std::string heading, Growth growth, std::size_t from,
                  const std::vector<std::uint32_t>& token_counts) {
  for (std::uint32_t tokens : token_counts) {
    growth.tokens = tokens;
    const std::string count = std::to_string(tokens) + " tokens, ";
    for (const Rule& rule : rules) {
      const Evenness e = worst(growth, rule.choose, from);
      report.figure(heading, count + rule.name + ": largest", e.most);
      report.figure("", count + rule.name + ": smallest", e.least);
      heading.clear();
    }
    // A node is relieved `replicas × tokens` times while the cluster grows by its own size.
    report.figure("", count + "largest that the rate of relief allows, about",
                  1 + 1 / (2.0 * growth.replicas * tokens));
    if (growth.replicas > 1) continue;
    const auto first = static_cast<std::uint32_t>(from);
    report.figure("", count + "largest, if sizes were all (linear program)",
                  bench::growth_bound({tokens, first, growth.units, 0}));
    report.figure("", count + "the same, none below " + fmt::format("{}", least_asked(tokens)),
                  bench::growth_bound({tokens, first, growth.units, least_asked(tokens)}));
  }
}

/// 200 joins and leaves around 30 nodes of 16 tokens, three copies, one rack: the mean and the worst of the
/// largest.
void churn(bench::Report& report, int changes) {
  const Rule with_random[] = {rules[0], rules[1], {"random", random_tokens}};
  std::string heading = std::to_string(changes) +
                        " random joins and leaves around 30 nodes of 16 tokens, one rack, three copies";
  for (const Rule& rule : with_random) {
    AllocationRing ring;
    ring.replicas = 3;
    Rng rng(seed);
    std::uint32_t group = 0;  // of the next node; never one that was there before
    for (; group < 30; ++group) ring.join(group, 1, rule.choose(ring, {group, 1, 16, 0}));
    double sum = 0, most = 0;
    for (int i = 0; i < changes; ++i) {
      const bool join = ring.units() <= 25 || (ring.units() < 35 && rng.below(2));
      if (join) {
        ring.join(group, 1, rule.choose(ring, {group, 1, 16, 0}));
        ++group;
      } else {
        ring.leave(static_cast<std::uint32_t>(rng.below(ring.units())));
      }
      const double largest = evenness_of(ring).most;
      sum += largest;
      most = std::max(most, largest);
    }
    report.figure(heading, std::string(rule.name) + ": largest, mean", sum / changes);
    report.figure("", std::string(rule.name) + ": largest, worst", most);
    heading.clear();
  }
}

/// Each join of a rack of 16 tokens a node may move a tenth beside itself.
void shifting(bench::Report& report, std::uint32_t units) {
  AllocationRing ring;
  double most = 0;
  for (std::uint32_t i = 0; i < units; ++i) {
    ring.join(i, 1, arcwise_tokens(ring, {i, 1, 16, 0}));
    shift_tokens(ring, 0.1 * held_by_unit(ring).back());
    if (i >= 3) most = std::max(most, evenness_of(ring).most);
  }
  report.figure(
      "three racks, three copies, 16 tokens, a tenth moved beside each join: worst of 12 to 100 nodes",
      "arcwise: largest", most);
}

/// From 16 nodes that the rule itself placed.
AllocationRing sixteen(std::uint32_t tokens) {
  AllocationRing ring;
  ring.replicas = 3;
  for (std::uint32_t i = 0; i < 16; ++i) ring.join(i, 1, cassandra_tokens(ring, {i, 1, tokens, 0}));
  return ring;
}

std::size_t grow_to(AllocationRing ring, std::uint32_t nodes, const AllocationRule& rule) {
  for (std::uint32_t i = ring.units(); i < nodes; ++i) ring.join(i, 1, rule(ring, {i, 1, 16, 0}));
  return ring.tokens.size();
}

/// The linear program against figures known beforehand: where each joiner relieves all, all stay equal.
bool bound_is_right() {
  return std::abs(bench::growth_bound({64, 4, 20, 0}) - 1) < 1e-9 &&
         std::abs(bench::growth_bound({4, 4, 34, 0}) - 1.1025) < 1e-4 &&
         std::abs(bench::growth_bound({8, 4, 34, 0}) - 1.0456) < 1e-4 &&
         std::abs(bench::growth_bound({16, 4, 34, 0}) - 1.0154) < 1e-4 &&
         std::abs(bench::growth_bound({32, 4, 34, 0}) - 1.0009) < 1e-4;
}

}  // namespace

int main(int argc, char** argv) {
  bench::Report report(argc, argv);
  const bool smoke = report.smoke();
  if (!bound_is_right()) return 1;
  const std::vector<std::uint32_t> tokens =
      smoke ? std::vector<std::uint32_t>{4} : std::vector<std::uint32_t>{4, 8, 16, 32};
  growth_table(report,
               "one rack, three copies, growing one by one: worst of 12 to 100 nodes, over what is fair",
               {3, 16, smoke ? 14U : 100U}, 12, tokens);
  growth_table(report, "the same, worst of 150 to 300 nodes", {3, 16, smoke ? 14U : 300U}, smoke ? 12 : 150,
               tokens);
  growth_table(report, "three racks, three copies, 12 to 100 nodes, over what is fair in its rack",
               {1, 16, smoke ? 6U : 34U}, 4, tokens);
  shifting(report, smoke ? 5 : 34);
  churn(report, smoke ? 2 : 200);

  const AllocationRing start = sixteen(16);
  const std::uint32_t nodes = smoke ? 18 : 1000;
  std::size_t sink = 0;
  bench::Comparison time("cassandra, 16 to " + std::to_string(nodes) + " nodes",
                         [&] { sink += grow_to(start, nodes, cassandra_tokens); });
  time.add("arcwise, the same", [&] { sink += grow_to(start, nodes, arcwise_tokens); });
  report.add("one rack, three copies, 16 tokens a node", time, 3);
  bench::keep(sink);
  report.close(seed);
  return 0;
}
