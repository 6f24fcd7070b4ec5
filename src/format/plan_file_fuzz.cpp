// A plan that is accepted leads from state to state, one step each, and knows each of its states again.
#include "format/plan_file.hpp"

#include "format/import_fuzzing.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace arcwise;
  const auto plan = parse_plan({"plan", fuzzing::text_of(data, size)});
  if (!plan) {
    fuzzing::require(plan.error().kind == ErrorKind::input && !plan.error().why.empty());
    fuzzing::require(!to_string(plan.error()).empty() && !plan.error().advice.empty());
    return 0;
  }
  fuzzing::require(!plan->actions.empty() && plan->states.size() == plan->actions.size() + 1);
  for (const PlanFile::State& state : plan->states) {
    const auto found = plan->state_of({state.fingerprint, "", state.membership, state.epoch});
    fuzzing::require(found && plan->states[*found].fingerprint == state.fingerprint);
  }
  return 0;
}
