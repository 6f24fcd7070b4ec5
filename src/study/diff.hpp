// Inside the study layer: the comparison behind diff(), for plans that compare many intermediate maps.
#pragma once

#include "arcwise/change.hpp"

namespace arcwise {

/// diff() without fingerprints and example keys.
Diff compare(const Placement& before, const Placement& after, std::uint64_t seed, std::uint64_t sample_keys);

}  // namespace arcwise
