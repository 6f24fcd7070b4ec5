// Appleton and O'Reilly's multi-probe hashing: few tokens a node, many probes a key.
#pragma once

#include <memory>

#include "place/methods.hpp"

namespace arcwise {

inline constexpr std::size_t max_probes = 64;

/// The setting `probes` positions a key; its owner is the token that follows any of them at the shortest
/// distance. Peak load about 1 + 1/probes; nodes behind a short arc get very little.
std::unique_ptr<const Chooser> multi_probe(const ClusterMap& map);

}  // namespace arcwise
