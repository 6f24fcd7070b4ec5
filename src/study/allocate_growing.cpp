#include "study/allocate_growing.hpp"

#include <algorithm>

#include "arcwise/allocate.hpp"
#include "study/allocate_targets.hpp"
#include "study/rng.hpp"

namespace arcwise {
namespace {

bool holds(const AllocationRing& ring, std::uint64_t at) {
  const auto found = std::lower_bound(ring.tokens.begin(), ring.tokens.end(), at,
                                      [](const HeldToken& t, std::uint64_t x) { return t.at < x; });
  return found != ring.tokens.end() && found->at == at;
}

}  // namespace

Evenness evenness_of(const AllocationRing& ring) {
  const std::vector<double> held = held_by_unit(ring), fair = fair_shares(ring);
  Evenness out{0, held[0] / fair[0]};
  for (std::size_t u = 0; u < held.size(); ++u) {
    out.most = std::max(out.most, held[u] / fair[u]);
    out.least = std::min(out.least, held[u] / fair[u]);
  }
  return out;
}

std::vector<Evenness> grow(const Growth& growth, const AllocationRule& rule) {
  AllocationRing ring, view;
  ring.replicas = growth.replicas;
  std::vector<Evenness> out;
  for (std::uint32_t i = 0; i < growth.units; ++i) {
    const bool stale = growth.stale_at && i == *growth.stale_at + 1 && i > 1;
    auto chosen = rule(stale ? view : ring, {i, 1, growth.tokens, 0});
    if (stale)
      for (std::uint64_t& at : chosen)
        while (holds(ring, at)) ++at;
    view = ring;
    ring.join(i, 1, chosen);
    out.push_back(evenness_of(ring));
  }
  return out;
}

std::vector<GrowthStep> simulate_growth(const GrowthScenario& scenario) {
  const std::uint32_t step = scenario.racks ? scenario.replicas : 1;
  const AllocationRule random = [&](const AllocationRing& ring, const Joiner& joiner) {
    Rng rng(scenario.seed + ring.tokens.size());
    std::vector<std::uint64_t> out(joiner.tokens);
    for (std::uint64_t& at : out) at = rng.next();
    return out;
  };
  Growth growth{scenario.racks ? 1 : scenario.replicas, scenario.tokens, scenario.nodes / step};
  if (scenario.stale_join) growth.stale_at = *scenario.stale_join / step;
  const auto sizes =
      grow(growth, scenario.allocator == Allocator::arcwise     ? AllocationRule(arcwise_tokens)
                   : scenario.allocator == Allocator::cassandra ? AllocationRule(cassandra_tokens)
                                                                : random);
  std::vector<GrowthStep> out;
  for (std::uint32_t i = 0; i < sizes.size(); ++i)
    out.push_back({(i + 1) * step, sizes[i].most, sizes[i].least});
  return out;
}

}  // namespace arcwise
