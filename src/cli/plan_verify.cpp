#include "cli/plan_verify.hpp"

#include "cli/change_args.hpp"
#include "cli/plan_tokens.hpp"
#include "format/json_reports.hpp"
#include "format/plan_file.hpp"

namespace arcwise::cli {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;

Error refuse(const std::string& file, std::string what, std::string why, std::string advice) {
  return {ErrorKind::refused, {file, 0, 0}, std::move(what), std::move(why), std::move(advice)};
}

// The change made anew on the map before it must give the map after it: else this program, or the map, is
// another one than the plan was made with.
std::optional<Error> check_change(const PlanFile& plan, const Loaded& loaded, const std::string& file) {
  if (plan.change.empty()) return std::nullopt;
  Args args;
  ChangeArgs change;
  change.declare(args);
  if (auto error = args.parse(plan.change)) {
    error->where.file = file;
    return error;
  }
  if (auto error = change.read_files()) return error;
  change.take_as_down(names_down(loaded));
  std::vector<Finding> told;
  const auto after = apply(loaded.cluster.map, change.change(), told);
  if (!after) return after.error();
  const std::string got = fingerprints(compile(*after)).fingerprint;
  if (got == plan.states.back().fingerprint) return std::nullopt;
  return refuse(file, got, "the change gives another map now than when the plan was made", "plan it anew");
}

std::string sentence(const PlanFile& plan, std::size_t done) {
  const std::size_t steps = plan.actions.size();
  const std::string all = std::to_string(steps);
  if (done == steps) return steps == 1 ? "the only step is done" : "all " + all + " steps are done";
  const std::string next = "next: " + plan.actions[done];
  if (done == 0) return "no step of " + all + " is done, " + next;
  if (done == 1) return "step 1 of " + all + " is done, " + next;
  return "steps 1–" + std::to_string(done) + " of " + all + " are done, " + next;
}

}  // namespace

Result<int> verify_plan(const Loaded& map, const std::string& map_file, const std::string& plan_file,
                        Session& session) {
  const auto bytes = read_file(plan_file, most_bytes);
  if (!bytes) return bytes.error();
  const auto plan = parse_plan({plan_file, *bytes});
  if (!plan) return plan.error();
  const Fingerprints prints = fingerprints(map.placement);
  const auto done = plan->state_of(prints);
  if (!done)
    return refuse(map_file, prints.fingerprint,
                  "this map is none of the " + std::to_string(plan->states.size()) + " that " + plan_file +
                      " leads over: that begins at " + plan->states.front().fingerprint + " and ends at " +
                      plan->states.back().fingerprint,
                  "something else has changed the cluster: plan anew from this map");
  if (*done == 0)
    if (auto error = check_change(*plan, map, plan_file)) return *error;
  if (!session.json) {
    session.out.write(map.title + " " + prints.fingerprint + ": " + sentence(*plan, *done) + '\n');
    return 0;
  }
  Json json = answer("plan-verify");
  json["fingerprint"] = prints.fingerprint;
  json["steps"] = plan->actions.size();
  json["steps_done"] = *done;
  json["next"] = *done < plan->actions.size() ? Json(plan->actions[*done]) : Json(nullptr);
  session.out.write(dump(json));
  return 0;
}

}  // namespace arcwise::cli
