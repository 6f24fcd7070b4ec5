// Cassandra's allocator for one copy: cut the largest ranges of the heaviest nodes, so that they end near a
// common target, the heaviest a little above the others.
#include <algorithm>
#include <cmath>

#include "study/allocate_cassandra.hpp"

namespace arcwise::cassandra {
namespace {

constexpr double most_cut = 0.9, least_cut = 1.0 - most_cut;

struct Range {
  SignedToken from, to;
};
using Ranges = JavaQueue<Range>;

struct Unit {
  double size = 0;
  Ranges ranges;
};

std::vector<Unit> units_of(const AllocationRing& ring) {
  std::vector<Unit> units(ring.units());
  const std::size_t count = ring.tokens.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Range range{to_signed(ring.tokens[(i + count - 1) % count].at), to_signed(ring.tokens[i].at)};
    const double size = size_of(range.from, range.to);
    units[ring.tokens[i].unit].size += size;
    units[ring.tokens[i].unit].ranges.push({size, range});
  }
  return units;
}

// Cuts the `cuts` largest ranges of one unit at the same ratio, so that it keeps about `target`.
void cut(Unit& unit, std::size_t cuts, double target, std::vector<std::uint64_t>& chosen) {
  std::vector<Range> cut;
  double work = 0;
  for (std::size_t i = 0; i < cuts && !unit.ranges.empty(); ++i) {
    const auto largest = unit.ranges.pop();
    work += largest.weight;
    cut.push_back(largest.value);
  }
  const double give = unit.size - target;
  const double ratio = give < work ? std::clamp(give / work, least_cut, most_cut) : most_cut;
  for (const Range& r : cut) chosen.push_back(to_ring(split(r.from, r.to, ratio)));
}

}  // namespace

std::vector<std::uint64_t> no_replication(const AllocationRing& ring, const Joiner& joiner) {
  if (ring.tokens.empty() || ring.tokens.size() < joiner.tokens) return generate_splits(ring, joiner);
  std::vector<Unit> units = units_of(ring);
  JavaQueue<std::uint32_t> by_size;
  for (std::uint32_t u = 0; u < ring.units(); ++u)
    if (units[u].size > 0) by_size.push({units[u].size, u});

  const double unit_count = static_cast<double>(by_size.size());
  std::vector<std::uint32_t> taken;
  double sum = 0, average = 0;
  while (taken.size() < joiner.tokens && !by_size.empty()) {
    const auto heaviest = by_size.pop();
    sum += heaviest.weight;
    const double with_this = sum / static_cast<double>(taken.size() + 2);
    if (heaviest.weight <= with_this) break;
    average = with_this;
    taken.push_back(heaviest.value);
  }

  const double wanted = joiner.tokens;
  const double correction = std::min(1.0, (wanted + 1) / (unit_count + 1));
  const double spread = average * correction * 2 / (2 * wanted + 1);
  const double step = spread / static_cast<double>(taken.size());
  double target = average + spread / 2;
  std::vector<std::uint64_t> chosen;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    const std::size_t cuts = joiner.tokens / taken.size() + (i < joiner.tokens % taken.size());
    cut(units[taken[i]], cuts, target, chosen);
    target -= step;
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace arcwise::cassandra
