#include "cli/plan_args.hpp"

#include <algorithm>

#include "cli/quantities.hpp"

namespace arcwise::cli {

void StepArgs::declare(Args& args) {
  args.option("--max-in-flight", "N", options_.max_in_flight, "nodes that may change at once (1)");
  args.option("--min-age", "TIME", seconds_from_0_into(options_.min_age),
              "how old a change must be before the next, such as 10min");
  args.option("--last-change-age", "TIME", seconds_from_0_into(options_.last_change_age),
              "how old the last change is now (old enough)");
  down_.declare(args, "nodes that are down now and hold nothing");
  args.option("--requests", "RATE", rate_into(options_.requests),
              "requests of the whole cluster, such as 50k/s");
  args.option("--hit-ratio", "PART", part_into(options_.hit_ratio, "all requests"),
              "it is a cache with this hit ratio, such as 95%: shows the dip");
  args.option("--database-limit", "RATE", rate_into(options_.database_limit),
              "misses that the database can take, such as 10k/s");
  args.option("--refill", "TIME", seconds_into(options_.refill), "until a typical key is asked for again");
  args.option("--keys", "N", rate_into(options_.keys),
              "keys in the cache, for a --refill of keys / requests");
  args.flag("--force", force, "answer even where a step leaves data without any node that holds it");
  args.option("--write-steps", "PREFIX", maps_prefix, "write the map after each step to PREFIX1.yaml, …")
      .files();
}

Result<StepOptions> StepArgs::options(const ClusterMap& map, const CostOptions& cost) const {
  StepOptions out = options_;
  if (out.max_in_flight == 0)
    return usage_error("0", "--max-in-flight: no node would ever change", "give 1 or more");
  if (cost.rack_bandwidth > 0 &&
      std::none_of(map.nodes().begin(), map.nodes().end(), [](const Node& n) { return !n.rack.empty(); }))
    return usage_error("--rack-bandwidth", "the map names no racks", "name the rack of each node in the map");
  if (out.database_limit > 0 && (!out.hit_ratio || out.requests <= 0))
    return usage_error("--database-limit", "what the database gets follows from --requests and --hit-ratio",
                       "give both");
  const auto down = down_.resolve(map);
  if (!down) return down.error();
  for (NodeIndex n = 0; n < map.nodes().size(); ++n)
    if (down->contains(n)) out.down.push_back(map.nodes()[n].name);
  return out;
}

Result<std::vector<std::string>> StepArgs::down(const Cluster& cluster) const {
  const auto down = down_.with_observed(cluster);
  if (!down) return down.error();
  std::vector<std::string> out;
  for (NodeIndex n = 0; n < cluster.map.nodes().size(); ++n)
    if (down->contains(n)) out.push_back(cluster.map.nodes()[n].name);
  return out;
}

}  // namespace arcwise::cli
