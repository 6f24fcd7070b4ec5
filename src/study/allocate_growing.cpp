#include "study/allocate_growing.hpp"

#include <algorithm>

#include "study/allocate_targets.hpp"

namespace arcwise {

Evenness evenness_of(const AllocationRing& ring) {
  const std::vector<double> held = held_by_unit(ring), fair = fair_shares(ring);
  Evenness out{0, held[0] / fair[0]};
  for (std::size_t u = 0; u < held.size(); ++u) {
    out.most = std::max(out.most, held[u] / fair[u]);
    out.least = std::min(out.least, held[u] / fair[u]);
  }
  return out;
}

std::vector<Evenness> grow(const Growth& growth, AllocationRule rule) {
  AllocationRing ring;
  ring.replicas = growth.replicas;
  std::vector<Evenness> out;
  for (std::uint32_t i = 0; i < growth.units; ++i) {
    ring.join(i, 1, rule(ring, {i, 1, growth.tokens, 0}));
    out.push_back(evenness_of(ring));
  }
  return out;
}

}  // namespace arcwise
