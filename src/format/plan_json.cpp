#include "format/plan_json.hpp"

namespace arcwise {
namespace {

Json positive(double value) {
  return value > 0 ? Json(value) : Json(nullptr);
}

Json transfers_json(const std::vector<Transfer>& transfers) {
  Json json = Json::array();
  for (const Transfer& t : transfers)
    json.push_back({{"from", t.from}, {"to", t.to}, {"share", t.share.value()}});
  return json;
}

Json phase_json(const SafetyPhase& phase) {
  return {{"fewest_owners", phase.fewest},
          {"share_without_owner", phase.without.value()},
          {"share_below_quorum", phase.below_quorum.value()},
          {"share_fewer_racks", phase.fewer_racks.value()},
          {"share_fewer_hosts", phase.fewer_hosts.value()},
          {"one_more_down",
           {{"worst", phase.worst.empty() ? Json(nullptr) : Json(phase.worst)},
            {"share_below_quorum", phase.worst_share.value()}}}};
}

Json cache_json(const StepCache& cache) {
  return {{"cold_share", cache.cold.value()},
          {"hit_ratio_before", cache.hit_ratio_before},
          {"hit_ratio_after", cache.hit_ratio_after},
          {"database_factor", positive(cache.misses_factor)},
          {"database_warm", positive(cache.database_warm)},
          {"database_after", positive(cache.database_after)},
          {"pieces", cache.pieces > 0 ? Json(cache.pieces) : Json(nullptr)},
          {"ramp_seconds", positive(cache.ramp_seconds)},
          {"refill_seconds", positive(cache.refill_seconds)}};
}

Json load_json(const StepLoad& load) {
  return {{"name", load.name},
          {"bytes_out", load.bytes_out},
          {"bytes_in", load.bytes_in},
          {"send_rate", load.send_rate},
          {"receive_rate", load.receive_rate},
          {"budget_used", load.budget_used},
          {"stored_before", load.stored_before.value()},
          {"stored_peak", load.stored_peak.value()},
          {"stored_after", load.stored_after.value()},
          {"utilisation_peak", or_null(load.utilisation_peak)},
          {"first_before", load.first_before.value()},
          {"first_after", load.first_after.value()}};
}

Json step_json(const Step& step, const Fingerprints& before, const Fingerprints& after) {
  std::string action;
  for (const std::string& one : step.actions) action += (action.empty() ? "" : ", ") + one;
  Json json = {{"action", action},
               {"actions", step.actions},
               {"before", before.fingerprint},
               {"after", after.fingerprint},
               {"moved_share", step.moved.value()},
               {"bytes", positive(step.bytes)},
               {"seconds", positive(step.seconds)},
               {"pace", step.pace.empty() ? Json(nullptr) : Json(step.pace)},
               {"start_seconds", step.start}};
  json["transfers"] = transfers_json(step.transfers);
  json["nodes"] = Json::array();
  for (const StepLoad& load : step.nodes) json["nodes"].push_back(load_json(load));
  json["racks"] = Json::array();
  for (const RackLoad& rack : step.racks)
    json["racks"].push_back(
        {{"name", rack.name}, {"bytes", rack.bytes}, {"rate", rack.rate}, {"budget_used", rack.budget_used}});
  json["safety"] = {{"before", phase_json(step.safety.before)},
                    {"during", phase_json(step.safety.during)},
                    {"after", phase_json(step.safety.after)},
                    {"share_lost", step.safety.lost.value()},
                    {"share_unfillable", step.safety.unfillable.value()}};
  json["cache"] = step.cache ? cache_json(*step.cache) : Json(nullptr);
  json["back"] = {{"words", step.back.words}, {"moved_share", step.back.moved.value()}};
  if (step.sampled) json["sampled"] = {{"keys", step.sampled->keys}, {"error_95", step.sampled->error_95}};
  return json;
}

Json options_json(const StepOptions& options) {
  return {{"max_in_flight", options.max_in_flight},
          {"min_age", positive(options.min_age)},
          {"last_change_age", or_null(options.last_change_age)},
          {"down", options.down},
          {"seen_down", options.seen_down},
          {"requests", positive(options.requests)},
          {"hit_ratio", or_null(options.hit_ratio)},
          {"database_limit", positive(options.database_limit)},
          {"refill", positive(options.refill)},
          {"keys", positive(options.keys)}};
}

Json peak_json(const PeakLoad& peak, double requests) {
  return {{"name", peak.name},
          {"rate", peak.rate},
          {"budget_used", peak.budget_used},
          {"rate_step", peak.rate_step > 0 ? Json(peak.rate_step) : Json(nullptr)},
          {"stored", peak.stored.value()},
          {"stored_after", peak.stored_after.value()},
          {"stored_bytes", positive(peak.stored_bytes)},
          {"stored_step", peak.stored_step},
          {"utilisation", or_null(peak.utilisation)},
          {"first_before", peak.first_before.value()},
          {"first_peak", peak.first_peak.value()},
          {"first_after", peak.first_after.value()},
          {"requests_before", positive(requests * peak.first_before.value())},
          {"requests_peak", positive(requests * peak.first_peak.value())},
          {"requests_after", positive(requests * peak.first_after.value())}};
}

}  // namespace

void add_steps(Json& json, const Plan& plan, const StepPlan& steps, const StepOptions& options) {
  const Usefulness use = usefulness(plan.diff);
  json["useful_share"] = use.useful.value();
  json["useless_share"] = use.useless.value();
  json["useless_transfers"] = transfers_json(use.pairs);
  json["useless_untold_share"] = use.untold.value();
  json["options"] = options_json(options);
  json["states"] = Json::array();
  for (const Fingerprints& state : steps.states)
    json["states"].push_back({{"fingerprint", state.fingerprint},
                              {"membership", state.membership},
                              {"epoch", or_null(state.epoch)}});
  json["steps"] = Json::array();
  for (std::size_t i = 0; i < steps.steps.size(); ++i)
    json["steps"].push_back(step_json(steps.steps[i], steps.states[i], steps.states[i + 1]));
  json["steps_moved_share"] = steps.moved.value();
  json["steps_seconds"] = positive(steps.seconds);
  json["peaks"] = Json::array();
  for (const PeakLoad& peak : steps.peaks) json["peaks"].push_back(peak_json(peak, options.requests));
  for (const Finding& w : steps.warnings) json["warnings"].push_back(to_json(w));
}

}  // namespace arcwise
