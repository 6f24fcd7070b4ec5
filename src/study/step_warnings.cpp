#include "study/step_warnings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "study/numbers.hpp"

namespace arcwise {
namespace {

using Severity = Finding::Severity;

std::string step_name(const StepPlan& plan, std::size_t i) {
  return plan.steps.size() == 1 ? "the change" : "step " + std::to_string(i + 1);
}

// "0.0012 %": never "0.0 %" for what is not nothing.
std::string part(Share share) {
  const double fraction = share.value();
  if (fraction <= 0 || fraction >= 0.0005) return percent(fraction);
  char text[40];
  std::snprintf(text, sizeof text, "%.2g %%", 100 * fraction);
  return text;
}

std::string whole(double value) {
  return std::to_string(std::llround(value));
}

void check_holders(const StepPlan& plan, std::size_t i, const StepOptions& options,
                   std::vector<Finding>& out) {
  const StepSafety& safe = plan.steps[i].safety;
  const std::string step = step_name(plan, i);
  if (safe.lost.units > 0)
    out.push_back({options.hit_ratio ? Severity::warning : Severity::error, "range-without-holder", "",
                   step + " leaves " + part(safe.lost) + " of the data without any node that holds it",
                   options.hit_ratio ? "its keys come from the database again"
                                     : "copy it to another node first, or change fewer nodes at once"});
  if (safe.unfillable.units > 0)
    out.push_back(
        {options.hit_ratio ? Severity::warning : Severity::error, "no-live-donor", "",
         step + " gives " + part(safe.unfillable) +
             " of the data to other nodes though every owner of it is down: nobody can fill them, and "
             "that data is unavailable, or lost",
         options.hit_ratio ? "its keys come from the database again" : "bring one of its owners back first"});
  const SafetyPhase* phases[] = {&safe.during, &safe.after};
  const char* when[] = {"while it runs", "after it"};
  for (int p = 0; p < 2; ++p)
    if (phases[p]->below_quorum > safe.before.below_quorum && phases[p]->below_quorum > safe.lost)
      out.push_back(
          {Severity::warning, "below-quorum", "",
           step + ": " + part(phases[p]->below_quorum) + " of the data is below quorum " + when[p] +
               (safe.before.below_quorum.units > 0 ? ", " + part(safe.before.below_quorum) + " before it"
                                                   : ""),
           "change fewer nodes at once, or bring nodes that are down back first"});
}

void check_peaks(const StepPlan& plan, std::vector<Finding>& out) {
  for (const PeakLoad& peak : plan.peaks)
    if (peak.utilisation.value_or(0) > 1 && peak.stored > peak.stored_after)
      out.push_back({Severity::warning, "over-full-meanwhile", peak.name,
                     "'" + peak.name + "' would have to hold " + percent(*peak.utilisation) +
                         " of its capacity during " + step_name(plan, peak.stored_step - 1) +
                         ", since copies that it gives up stay until the end",
                     "change fewer nodes at once, or add capacity first"});
}

void check_cache(const StepPlan& plan, std::size_t i, const StepOptions& options, std::vector<Finding>& out) {
  const auto& cache = plan.steps[i].cache;
  if (!cache || options.database_limit <= 0 || cache->database_after <= options.database_limit) return;
  std::string advice;
  if (cache->pieces == 0) {
    advice = "the warm cache alone sends " + whole(cache->database_warm) + "/s: no smaller step helps";
  } else {
    advice = "change weights little by little instead, in " + std::to_string(cache->pieces) +
             " pieces, each when the one before is warm";
    if (cache->ramp_seconds > 0) advice += ", or evenly over " + whole(cache->ramp_seconds) + " s";
  }
  out.push_back({Severity::warning, "database-limit", "",
                 step_name(plan, i) + ": the database gets " + whole(cache->database_after) +
                     " requests/s right after it, over its limit of " + whole(options.database_limit),
                 advice});
}

}  // namespace

std::vector<Finding> step_warnings(const StepPlan& plan, const StepOptions& options) {
  std::vector<Finding> out;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    check_holders(plan, i, options, out);
    check_cache(plan, i, options, out);
  }
  check_peaks(plan, out);
  std::stable_sort(out.begin(), out.end(),
                   [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
  return out;
}

void note_moved_twice(StepPlan& plan, Share at_once) {
  constexpr double rounding = 1e-9;
  const bool exact = std::none_of(plan.steps.begin(), plan.steps.end(),
                                  [](const Step& step) { return step.sampled.has_value(); });
  if (!exact || (plan.moved - at_once).value() < rounding) return;
  plan.warnings.push_back({Severity::info, "moved-twice", "",
                           "the steps move " + percent(plan.moved.value()) +
                               " together, at once it would be " + percent(at_once.value()) +
                               ": some copies move to a node and on from it",
                           "--max-in-flight changes more nodes at once"});
}

}  // namespace arcwise
