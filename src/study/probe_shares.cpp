#include "study/probe_shares.hpp"

#include <algorithm>
#include <utility>

namespace arcwise {
namespace {

// Whole powers by multiplication: the same on every machine.
double power(double base, std::uint32_t exponent) {
  double out = 1;
  for (; exponent; exponent /= 2, base *= base)
    if (exponent % 2) out *= base;
  return out;
}

}  // namespace

// The token after a probe is farther than x with probability S(x), the sum of max(0, arc − x) over all arcs,
// and the nearest of k with S(x)^k. At distance x an arc longer than x takes its part of k·S(x)^(k−1), so
// that it gets the integral of that from 0 to its length. Between two lengths S is linear, its slope the
// number of longer arcs. Worked example, arcs 1/4 and 3/4, two probes: S = 1 − 2x up to 1/4, where it is 1/2;
// the short arc gets (1² − (1/2)²)/2 = 3/8.
std::vector<double> probe_shares(const std::vector<double>& arcs, std::uint32_t probes) {
  std::vector<std::pair<double, std::size_t>> ascending;
  for (std::size_t i = 0; i < arcs.size(); ++i) ascending.emplace_back(arcs[i], i);
  std::sort(ascending.begin(), ascending.end());
  std::vector<double> out(arcs.size());
  double length = 0, reached = 0, left = 1;
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    const auto longer = static_cast<double>(ascending.size() - i);
    const double then = std::max(0.0, left - longer * (ascending[i].first - length));
    reached += (power(left, probes) - power(then, probes)) / longer;
    left = then;
    length = ascending[i].first;
    out[ascending[i].second] = reached;
  }
  return out;
}

}  // namespace arcwise
