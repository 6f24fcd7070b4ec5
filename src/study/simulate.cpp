// Balance and joins on random rings.
#include "arcwise/simulate.hpp"

#include <algorithm>
#include <cmath>

#include "study/probe_shares.hpp"
#include "study/simulate_ring.hpp"

namespace arcwise {
namespace {

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

// E[largest of N arcs] is H_N / N. With V arcs a node, the sum is nearly normal with relative spread 1/√V,
// and the largest of N normal values is about √(2 ln N) spreads above the mean.
void add_formulas(BalanceSimulation& result) {
  const double n = result.nodes;
  const double v = result.tokens;
  if (result.probes > 1) {  // Appleton and O'Reilly: 1 + 1/ε probes keep the largest below 1 + ε
    result.max_formula = 1 + 1.0 / (result.probes - 1);
    return;
  }
  result.spread_formula = std::sqrt((n - 1) / (n * v + 1));
  result.max_formula_exact = result.tokens == 1 || result.nodes == 1;
  if (!result.max_formula_exact) {
    result.max_formula = 1 + std::sqrt(2 * std::log(n) / v);
    return;
  }
  for (std::uint32_t i = result.nodes; i > 0; --i) result.max_formula += 1.0 / i;
  if (result.nodes == 1) result.max_formula = 1;
}

// Arcs are whole multiples of 2^-53, so that the sums of one probe are exact.
void node_shares(const RandomRing& ring, std::uint32_t probes, std::vector<double>& out) {
  std::vector<double> arcs(ring.size());
  for (std::size_t i = 0; i < ring.size(); ++i) arcs[i] = ring.arc(i).value();
  if (probes > 1) arcs = probe_shares(arcs, probes);
  std::fill(out.begin(), out.end(), 0);
  for (std::size_t i = 0; i < ring.size(); ++i) out[ring.node(i)] += arcs[i];
}

// What the joiner took from whom: its arcs were the next other node's before.
struct Joined {
  Share taken;
  std::uint32_t donors = 0;
};

Joined join(const RandomRing& ring, NodeIndex joiner, std::vector<bool>& donated) {
  Joined result;
  std::fill(donated.begin(), donated.end(), false);
  NodeIndex next = joiner;
  for (std::size_t i = 0; next == joiner; ++i) next = ring.node(i);
  for (std::size_t i = ring.size(); i > 0; --i) {
    if (ring.node(i - 1) != joiner) {
      next = ring.node(i - 1);
      continue;
    }
    result.taken += ring.arc(i - 1);
    result.donors += !donated[next];
    donated[next] = true;
  }
  return result;
}

}  // namespace

BalanceSimulation simulate_balance(std::uint32_t nodes, std::uint32_t tokens, std::uint32_t trials,
                                   std::uint64_t seed, std::uint32_t probes) {
  BalanceSimulation result{.nodes = nodes, .tokens = tokens, .trials = trials, .seed = seed};
  result.probes = probes;
  if (nodes == 0 || tokens == 0 || trials == 0 || probes == 0) return result;
  add_formulas(result);
  RandomRing ring(std::vector<std::uint64_t>(nodes, tokens));
  Rng rng(seed);
  std::vector<double> shares(nodes);
  std::vector<double> largest, smallest, spread, ratio;
  for (std::uint32_t t = 0; t < trials; ++t) {
    ring.draw(rng);
    node_shares(ring, probes, shares);
    const auto [low, high] = std::minmax_element(shares.begin(), shares.end());
    double squares = 0;
    for (const double share : shares) {
      const double distance = share * nodes - 1;
      squares += distance * distance;
    }
    largest.push_back(*high * nodes);
    smallest.push_back(*low * nodes);
    spread.push_back(std::sqrt(squares / nodes));
    ratio.push_back(*high / std::max(*low, Share{1}.value()));
  }
  result.max_over_mean_mean = mean(largest);
  result.max_over_mean_p95 = quantile(largest, 0.95);
  result.min_over_mean_mean = mean(smallest);
  result.min_over_mean_p5 = quantile(smallest, 0.05);
  result.stddev_over_mean_mean = mean(spread);
  result.max_over_min_median = quantile(ratio, 0.5);
  std::sort(smallest.begin(), smallest.end());
  result.min_over_mean = std::move(smallest);
  return result;
}

JoinSimulation simulate_join(std::uint32_t nodes, std::uint32_t tokens, std::uint32_t trials,
                             std::uint64_t seed) {
  JoinSimulation result{.nodes = nodes, .tokens = tokens, .trials = trials, .seed = seed};
  if (nodes == 0 || tokens == 0 || trials == 0) return result;
  const NodeIndex joiner = nodes;
  const double fair_ones = nodes + 1.0;
  RandomRing ring(std::vector<std::uint64_t>(nodes + std::size_t{1}, tokens));
  Rng rng(seed);
  std::vector<bool> donated(nodes);
  std::vector<double> share, moved, donors;
  for (std::uint32_t t = 0; t < trials; ++t) {
    ring.draw(rng);
    const Joined joined = join(ring, joiner, donated);
    moved.push_back(joined.taken.value());
    share.push_back(joined.taken.value() * fair_ones);
    donors.push_back(joined.donors);
  }
  const auto fraction = [&](auto&& holds) {
    return static_cast<double>(std::count_if(share.begin(), share.end(), holds)) / trials;
  };
  result.share_mean = mean(share);
  result.share_p5 = quantile(share, 0.05);
  result.share_p95 = quantile(share, 0.95);
  result.above_twice_fair = fraction([](double s) { return s > 2; });
  result.below_tenth_fair = fraction([](double s) { return s < 0.1; });
  result.donors_mean = mean(donors);
  result.moved_share_mean = mean(moved);
  return result;
}

}  // namespace arcwise
