#include "study/binomial.hpp"

#include <algorithm>
#include <cmath>

namespace arcwise {
namespace {

double log_term(std::size_t draws, std::size_t k, double p) {
  const auto n = static_cast<double>(draws), successes = static_cast<double>(k);
  const double choose = std::lgamma(n + 1) - std::lgamma(successes + 1) - std::lgamma(n - successes + 1);
  return choose + successes * std::log(p) + (n - successes) * std::log1p(-p);
}

}  // namespace

double binomial_at_least(std::size_t draws, std::size_t least, double p) {
  if (least == 0) return 1;
  if (least > draws || p <= 0) return 0;
  if (p >= 1) return 1;
  double sum = 0;
  for (std::size_t k = draws; k >= least; --k) sum += std::exp(log_term(draws, k, p));
  return std::min(sum, 1.0);
}

std::size_t binomial_rare(std::size_t draws, double p, double level) {
  if (p >= 1) return draws + 1;
  if (p <= 0) return 1;
  // From the far end, as long as the tail stays rare.
  double tail = 0;
  for (std::size_t k = draws;; --k) {
    tail += std::exp(log_term(draws, k, p));
    if (tail > level) return k + 1;
    if (k == 0) return 0;
  }
}

}  // namespace arcwise
