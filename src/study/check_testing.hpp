// What tests of check() ask: which findings, by which rule.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "arcwise/check.hpp"
#include "study/risk_maps.hpp"

namespace arcwise::testing {

inline const Observed unseen = Observed();

inline std::vector<Finding> found(const CheckReport& report, std::string_view rule) {
  std::vector<Finding> out;
  std::copy_if(report.findings.begin(), report.findings.end(), std::back_inserter(out),
               [&](const Finding& f) { return f.rule == rule; });
  return out;
}

inline CheckReport checked(const ClusterMap::Parts& parts, const Observed& observed = unseen,
                           const CheckOptions& options = {}) {
  return check(placed(parts), observed, options);
}

inline bool fires(std::string_view rule, const ClusterMap::Parts& parts, const Observed& observed = unseen,
                  const CheckOptions& options = {}) {
  return !found(checked(parts, observed, options), rule).empty();
}

}  // namespace arcwise::testing
