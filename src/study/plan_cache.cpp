// The model: requests are spread over keys as keys are over hash space; a key that moves to a node without it
// misses once and is then held there; keys come back as in a Poisson process, so that of what is cold,
// e^(-t/T) still is after t seconds. Worked example: 95 % hits, 1/11 of the keys moves: 95 % × 10/11 = 86.4
// %, and the database gets 13.6 % of the requests instead of 5 %: 2.7 times as many.
#include "study/plan_cache.hpp"

#include <cmath>

namespace arcwise {
namespace {

// The load over the limit comes from the cold keys alone: hits × cold must stay below what the limit leaves
// beyond the misses of the warm cache. Worked example: 100,000 requests/s, 95 % hits, 1/11 moves, a limit of
// 10,000/s: 8.6 % must become 5 % or less, so two steps. Spread evenly over D seconds, at most T/D of it is
// cold at once.
void keep_under_limit(StepCache& out, double hits, double cold, const StepOptions& options) {
  const double room = options.database_limit / options.requests - (1 - hits);
  if (out.database_after <= options.database_limit) return;
  out.pieces = room > 0 ? static_cast<std::uint64_t>(std::ceil(hits * cold / room - 1e-9)) : 0;
  if (room > 0) out.ramp_seconds = time_constant(options) * hits * cold / room;
}

}  // namespace

double time_constant(const StepOptions& options) {
  if (options.refill > 0) return options.refill;
  return options.requests > 0 ? options.keys / options.requests : 0;
}

double still_cold_after(double cold, double seconds, const StepOptions& options) {
  const double constant = time_constant(options);
  return constant > 0 ? cold * std::exp(-seconds / constant) : 0;
}

StepCache cache_after(Share cold, double still_cold, const StepOptions& options) {
  constexpr double nearly_all = 0.05;
  const double hits = *options.hit_ratio;
  StepCache out;
  out.cold = cold;
  out.hit_ratio_before = hits * (1 - still_cold);
  // What is cold from before and moves again is not cold twice.
  const double all_cold = still_cold + cold.value() * (1 - still_cold);
  out.hit_ratio_after = hits * (1 - all_cold);
  out.misses_factor = hits < 1 ? (1 - out.hit_ratio_after) / (1 - hits) : 0;
  out.database_warm = options.requests * (1 - hits);
  out.database_after = options.requests * (1 - out.hit_ratio_after);
  if (options.requests > 0 && options.database_limit > 0) keep_under_limit(out, hits, all_cold, options);
  out.refill_seconds = -std::log(nearly_all) * time_constant(options);
  return out;
}

}  // namespace arcwise
