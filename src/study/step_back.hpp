// Inside the study layer: what undoes a step.
#pragma once

#include "arcwise/check.hpp"
#include "study/step_maps.hpp"

namespace arcwise {

/// The words of a change that leads from `after` to a map with the digests `wanted`, those of `before`;
/// empty where no change of single nodes does.
std::vector<std::string> words_back(const ClusterMap& before, const ClusterMap& after,
                                    const std::vector<NodeChange>& step, const Fingerprints& wanted);

}  // namespace arcwise
