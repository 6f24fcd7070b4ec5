// Seeded simulations of random rings, with the formulas beside the figures.
//
// Layer: study. The same arguments and seed give the same answer on every machine.
#pragma once

#include <cstdint>
#include <vector>

namespace arcwise {

/// Shares of `nodes` equal nodes with `tokens` random tokens each, over `trials` rings. mean = 1/nodes.
struct BalanceSimulation {
  std::uint32_t nodes = 0, tokens = 0, trials = 0;
  std::uint64_t seed = 0;
  double max_over_mean_mean = 0, max_over_mean_p95 = 0;
  double min_over_mean_mean = 0, min_over_mean_p5 = 0;
  double stddev_over_mean_mean = 0;
  double max_over_min_median = 0;
  std::uint32_t probes = 1;
  std::vector<double> min_over_mean = {};  ///< of every ring, ascending
  // Theory.
  double spread_formula = 0;  ///< √((N-1)/(NV+1)), exact relative standard deviation; 0 with more probes
  double max_formula = 0;     ///< V = 1: H_N, exact; else the approximation 1 + √(2 ln N / V); K probes: 1 +
                              ///< 1/(K-1)
  bool max_formula_exact = false;
};
/// probes > 1: a key takes the nearest token of so many probes (multi-probe).
BalanceSimulation simulate_balance(std::uint32_t nodes, std::uint32_t tokens, std::uint32_t trials,
                                   std::uint64_t seed, std::uint32_t probes = 1);

/// One node joins `nodes` others, each with `tokens` random tokens; fair = 1/(nodes + 1).
struct JoinSimulation {
  std::uint32_t nodes = 0, tokens = 0, trials = 0;
  std::uint64_t seed = 0;
  double share_mean = 0, share_p5 = 0, share_p95 = 0;  ///< joiner's share over its fair share
  double above_twice_fair = 0, below_tenth_fair = 0;   ///< fraction of trials
  double donors_mean = 0;
  double moved_share_mean = 0;  ///< of hash space
};
JoinSimulation simulate_join(std::uint32_t nodes, std::uint32_t tokens, std::uint32_t trials,
                             std::uint64_t seed);

}  // namespace arcwise
