#include "study/allocate_ring.hpp"

#include <algorithm>

namespace arcwise {

void AllocationRing::insert(HeldToken token) {
  tokens.insert(std::upper_bound(tokens.begin(), tokens.end(), token,
                                 [](const HeldToken& a, const HeldToken& b) { return a.at < b.at; }),
                token);
}

void AllocationRing::join(std::uint32_t joiner_group, double joiner_weight,
                          const std::vector<std::uint64_t>& chosen) {
  const std::uint32_t unit = units();
  group.push_back(joiner_group);
  weight.push_back(joiner_weight);
  for (std::uint64_t at : chosen) insert({at, unit});
}

void AllocationRing::leave(std::uint32_t unit) {
  std::erase_if(tokens, [&](const HeldToken& t) { return t.unit == unit; });
  for (HeldToken& t : tokens) t.unit -= t.unit > unit;
  group.erase(group.begin() + unit);
  weight.erase(weight.begin() + unit);
}

namespace {

// Calls `visit(unit, place, part)` for every owner of every range: place 0 is the first one.
template <class Visit>
void visit_owners(const AllocationRing& ring, Visit visit) {
  std::vector<std::uint32_t> seen(ring.replicas);
  const std::size_t count = ring.tokens.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t length = ring.tokens[i].at - ring.tokens[i == 0 ? count - 1 : i - 1].at;
    const double part = count == 1 ? 1 : static_cast<double>(length) * 0x1p-64;
    std::uint32_t have = 0;
    std::size_t at = i;
    do {
      const std::uint32_t unit = ring.tokens[at].unit, group = ring.group[unit];
      if (std::find(seen.begin(), seen.begin() + have, group) == seen.begin() + have) {
        seen[have] = group;
        visit(unit, have++, part);
      }
      at = at + 1 == count ? 0 : at + 1;
    } while (at != i && have < ring.replicas);
  }
}

}  // namespace

std::vector<double> held_by_unit(const AllocationRing& ring) {
  std::vector<double> held(ring.units());
  visit_owners(ring, [&](std::uint32_t unit, std::uint32_t, double part) { held[unit] += part; });
  return held;
}

double most_relief(const AllocationRing& ring, std::uint32_t unit, std::uint32_t joiner_group) {
  const bool whole = ring.group[unit] == joiner_group;
  double most = 0;
  bool met = false;  // the joiner's group, on this walk: the joiner would stand in for it, not beside
  visit_owners(ring, [&](std::uint32_t owner, std::uint32_t place, double part) {
    if (owner == unit && (whole || (place + 1 == ring.replicas && !(met && place > 0)))) most += part;
    met = (met && place > 0) || ring.group[owner] == joiner_group;
  });
  return most;
}

}  // namespace arcwise
