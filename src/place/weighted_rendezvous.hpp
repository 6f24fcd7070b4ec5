// Arcwise's rendezvous: every node draws a waiting time for the key, and the shortest ones are its owners.
#pragma once

#include <memory>

#include "place/methods.hpp"

namespace arcwise {

/// A weight as a whole number of 2^-30, at least 1.
std::uint64_t fixed_weight(double weight) noexcept;

/// Thaler and Ravishankar's highest random weight, with Resch's weighting: a node of weight w waits -ln(u)/w.
/// A change of one weight moves keys only to or from that node.
std::unique_ptr<const Chooser> weighted_rendezvous(const ClusterMap& map);

}  // namespace arcwise
