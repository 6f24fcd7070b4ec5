#include "format/json_reports.hpp"

#include <cmath>

#include "format/table_text.hpp"

namespace arcwise {
namespace {

Json node_json(const Cluster& cluster, std::size_t i, const NodeOwnership& own) {
  const Node& node = cluster.map.nodes()[i];
  const Observed& seen = cluster.observed;
  Json json = {{"name", node.name},
               {"address", node.address},
               {"host", node.host},
               {"weight", node.weight},
               {"rack", node.rack},
               {"zone", node.zone},
               {"tokens", own.tokens},
               {"share", own.share.value()},
               {"effective_share", own.effective.value()},
               {"target_share", own.target},
               {"ratio", own.target > 0 ? Json(own.ratio()) : Json(nullptr)},
               {"state", to_string(node.state)},
               {"down", seen.down.contains(static_cast<NodeIndex>(i))}};
  if (i < seen.load_bytes.size()) json["load_bytes"] = or_null(seen.load_bytes[i]);
  if (i < seen.printed_share.size()) json["printed_share"] = or_null(seen.printed_share[i]);
  return json;
}

Json names_of(const ClusterMap& map, const std::vector<NodeIndex>& nodes) {
  Json names = Json::array();
  for (NodeIndex n : nodes) names.push_back(map.nodes()[n].name);
  return names;
}

void add_sampled(Json& json, const std::optional<Sampled>& sampled) {
  if (sampled) json["sampled"] = {{"keys", sampled->keys}, {"error_95", sampled->error_95}};
}

Json or_null_if_empty(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json or_null_if_zero(double value) {
  return value > 0 ? Json(value) : Json(nullptr);
}

}  // namespace

Json to_json(const Balance& balance, const std::optional<ByChance>& chance) {
  Json json = {{"max_over_target", balance.max_over_target},
               {"min_over_target", balance.min_over_target},
               {"stddev_over_target", balance.stddev_over_target},
               {"usable_capacity", balance.usable_capacity}};
  if (!chance) {
    json["by_chance"] = nullptr;
    return json;
  }
  json["by_chance"] = {{"median", chance->median},
                       {"p99", chance->p99},
                       {"trials", chance->trials},
                       {"stddev_median", chance->stddev_median},
                       {"seed", chance->seed}};
  return json;
}

Json ownership_json(std::string_view verb, const Cluster& cluster, const Placement& placement,
                    const Ownership& ownership, const std::optional<ByChance>& chance) {
  const Fingerprints prints = fingerprints(placement);
  Json json = answer(verb);
  json["cluster"] = cluster.map.cluster();
  json["epoch"] = or_null(cluster.map.epoch());
  json["recipe"] = cluster.map.placement().recipe->name;
  json["format"] = cluster.observed.format;
  json["fingerprint"] = prints.fingerprint;
  json["token_digest"] = or_null_if_empty(prints.token_digest);
  if (const double whole = std::round(ownership.replicas); whole == ownership.replicas)
    json["replicas"] = static_cast<std::uint64_t>(whole);
  else
    json["replicas"] = ownership.replicas;
  json["ring_entries"] = ownership.ring_entries;
  json["ranges"] = ownership.regions;
  json["replica_sets"] = ownership.replica_sets;
  json["unowned_share"] = ownership.unowned.value();
  json["nodes"] = Json::array();
  for (std::size_t i = 0; i < ownership.nodes.size(); ++i)
    json["nodes"].push_back(node_json(cluster, i, ownership.nodes[i]));
  json["balance"] = to_json(ownership.balance, chance);
  add_sampled(json, ownership.sampled);
  return json;
}

Json ownership_json(const Cluster& cluster, const Placement& placement, const Ownership& ownership,
                    const std::optional<ByChance>& chance) {
  Json json = ownership_json("ownership", cluster, placement, ownership, chance);
  json["hosts"] = to_json(group_ownership(cluster.map, ownership, Across::host));
  json["racks"] = to_json(group_ownership(cluster.map, ownership, Across::rack));
  json["zones"] = to_json(group_ownership(cluster.map, ownership, Across::zone));
  return json;
}

Json to_json(const Judgement& judgement) {
  return {{"cause", to_string(judgement.cause)},
          {"tokens_beyond_chance", judgement.tokens_beyond_chance},
          {"load_max_over_mean", or_null_if_zero(judgement.load_max_over_mean)},
          {"density_max_over_mean", or_null_if_zero(judgement.density_max_over_mean)},
          {"density_node", judgement.density_node},
          {"fullest_node", judgement.fullest_node},
          {"sentences", judgement.sentences}};
}

Json to_json(const std::vector<GroupOwnership>& groups) {
  Json json = Json::array();
  for (const GroupOwnership& g : groups)
    json.push_back({{"name", g.name},
                    {"nodes", g.nodes},
                    {"share", g.share.value()},
                    {"effective_share", g.effective.value()},
                    {"target_share", g.target}});
  return json;
}

Json explain_json(const Placement& placement, const Explanation& explanation) {
  const ClusterMap& map = placement.map();
  const TokenSpace& space = map.space();
  Json json = answer("explain");
  json["key"] = explanation.key;
  json["routing_key"] = explanation.routing_key;
  json["key_hash"] = info(map.placement().hash).name;
  json["hash"] = to_text(space, {explanation.hash.value});
  json["region"] = nullptr;  // where no range has constant owners
  if (placement.traits().enumerable)
    json["region"] = {{"after", to_text(space, explanation.region.after)},
                      {"upto", to_text(space, explanation.region.upto)}};
  json["candidates"] = Json::array();
  const auto token = [&](Token t) {  // none where the key itself chooses
    return placement.traits().enumerable ? Json(to_text(space, t)) : Json(nullptr);
  };
  for (const Explanation::Candidate& c : explanation.candidates) {
    const bool taken = c.verdict == Verdict::taken || c.verdict == Verdict::taken_repeat;
    json["candidates"].push_back({{"node", map.nodes()[c.node].name},
                                  {"token", token(c.token)},
                                  {"taken", taken},
                                  {"reason", to_string(c.verdict)}});
  }
  json["owners"] = names_of(map, explanation.owners);
  json["point_bytes"] = or_null_if_empty(explanation.point_bytes);
  return json;
}

Json check_json(const CheckReport& report) {
  Json json = answer("check");
  json["ok"] = report.ok;
  json["findings"] = Json::array();
  for (const Finding& f : report.findings) json["findings"].push_back(to_json(f));
  return json;
}

Json risk_json(const Risk& risk, const Placement& placement) {
  Json json = answer("risk");
  json["cluster"] = placement.map().cluster();
  json["nodes"] = risk.nodes;
  json["replica_sets"] = risk.replica_sets;
  json["co_owner_pairs"] = risk.co_owner_pairs;
  json["co_owner_fraction"] = risk.co_owner_fraction;
  json["scatter_width"] = {
      {"min", risk.scatter_width.min}, {"mean", risk.scatter_width.mean}, {"max", risk.scatter_width.max}};
  json["tolerated"] = risk.tolerated;
  json["failures"] = Json::array();
  for (const FailureRisk& f : risk.failures)
    json["failures"].push_back({{"down", f.down},
                                {"any_quorum_lost", f.any_quorum_lost},
                                {"expected_share_lost", f.expected_share_lost},
                                {"any_data_lost", f.any_data_lost},
                                {"expected_share_data_lost", f.expected_share_data_lost}});
  json["pair_losses"] = Json::array();
  for (const Risk::PairLoss& p : risk.pair_losses)
    json["pair_losses"].push_back({{"share", p.share.value()}, {"pairs", p.pairs}});
  json["mean_pair_loss"] = risk.mean_pair_loss;
  json["worst_pair"] = {
      {"a", risk.worst_pair.a}, {"b", risk.worst_pair.b}, {"share", risk.worst_pair.share.value()}};
  add_sampled(json, risk.sampled);
  return json;
}

Json down_json(const DownRisk& risk) {
  Json json = answer("risk");
  json["down"] = risk.down;
  json["share_below_quorum"] = risk.below_quorum.value();
  json["share_lost"] = risk.lost.value();
  json["example_keys"] = risk.example_keys;
  add_sampled(json, risk.sampled);
  return json;
}

Json rolling_json(const Rolling& rolling) {
  Json json = answer("risk");
  json["least_groups"] = rolling.least_groups;
  json["down"] = rolling.down;
  json["share_below_now"] = rolling.below_now.value();
  json["masters"] = rolling.masters ? Json{{"all", rolling.masters->all},
                                           {"may_restart_at_once", rolling.masters->may_restart}}
                                    : Json(nullptr);
  json["groups"] = Json::array();
  for (const RollingGroup& g : rolling.groups) {
    Json further;
    further["worst"] = g.further.worst.empty() ? Json(nullptr) : Json(g.further.worst);
    further["worst_share"] = g.further.worst_share.value();
    further["mean_share"] = g.further.mean_share;
    further["harmless"] = g.further.harmless;
    json["groups"].push_back({{"nodes", g.nodes},
                              {"all_of", g.all_of.empty() ? Json(nullptr) : Json(g.all_of)},
                              {"share_below_level", g.below_level.value()},
                              {"share_lost", g.lost.value()},
                              {"masters", g.masters},
                              {"further", further}});
  }
  add_sampled(json, rolling.sampled);
  return json;
}

Json diff_json(std::string_view verb, const Diff& diff, double data_bytes) {
  Json json = answer(verb);
  json["before"] = diff.before;
  json["after"] = diff.after;
  json["differs_share"] = diff.differs.value();
  json["primary_moved_share"] = diff.primary_moved.value();
  json["moved_share"] = diff.moved.value();
  json["least_share"] = diff.least.value();
  json["transfers"] = Json::array();
  for (const Transfer& t : diff.transfers)
    json["transfers"].push_back({{"from", t.from},
                                 {"to", t.to},
                                 {"share", t.share.value()},
                                 {"bytes", or_null_if_zero(data_bytes * t.share.value())}});
  json["promotions"] = Json::array();
  for (const Transfer& p : diff.promotions)
    json["promotions"].push_back({{"from", p.from}, {"to", p.to}, {"share", p.share.value()}});
  json["donors"] = diff.donors;
  json["example_keys"] = Json::array();
  for (const ExampleKey& e : diff.example_keys)
    json["example_keys"].push_back({{"key", e.key}, {"before", e.before}, {"after", e.after}});
  json["nodes"] = Json::array();
  for (const Diff::NodeShare& n : diff.nodes)
    json["nodes"].push_back({{"name", n.name},
                             {"effective_before", n.before.value()},
                             {"effective_after", n.after.value()},
                             {"gained", n.gained.value()},
                             {"given", n.given.value()}});
  add_sampled(json, diff.sampled);
  json["steps"] = Json::array();
  json["cost"] = {{"seconds", nullptr}, {"bytes", or_null_if_zero(data_bytes * diff.moved.value())}};
  json["warnings"] = Json::array();
  return json;
}

void add_causes(Json& json, std::span<const Cause> causes) {
  json["cause"] = nullptr;
  json["causes"] = Json::array();
  for (const Cause& c : causes)
    json["causes"].push_back({{"cause", to_string(c.kind)},
                              {"subject", c.subject},
                              {"before", c.before},
                              {"after", c.after},
                              {"bytes_before", c.bytes_before},
                              {"bytes_after", c.bytes_after},
                              {"advice", c.advice},
                              {"remaining", c.remaining ? Json(c.remaining->value()) : Json(nullptr)}});
  if (!causes.empty()) json["cause"] = json["causes"].front();
}

Json plan_json(const Plan& plan, const CostOptions& cost) {
  Json json = diff_json("plan", plan.diff, cost.data_bytes);
  json["cost"] = {{"seconds", or_null_if_zero(plan.seconds)},
                  {"bytes", cost.data_bytes > 0 ? Json(plan.bytes) : Json(nullptr)},
                  {"bottleneck", plan.bottleneck},
                  {"data_bytes", or_null_if_zero(cost.data_bytes)},
                  {"node_bandwidth", or_null_if_zero(cost.node_bandwidth)},
                  {"joiner_bandwidth", or_null_if_zero(cost.joiner_bandwidth)},
                  {"rack_bandwidth", or_null_if_zero(cost.rack_bandwidth)},
                  {"session_overhead", or_null_if_zero(cost.session_overhead)},
                  {"parallel", cost.parallel}};
  json["flows"] = Json::array();
  for (const NodeFlow& f : plan.flows)
    json["flows"].push_back({{"name", f.name},
                             {"bytes_out", f.bytes_out},
                             {"bytes_in", f.bytes_in},
                             {"sessions", f.sessions},
                             {"transfer_seconds", or_null_if_zero(f.transfer_seconds)},
                             {"overhead_seconds", or_null_if_zero(f.overhead_seconds)},
                             {"seconds", or_null_if_zero(f.seconds)},
                             {"send_rate", f.send_rate},
                             {"budget_used", f.budget_used},
                             {"utilisation_before", or_null(f.utilisation_before)},
                             {"utilisation_after", or_null(f.utilisation_after)}});
  json["balance_before"] = to_json(plan.balance_before, std::nullopt);
  json["balance_after"] = to_json(plan.balance_after, std::nullopt);
  for (const Finding& w : plan.warnings) json["warnings"].push_back(to_json(w));
  return json;
}

Json to_json(const Fingerprints& prints) {
  return {{"fingerprint", prints.fingerprint},
          {"token_digest", or_null_if_empty(prints.token_digest)},
          {"membership", prints.membership},
          {"epoch", or_null(prints.epoch)}};
}

Json fingerprint_json(const Fingerprints& prints) {
  Json json = answer("fingerprint");
  json.update(to_json(prints));
  return json;
}

std::string imported_map(const Cluster& cluster, std::span<const std::string> files) {
  if (cluster.observed.format == "arcwise") return write_map(cluster.map);  // twice gives the same bytes
  std::string out = "# Imported from " + cluster.observed.format + ':';
  for (const std::string& file : files) out += ' ' + printable(file);
  return out + '\n' + write_map(cluster.map);
}

Json import_json(const Cluster& cluster, const std::string& map) {
  Json json = answer("import");
  json["format"] = cluster.observed.format;
  json["map"] = map;
  json["findings"] = Json::array();
  for (const Finding& f : cluster.observed.findings) json["findings"].push_back(to_json(f));
  return json;
}

Json to_json(const BalanceSimulation& s) {
  Json json = {{"nodes", s.nodes},
               {"tokens", s.tokens},
               {"probes", s.probes},
               {"trials", s.trials},
               {"seed", s.seed},
               {"max_over_mean", {{"mean", s.max_over_mean_mean}, {"p95", s.max_over_mean_p95}}},
               {"min_over_mean", {{"mean", s.min_over_mean_mean}, {"p5", s.min_over_mean_p5}}},
               {"stddev_over_mean", {{"mean", s.stddev_over_mean_mean}}},
               {"max_over_min", {{"median", s.max_over_min_median}}},
               {"formula",
                {{"stddev_over_mean", nullptr},
                 {"max_over_mean", s.max_formula},
                 {"max_over_mean_exact", s.max_formula_exact}}}};
  if (s.probes == 1) json["formula"]["stddev_over_mean"] = s.spread_formula;
  if (s.probes > 1) json["min_over_mean"]["rings"] = s.min_over_mean;
  return json;
}

Json to_json(const JoinSimulation& s) {
  return {{"nodes", s.nodes},
          {"tokens", s.tokens},
          {"trials", s.trials},
          {"seed", s.seed},
          {"joiner_share",
           {{"mean", s.share_mean},
            {"p5", s.share_p5},
            {"p95", s.share_p95},
            {"above_twice_fair", s.above_twice_fair},
            {"below_tenth_fair", s.below_tenth_fair}}},
          {"donors", {{"mean", s.donors_mean}}},
          {"moved_share", {{"mean", s.moved_share_mean}}}};
}

}  // namespace arcwise
