// Tails of the binomial distribution: may so many of so many be chance?
//
// Layer: study. Cost: linear in the number of draws.
#pragma once

#include <cstddef>

namespace arcwise {

/// P(X >= least) for X the number of successes among `draws` of probability p, 0 <= p <= 1.
double binomial_at_least(std::size_t draws, std::size_t least, double p);

/// The smallest number of successes whose P(X >= it) is at most `level`; draws + 1 where none is that rare.
std::size_t binomial_rare(std::size_t draws, double p, double level);

}  // namespace arcwise
