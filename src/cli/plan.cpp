// plan: what would change, at what cost, in which steps?
#include <memory>

#include "arcwise/assign.hpp"
#include "arcwise/change.hpp"
#include "arcwise/check.hpp"
#include "cli/change_args.hpp"
#include "cli/change_text.hpp"
#include "cli/cluster_args.hpp"
#include "cli/output_file.hpp"
#include "cli/plan_args.hpp"
#include "cli/plan_steps_text.hpp"
#include "cli/plan_tokens.hpp"
#include "cli/plan_verify.hpp"
#include "cli/quantities.hpp"
#include "cli/verbs.hpp"
#include "format/json_reports.hpp"
#include "format/plan_json.hpp"
#include "format/table_numbers.hpp"
#include "format/table_text.hpp"

namespace arcwise::cli {
namespace {

constexpr std::size_t most_rows = 20;

struct Options {
  ClusterArgs cluster, target;
  ChangeArgs change;
  RetokenArgs retoken;
  RepairArgs repair;
  CostOptions cost;
  StepArgs steps;
  std::string to, plan_file, map_file, verify;
  std::uint64_t seed = 1;
  bool all = false;
};

struct Maps {
  Loaded before;
  ClusterMap after;
  std::vector<Finding> warnings;
  std::optional<Retoken> retoken{};
  std::optional<PartsMoved> parts{};
};

// Another change that has not ended: what this one finds when it begins may not be what the map says.
std::vector<Finding> under_way(const Cluster& cluster) {
  std::vector<Finding> out;
  const auto warn = [&](const char* rule, const std::string& names, const std::string& what,
                        const char* advice) {
    if (!names.empty())
      out.push_back(
          {Finding::Severity::warning, rule, "", "another change is under way: " + names + what, advice});
  };
  std::string joining, leaving;
  for (const Node& node : cluster.map.nodes()) {
    if (node.state == NodeState::normal) continue;
    std::string& names = node.state == NodeState::joining ? joining : leaving;
    names += (names.empty() ? "" : ", ") + node.name;
  }
  std::string slots;
  std::size_t open = 0;
  for (const Finding& f : cluster.observed.findings)
    if (f.rule == "open-slot" || f.rule == "half-open-slot") {
      if (++open <= 3) slots += (slots.empty() ? "" : ", ") + f.subject;
    }
  if (open > 3) slots += " and " + std::to_string(open - 3) + " more";
  warn("node-joining", joining, " is joining", "wait until it has joined, or plan from the map that will be");
  warn("node-leaving", leaving, " is leaving", "wait until it has left, or plan from the map that will be");
  warn("slots-moving", slots, open == 1 ? " is moving" : " are moving",
       "let them arrive (redis-cli --cluster fix), then plan anew: a slot that is open cannot be moved");
  return out;
}

Result<Maps> load(Options& o) {
  if (auto error = o.change.read_files()) return *error;
  if (auto error = o.change.refused()) return *error;
  if (auto error = o.retoken.refused()) return *error;
  const int ways = !o.to.empty() + !o.change.change().empty() + o.retoken.given();
  if (ways == 0)
    return usage_error(
        "", "no change is given",
        "use --add, --remove, --weight, --replace, --drain, --rebalance, --retoken, or --to MAP");
  if (ways > 1)
    return usage_error(o.to.empty() ? o.retoken.node : o.to,
                       "--to, --retoken and single changes exclude each other", "give one of them");
  if (o.cost.parallel == 0) return usage_error("0", "--parallel: no stream would ever run", "give 1 or more");
  const auto before = o.cluster.load();
  if (!before) return before.error();
  if (o.retoken.given()) {
    auto done = o.retoken.run(before->cluster.map, o.seed);
    if (!done) return done.error();
    const ClusterMap after = done->joined.after;
    return Maps{*before, after, under_way(before->cluster), std::move(*done), {}};
  }
  auto down = o.steps.down(before->cluster);
  if (!down) return down.error();
  o.change.take_as_down(std::move(*down));
  if (o.to.empty()) {
    std::vector<Finding> warnings = under_way(before->cluster);
    std::optional<PartsMoved> parts;
    auto after = apply(before->cluster.map, o.change.change(), warnings, &parts);
    if (!after) return after.error();
    return Maps{*before, *after, std::move(warnings), {}, parts};
  }
  ClusterArgs target = o.target;
  target.files = {o.to};
  target.options.replicas = o.cluster.options.replicas;
  target.options.across = o.cluster.options.across;
  const auto after = target.load();
  if (!after) return after.error();
  return Maps{*before, after->cluster.map, under_way(before->cluster), {}, {}};
}

std::string flow_table(const Plan& plan, const CostOptions& cost, const TokenReport& tokens, bool all,
                       bool colour) {
  Table table({{"node"},
               {"sends", true},
               {"receives", true},
               {"streams", true},
               {"repairs", true},
               {"at its limits", true},
               {"send rate", true},
               {"of its budget", true},
               {"disk before", true},
               {"after", true}});
  std::size_t rows = 0;
  for (const NodeFlow& f : plan.flows) {
    if (!all && ++rows > most_rows) continue;
    const bool sends = f.send_rate > 0;
    table.row({shortened(f.name, 26), f.bytes_out > 0 ? human_bytes(f.bytes_out) : "–",
               f.bytes_in > 0 ? human_bytes(f.bytes_in) : "–", f.sessions > 0 ? counted(f.sessions) : "",
               tokens.sessions_of(f.name), f.seconds > 0 ? human_seconds(f.seconds) : "",
               sends ? human_bytes(f.send_rate) + "/s" : "",
               sends && cost.node_bandwidth > 0 ? per_cent(f.budget_used, 1) : "",
               f.utilisation_before ? per_cent(*f.utilisation_before, 1) : "",
               f.utilisation_after ? Cell(per_cent(*f.utilisation_after, 1),
                                          *f.utilisation_after > 1 ? Tone::bad : Tone::plain)
                                   : ""});
  }
  if (rows > most_rows) table.note("… " + counted(rows - most_rows) + " more nodes (--all shows them)");
  return table.text(colour);
}

std::string epoch_text(std::optional<std::uint64_t> epoch) {
  return epoch ? " (epoch " + std::to_string(*epoch) + ")" : "";
}

std::string headline(const Maps& maps, const Plan& plan, const CostOptions& cost, bool at_once, bool colour) {
  std::string out = toned(maps.before.title, Tone::strong, colour) + ": moves " +
                    toned(per_cent(plan.diff.moved.value()), Tone::strong, colour) + " of one full copy";
  if (cost.data_bytes > 0) out += ", " + human_bytes(plan.bytes);
  if (plan.seconds > 0) out += (at_once ? ", at once in " : ", in ") + human_seconds(plan.seconds);
  if (!plan.bottleneck.empty() && plan.seconds > 0)
    out += " at the pace of " + shortened(plan.bottleneck, 26);
  return out + sampled_text(plan.diff.sampled) + '\n';
}

// 1.58× for one of a hundred nodes that leaves a Maglev table of 65,537.
std::string over_least(const Diff& d) {
  const double ratio = d.least.units ? d.moved.value() / d.least.value() : 1;
  return ratio < 1.005 ? "" : "; this moves " + times(ratio) + " that";
}

struct Answer {
  Plan plan;
  StepPlan steps;
  StepOptions options;
};

std::string text_answer(const Maps& maps, const Answer& answer, const TokenReport& tokens,
                        const Options& options, bool colour) {
  const Plan& plan = answer.plan;
  const Diff& d = plan.diff;
  std::string out =
      headline(maps, plan, options.cost, answer.steps.steps.size() > 1 && !maps.retoken, colour);
  Notes notes;
  tokens.note_first(notes, answer.steps);
  notes.line("least possible", per_cent(d.least.value()) + " for these shares" + over_least(d));
  if (const std::string useless = useless_text(d); !useless.empty()) notes.line("useless", useless);
  notes.line("donors", counted(d.donors.size()) + " of " +
                           counted(maps.before.cluster.map.nodes().size(), "node", "nodes"));
  notes.line("balance", "largest " + times(plan.balance_before.max_over_target) + " its target → " +
                            times(plan.balance_after.max_over_target) + ", usable " +
                            per_cent(plan.balance_before.usable_capacity) + " → " +
                            per_cent(plan.balance_after.usable_capacity));
  notes.line("fingerprint", d.before + epoch_text(maps.before.cluster.map.epoch()) + " → " + d.after +
                                epoch_text(maps.after.epoch()));
  tokens.note_after(notes);
  for (const auto* warnings : {&plan.warnings, &answer.steps.warnings})
    for (const Finding& w : *warnings) add_finding(notes, w);
  out += notes.text(colour);
  out += tokens.ranges_text(options.all, colour);
  if (!d.transfers.empty())
    out += '\n' + transfer_table(d, options.cost.data_bytes, options.all ? 0 : most_rows, colour);
  if (options.cost.data_bytes > 0 || options.cost.utilisation || options.cost.session_overhead > 0)
    out += '\n' + flow_table(plan, options.cost, tokens, options.all, colour);
  const StepNames names{options.cluster.files[0], options.steps.maps_prefix, options.map_file};
  out += steps_text(answer.steps, answer.options, names, options.all, colour);
  out += tokens.lines_text();
  if (!d.example_keys.empty()) out += "\nkeys that move, such as\n" + example_text(d);
  return out;
}

// Nodes whose weight alone differs; empty where anything else does too.
std::string only_reweighted(const ClusterMap& before, const ClusterMap& after) {
  std::string names;
  for (const Node& node : after.nodes()) {
    const auto index = before.find(node.name);
    if (!index || before.nodes().size() != after.nodes().size()) return {};
    const Node& was = before.nodes()[*index];
    if (was.address != node.address || was.host != node.host || was.rack != node.rack ||
        was.zone != node.zone || was.state != node.state)
      return {};
    if (was.weight != node.weight) names += (names.empty() ? "" : ", ") + node.name;
  }
  return names;
}

std::optional<Error> guard(const Maps& maps, Session& session) {
  if (auto error = check_part_count(maps.before.cluster.map, maps.after)) return error;
  const ClusterMap& was = maps.retoken ? maps.retoken->without : maps.before.cluster.map;
  if (auto error = refuse_other_count("plan", was, maps.after, session)) return error;
  const Fingerprints a = fingerprints(maps.before.placement), b = fingerprints(compile(maps.after));
  if (a.fingerprint != b.fingerprint) return std::nullopt;
  if (a.membership == b.membership)
    return Error{ErrorKind::refused,
                 {},
                 a.fingerprint,
                 "this would change nothing: both maps have one fingerprint and one membership",
                 "check the names and values of the change"};
  const std::string names = only_reweighted(maps.before.cluster.map, maps.after);
  if (names.empty()) return std::nullopt;
  return Error{
      ErrorKind::refused,
      {},
      names,
      "another weight moves no key here: the shares follow from what the map lists, not from weights",
      "change the tokens or ranges themselves, and the weight with them"};
}

std::optional<Error> add_files(OutputFiles& files, const Maps& maps, const StepPlan& steps,
                               const std::string& json, const Options& options) {
  if (!options.plan_file.empty())
    if (auto error = files.add(options.plan_file, json, "wrote the plan to " + options.plan_file))
      return error;
  if (auto error = add_map_after(files, options.map_file, write_map(maps.after))) return error;
  const std::string& prefix = options.steps.maps_prefix;
  if (prefix.empty()) return std::nullopt;
  const std::size_t last = steps.maps.size() - 1;
  for (std::size_t i = 1; i <= last; ++i) {
    const std::string said = "wrote the map after each step to " + prefix + "1.yaml" +
                             (last > 1 ? " … " + prefix + std::to_string(last) + ".yaml" : "");
    if (auto error =
            files.add(prefix + std::to_string(i) + ".yaml", write_map(steps.maps[i]), i == last ? said : ""))
      return error;
  }
  return std::nullopt;
}

// Data that would be gone is for --force alone.
std::optional<Error> check_holders(const StepPlan& steps, const Options& options) {
  for (const Finding& w : steps.warnings)
    if (w.severity == Finding::Severity::error && !options.steps.force)
      return Error{ErrorKind::refused, {}, "", w.message, w.advice + "; --force plans it all the same"};
  return std::nullopt;
}

// Data that moves for nothing: the node comes back where the cluster is no more even.
std::optional<Error> check_retoken(const Maps& maps, const Plan& plan, const Options& o) {
  if (!maps.retoken || o.steps.force) return std::nullopt;
  const Balance &was = plan.balance_before, &is = plan.balance_after;
  constexpr double noticeable = 0.995, much = 0.95;
  if (is.max_over_target < was.max_over_target * noticeable ||
      is.stddev_over_target < was.stddev_over_target * much)
    return std::nullopt;
  return Error{ErrorKind::refused,
               {},
               o.retoken.node,
               "the cluster would be no more even with other tokens for it: the largest stays at " +
                   times(is.max_over_target) + " its target (" + times(was.max_over_target) + " before)",
               "re-token another node; --force plans it all the same"};
}

Result<int> run_verify(const Options& o, Session& session) {
  if (!o.to.empty() || !o.change.change().empty() || o.retoken.given())
    return usage_error("--verify", "the plan says itself what changes", "leave the change out");
  const auto map = o.cluster.load();
  if (!map) return map.error();
  return verify_plan(*map, o.cluster.files[0], o.verify, session);
}

Answer planned(const Maps& maps, const Options& o, const StepOptions& options) {
  const ClusterMap& before = maps.before.cluster.map;
  const Change& change = o.change.change();
  Answer out{plan(before, maps.after, change, o.cost, o.seed),
             maps.retoken ? retoken_steps(before, *maps.retoken, o.cost, options, o.seed)
                          : plan_steps(before, maps.after, change, o.cost, options, o.seed),
             options};
  if (maps.retoken) count_steps(out.plan, out.steps, *maps.retoken);
  out.plan.warnings.insert(out.plan.warnings.begin(), maps.warnings.begin(), maps.warnings.end());
  return out;
}

Result<int> run_plan(Options& o, Session& session) {
  if (!o.verify.empty()) return run_verify(o, session);
  const auto maps = load(o);
  if (!maps) return maps.error();
  if (auto error = o.repair.refused(maps->after, session)) return *error;
  if (auto error = guard(*maps, session)) return *error;
  const ClusterMap& before = maps->before.cluster.map;
  auto options = o.steps.options(before, o.cost);
  if (!options) return options.error();
  options->seen_down = names_down(maps->before);
  const Answer a = planned(*maps, o, *options);
  if (auto error = check_holders(a.steps, o)) return *error;
  if (auto error = check_retoken(*maps, a.plan, o)) return *error;
  const TokenReport tokens(maps->before, a.steps, a.options, maps->retoken, o.repair);
  Json json = plan_json(a.plan, o.cost);
  json["epoch_before"] = or_null(before.epoch());
  json["epoch_after"] = or_null(maps->after.epoch());
  json["seed"] = o.seed;
  json["change"] = o.change.words();
  json["parts"] = parts_json(maps->parts);
  add_steps(json, a.plan, a.steps, a.options);
  tokens.add_keys(json);
  const std::string text = dump(json);
  OutputFiles files;
  if (auto error = add_files(files, *maps, a.steps, text, o)) return *error;
  if (auto error = tokens.add_file(files, o.repair)) return *error;
  if (auto error = files.commit(session)) return *error;
  session.out.write(o.repair.to_stdout() ? tokens.script(o.repair)
                    : session.json       ? text
                                         : text_answer(*maps, a, tokens, o, session.colour));
  return 0;
}

}  // namespace

Action declare_plan(Args& args) {
  auto options = std::make_shared<Options>();
  Options& o = *options;
  args.operands("MAP", o.cluster.files, "the map before, or another system's file; - is standard input", 1)
      .single()
      .files();
  o.change.declare(args);
  o.retoken.declare(args);
  args.option("--to", "MAP", o.to, "change to this map instead").files();
  args.option("--data", "SIZE", size_into(o.cost.data_bytes), "size of one copy of everything, such as 24TB");
  args.option("--node-bandwidth", "RATE", size_into(o.cost.node_bandwidth),
              "what a node may send or receive, such as 250MB/s");
  args.option("--joiner-bandwidth", "RATE", size_into(o.cost.joiner_bandwidth),
              "what a node that only receives can take, such as 1GB/s (as --node-bandwidth)");
  args.option("--rack-bandwidth", "RATE", size_into(o.cost.rack_bandwidth),
              "what may go in and out of a rack together, such as 1GB/s; what stays within is free");
  args.option("--session-overhead", "TIME", seconds_into(o.cost.session_overhead),
              "what the stream of each range costs beside its bytes, such as 130s");
  args.option("--parallel", "N", o.cost.parallel, "streams that one node runs at once (1)");
  args.option("--utilisation", "PART", part_into(o.cost.utilisation, "the disk"),
              "mean disk use before, such as 60%");
  o.steps.declare(args);
  args.option("-f,--file", "FILE", o.plan_file, "write the plan, as JSON, to this file").files();
  args.option("--verify", "PLAN", o.verify, "say at which step of such a file the map stands").files();
  args.option("--write-map", "FILE", o.map_file, "write the map after the change to this file").files();
  o.repair.declare(args);
  args.flag("--all", o.all, "list every node and transfer");
  args.option("--seed", "N", o.seed, "seed of the sampled keys, where regions cannot be compared (1)");
  o.cluster.declare_reading(args);
  o.target.declare_reading(args, "-to");
  o.cluster.declare_policy(args);
  return [options](Session& session) { return run_plan(*options, session); };
}

}  // namespace arcwise::cli
