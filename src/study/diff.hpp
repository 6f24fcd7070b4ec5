// Inside the study layer: the comparison behind diff(), for plans that compare many intermediate maps.
#pragma once

#include <functional>
#include <span>

#include "arcwise/change.hpp"
#include "study/tally.hpp"

namespace arcwise {

/// diff() without fingerprints and example keys.
Diff compare(const Placement& before, const Placement& after, std::uint64_t seed, std::uint64_t sample_keys);

/// The pieces of hash space in which the owners of both maps are constant, as Tally::add takes them, or
/// sampled keys where those cannot be listed. Returns the number of keys; 0: exact.
using PieceVisitor =
    std::function<void(std::span<const std::uint32_t> before, std::span<const std::uint32_t> after,
                       Share share, std::uint32_t ranges)>;
std::uint64_t for_each_piece(const Placement& before, const Placement& after, const NodeUnion& nodes,
                             std::uint64_t seed, std::uint64_t sample_keys, const PieceVisitor& visit);

}  // namespace arcwise
