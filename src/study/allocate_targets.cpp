#include "study/allocate_targets.hpp"

#include <algorithm>
#include <numeric>

namespace arcwise {
namespace {

// Turns: of n units, `cuts` are served with each join, so the one at place r of the queue waits for r / cuts
// joins and is largest, against what is fair then, just before it is served, when there are n + r / cuts.
std::uint64_t last_seen(std::uint64_t units, std::uint64_t place, std::uint64_t cuts) {
  return units + place / cuts;
}

// The height to which every unit grows before it is served where turns are kept for ever: sizes
// height / last_seen add up to 1.
double height(std::uint64_t units, std::uint64_t cuts) {
  double sum = 0;
  for (std::uint64_t r = 0; r < units; ++r) sum += 1 / static_cast<double>(last_seen(units, r, cuts));
  return 1 / sum;
}

// Of the turns to come, the highest: what is stored now in units that wait long need not be given out then.
double coming_height(std::uint64_t units, std::uint64_t cuts) {
  double most = 0;
  const std::uint64_t turns = 2 * ((units + cuts - 1) / cuts);
  for (std::uint64_t n = units; n <= units + turns; ++n) most = std::max(most, height(n, cuts));
  return most;
}

// No unit is left with less than this part of what is fair.
double least_part(std::uint64_t cuts) {
  return 1 - 0.45 / static_cast<double>(cuts) - 0.0035;
}

// Shares of `mass` for those served and the joiner, in the order of the queue. Worked example, 2 cuts, 3
// units and a joiner: the places 1, 2, 3 of the queue are last seen with 4, 5 and 5 nodes, so shares go as
// 1/4 : 1/5 : 1/5 where the mass suffices for the height; where it falls short, those that wait longest get
// theirs first.
std::vector<double> shares(double mass, std::uint64_t waiting, std::uint64_t served, std::uint64_t cuts) {
  const std::uint64_t units = waiting + served;
  std::vector<double> seen(served), out(served);
  for (std::uint64_t j = 0; j < served; ++j)
    seen[j] = static_cast<double>(last_seen(units, waiting + j, cuts));
  double sum = 0;
  for (double s : seen) sum += 1 / s;
  const double high = coming_height(units, cuts);
  if (high * sum <= mass) {
    for (std::uint64_t j = 0; j < served; ++j) out[j] = mass / sum / seen[j];
    return out;
  }
  const double low =
      std::min(least_part(cuts) / static_cast<double>(units), mass / static_cast<double>(served));
  std::fill(out.begin(), out.end(), low);
  double left = mass - low * static_cast<double>(served);
  for (std::size_t end = served; end > 0;) {
    std::size_t begin = end;
    while (begin > 0 && seen[begin - 1] == seen[end - 1]) --begin;
    const double room = std::max(0.0, high / seen[end - 1] - low), count = static_cast<double>(end - begin);
    const double each = std::min(room, left / count);
    for (std::size_t j = begin; j < end; ++j) out[j] += each;
    left -= each * count;
    end = begin;
  }
  return out;
}

std::vector<double> longest_range(const AllocationRing& ring) {
  std::vector<double> out(ring.units());
  std::uint64_t before = ring.tokens.empty() ? 0 : ring.tokens.back().at;
  for (const HeldToken& t : ring.tokens) {
    const double length = static_cast<double>(t.at - before) * 0x1p-64;
    out[t.unit] = std::max(out[t.unit], length);
    before = t.at;
  }
  return out;
}

bool alike(const AllocationRing& ring, const Joiner& joiner) {
  return std::all_of(ring.weight.begin(), ring.weight.end(), [&](double w) { return w == joiner.weight; });
}

}  // namespace

// In proportion to weight, no group above one copy of everything: groups are served heaviest first, and the
// first one below one copy ends the capping. A unit of no weight counts as a very light one, since shares are
// judged against what is fair.
std::vector<double> fair_shares(const AllocationRing& ring) {
  std::vector<double> weight = ring.weight;
  const double mean = std::accumulate(weight.begin(), weight.end(), 0.0) / static_cast<double>(weight.size());
  for (double& w : weight) w = std::max(w, mean > 0 ? 1e-3 * mean : 1.0);
  std::vector<double> of_group(*std::max_element(ring.group.begin(), ring.group.end()) + std::size_t{1});
  for (std::size_t u = 0; u < weight.size(); ++u) of_group[ring.group[u]] += weight[u];
  std::vector<double> heaviest;
  for (double w : of_group)
    if (w > 0) heaviest.push_back(w);
  std::sort(heaviest.rbegin(), heaviest.rend());
  double rest = std::accumulate(heaviest.begin(), heaviest.end(), 0.0);
  double copies = std::min<double>(ring.replicas, static_cast<double>(heaviest.size()));
  for (double w : heaviest) {
    if (copies * w < rest || rest <= 0) break;
    rest -= w;
    copies -= 1;
  }
  const double per_weight = rest > 0 && copies > 0 ? copies / rest : 0;
  std::vector<double> fair(weight.size());
  for (std::size_t u = 0; u < weight.size(); ++u) {
    const double whole = of_group[ring.group[u]];
    const bool capped = per_weight == 0 || whole * per_weight >= 1;
    fair[u] = weight[u] * (capped ? 1 / whole : per_weight);
  }
  return fair;
}

Targets targets_of(const AllocationRing& ring, const Joiner& joiner, std::span<const double> held) {
  Targets out;
  AllocationRing joined;
  joined.replicas = ring.replicas;
  joined.group = ring.group;
  joined.weight = ring.weight;
  joined.join(joiner.group, joiner.weight, {});
  out.fair = fair_shares(joined);
  out.wanted = out.fair;
  if (joiner.relieved != Joiner::nobody) {
    std::copy(held.begin(), held.end() - 1, out.wanted.begin());
    const double taken =
        std::min(held[joiner.relieved] / 2, most_relief(ring, joiner.relieved, joiner.group));
    out.wanted[joiner.relieved] = held[joiner.relieved] - taken;
    out.wanted.back() = taken;
    return out;
  }
  if (ring.replicas > 1 || !alike(ring, joiner)) return out;
  std::vector<std::uint32_t> order(ring.units());
  std::iota(order.begin(), order.end(), 0U);
  const auto by = [](auto value) {
    return [value](auto a, auto b) { return value(a) != value(b) ? value(a) > value(b) : a < b; };
  };
  std::sort(order.begin(), order.end(), by([&](auto u) { return held[u]; }));
  const std::size_t served = std::min<std::size_t>(joiner.tokens, order.size());
  // One token takes no more than one range: those that can give most will wait longest.
  const std::vector<double> longest = longest_range(ring);
  std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(served),
            by([&](auto u) { return held[u] - longest[u]; }));
  double mass = 0;
  for (std::size_t i = 0; i < served; ++i) mass += held[order[i]];
  const auto share = shares(mass, order.size() - served, served + 1, joiner.tokens);
  for (std::uint32_t u = 0; u < ring.units(); ++u) out.wanted[u] = held[u];
  for (std::size_t i = 0; i < served; ++i) out.wanted[order[i]] = share[i];
  out.wanted.back() = share.back();
  return out;
}

}  // namespace arcwise
