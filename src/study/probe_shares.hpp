// Multi-probe hashing: what each arc of a ring gets when a key takes the nearest token of several probes.
//
// Layer: study. Pure.
#pragma once

#include <cstdint>
#include <vector>

namespace arcwise {

/// arcs: fractions of the circle, adding up to 1; the result too, arc by arc. One probe: the arcs themselves.
/// Exact but for rounding. Cost: a sort.
std::vector<double> probe_shares(const std::vector<double>& arcs, std::uint32_t probes);

}  // namespace arcwise
