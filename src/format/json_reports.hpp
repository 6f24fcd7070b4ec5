// The studies as JSON, with the keys that scripts rely on.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "arcwise/cause.hpp"
#include "arcwise/change.hpp"
#include "arcwise/check.hpp"
#include "arcwise/format.hpp"
#include "arcwise/ownership.hpp"
#include "arcwise/risk.hpp"
#include "arcwise/simulate.hpp"
#include "format/json_text.hpp"

namespace arcwise {

/// Who holds how much of one cluster: `status` and `ownership`.
Json ownership_json(std::string_view verb, const Cluster& cluster, const Placement& placement,
                    const Ownership& ownership, const std::optional<ByChance>& chance);
/// `ownership` whole: with its hosts, racks and zones.
Json ownership_json(const Cluster& cluster, const Placement& placement, const Ownership& ownership,
                    const std::optional<ByChance>& chance);
Json to_json(const Balance& balance, const std::optional<ByChance>& chance);
Json to_json(const Judgement& judgement);
Json to_json(const std::vector<GroupOwnership>& groups);

Json explain_json(const Placement& placement, const Explanation& explanation);
Json check_json(const CheckReport& report);
Json risk_json(const Risk& risk, const Placement& placement);
Json down_json(const DownRisk& risk);
Json rolling_json(const Rolling& rolling);
/// The keys that `diff` and `plan` share; bytes where one copy's size is known.
Json diff_json(std::string_view verb, const Diff& diff, double data_bytes);
/// `cause`: the first of the causes or null; `causes`: all of them.
void add_causes(Json& json, std::span<const Cause> causes);
Json plan_json(const Plan& plan, const CostOptions& cost);
Json to_json(const Fingerprints& prints);
Json fingerprint_json(const Fingerprints& prints);
/// The map of a cluster as a file, which says what it was read from; `files` are named where that was another
/// system.
std::string imported_map(const Cluster& cluster, std::span<const std::string> files);
Json import_json(const Cluster& cluster, const std::string& map);
Json to_json(const BalanceSimulation& simulation);
Json to_json(const JoinSimulation& simulation);

}  // namespace arcwise
