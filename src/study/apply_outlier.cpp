#include "study/apply_outlier.hpp"

#include <algorithm>

#include "study/numbers.hpp"

namespace arcwise {

// Worked example: weight 1 where six devices have 100, in a zone of its own. Copies are spread over zones
// first, so that it takes one copy of every partition, 200 times its share by weight.
void warn_of_outlier(const ClusterMap& before, const Node& node, bool weight_given,
                     std::vector<Finding>& warnings) {
  constexpr double far = 8;
  std::vector<double> weights;
  bool zones = false, alone = true;
  for (const Node& n : before.nodes()) {
    if (n.weight > 0) weights.push_back(n.weight);
    zones |= !n.zone.empty();
    alone &= n.zone != node.zone;
  }
  if (weights.empty()) return;
  std::sort(weights.begin(), weights.end());
  const double median = weights[weights.size() / 2];
  const double ratio = std::max(median / node.weight, node.weight / median);
  if (!weight_given && node.weight > 0 && ratio > far)
    warnings.push_back({Finding::Severity::warning, "weight-outlier", node.name,
                        "'" + node.name + "' has weight " + shortest(node.weight) + " where others have " +
                            shortest(median) + ": no weight was given",
                        "write NAME,weight=" + shortest(median) + " for a node like the others"});
  if (zones && alone)
    warnings.push_back({Finding::Severity::warning, "alone-in-zone", node.name,
                        "'" + node.name + "' is alone in " +
                            (node.zone.empty() ? "no zone" : "zone '" + node.zone + "'") +
                            ": copies are spread over zones before weights count, so that it may take a copy "
                            "of every part",
                        "write NAME,zone=… of the others, or add more nodes to that zone"});
}

}  // namespace arcwise
