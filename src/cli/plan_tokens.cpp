#include "cli/plan_tokens.hpp"

#include "cli/allocate_text.hpp"
#include "cli/quantities.hpp"
#include "format/json_text.hpp"
#include "format/table_numbers.hpp"

namespace arcwise::cli {
namespace {

// "'dc1': 3", with the copies that the map says this zone has.
std::string replication(const ClusterMap& map, const std::string& zone, const std::string& name) {
  std::uint32_t count = map.replicas().count;
  for (const ZoneCount& z : map.replicas().per_zone)
    if (z.zone == zone) count = z.count;
  return "'" + name + "': " + std::to_string(count);
}

/// Another number of tokens comes with new nodes in a data center of their own, which takes over.
std::vector<std::string> migration(const ClusterMap& map, const TokenCountChange& change) {
  const std::string zone = change.zone.empty() ? "OLD_DC" : change.zone;
  const std::string fresh = zone + "_" + std::to_string(change.after);
  const std::string was = replication(map, change.zone, zone), is = replication(map, change.zone, fresh);
  const std::string alter = "ALTER KEYSPACE … WITH replication = {'class': 'NetworkTopologyStrategy', ";
  return {
      "every client: local data center " + zone +
          ", consistency LOCAL_QUORUM or LOCAL_ONE, so that none reads "
          "from nodes that are still empty",
      "new nodes in a data center of another name, such as " + fresh +
          ": num_tokens: " + std::to_string(change.after) +
          ", auto_bootstrap: false, seeds of both data centers; start them one "
          "by one (`arcwise allocate --racks` chooses tokens for all of them)",
      alter + was + ", " + is + "}, for each keyspace, system_auth, system_distributed and system_traces too",
      "on each new node: nodetool rebuild -- " + zone,
      "once all are filled: nodetool repair -full -pr on each new node, for writes that were missed",
      "clients: local data center " + fresh,
      alter + is + "}, for the same keyspaces",
      "on each old node: nodetool decommission, then remove " + zone + " from clients and seeds"};
}

std::string migration_text(const TokenCountChange& change, const std::vector<std::string>& steps) {
  std::string out = "the way from " + counted(change.before, "token", "tokens") + " a node to " +
                    counted(change.after) + ": a new data center\n";
  for (std::size_t i = 0; i < steps.size(); ++i)
    out += "  " + std::to_string(i + 1) + ". " + wrapped(steps[i], 100, 5) + '\n';
  return out;
}

}  // namespace

void RetokenArgs::declare(Args& args) {
  args.option("--retoken", "NODE", node,
              "decommission this node, then let it join again with allocated tokens");
  args.option("--tokens", "N", tokens, "how many it takes then (as the other nodes)");
  args.option("--algorithm", "NAME", algorithm, "who chooses them (arcwise)")
      .one_of({"arcwise", "cassandra", "random"});
  args.option("--extra-movement", "PART", part_from_0_into(extra_movement, "what the join moves"),
              "shift other nodes' tokens too, moving at most so much beside the join, such as 10%");
}

std::optional<Error> RetokenArgs::refused() const {
  if (!given() && (tokens || extra_movement || algorithm != "arcwise"))
    return usage_error("",
                       "--tokens, --algorithm and --extra-movement are about the node that takes new tokens",
                       "add --retoken NODE");
  if (tokens && *tokens > most_allocated_tokens) return too_many_tokens(*tokens);
  return std::nullopt;
}

Result<Retoken> RetokenArgs::run(const ClusterMap& map, std::uint64_t seed) const {
  return retoken(map, {node, tokens, *find_allocator(algorithm), seed, extra_movement.value_or(0)});
}

StepPlan retoken_steps(const ClusterMap& before, const Retoken& retoken, const CostOptions& cost,
                       const StepOptions& options, std::uint64_t seed) {
  const std::string& name = retoken.joined.after.nodes().back().name;
  return plan_steps(
      before,
      {{retoken.without, "remove " + name, name, ""}, {retoken.joined.after, "add " + name, "", name}}, cost,
      options, seed);
}

// What counts is what both steps move, though the end may be close to the beginning.
void count_steps(Plan& plan, const StepPlan& steps, const Retoken& retoken) {
  plan.bytes = steps.bytes;
  plan.seconds = 0;
  for (const Step& step : steps.steps) plan.seconds += step.seconds;
  // Other tokens are what was asked for, and the notes say what they move.
  std::erase_if(plan.warnings, [](const Finding& w) { return w.rule == "useless-moves"; });
  const auto& told = retoken.joined.warnings;
  plan.warnings.insert(plan.warnings.end(), told.begin(), told.end());
}

std::vector<std::string> names_down(const Loaded& loaded) {
  std::vector<std::string> out;
  for (NodeIndex n = 0; n < loaded.cluster.map.nodes().size(); ++n)
    if (loaded.cluster.observed.down.contains(n)) out.push_back(loaded.cluster.map.nodes()[n].name);
  return out;
}

TokenReport::TokenReport(const Loaded& before, const StepPlan& steps, const StepOptions& options,
                         const std::optional<Retoken>& retoken, const RepairArgs& args)
    : before_(before.placement), retoken_(retoken) {
  std::vector<Placement> stages{before_};
  // What stands between the first map and the last matters to repairs alone.
  for (std::size_t i = repairs_ranges(before_.map()) ? 1 : steps.maps.size() - 1; i < steps.maps.size(); ++i)
    stages.push_back(compile(steps.maps[i], stages.back()));
  repairs_ = repairs_of(stages, args);
  sessions_ = repair_sessions(stages.front(), stages.back());
  NodeSet down(before_.map().nodes().size());
  for (const auto* names : {&options.down, &options.seen_down})
    for (const std::string& name : *names)
      if (const auto node = before_.map().find(name)) down.insert(*node);
  collapsed_ = collapsed_ranges(before_, down);
  if (!collapsed_.ranges.empty()) replaced_ = replaced_share(before_, stages.back(), down);
}

void TokenReport::note_first(Notes& notes, const StepPlan& steps) const {
  add_collapsed_note(notes, collapsed_, replaced_);
  if (!retoken_) return;
  notes.line("on the way",
             per_cent(steps.moved.value()) +
                 " of one copy in two steps: a node that leaves gives up also what it gets back");
}

void TokenReport::note_after(Notes& notes) const {
  add_repair_note(notes, repairs_);
  add_sessions_note(notes, sessions_);
}

std::string TokenReport::ranges_text(bool all, bool colour) const {
  const std::string collapsed = collapsed_text(before_, collapsed_, all, colour);
  const std::string sessions = all ? sessions_text(sessions_, colour) : "";
  return (collapsed.empty() ? "" : '\n' + collapsed) + (sessions.empty() ? "" : '\n' + sessions);
}

std::string TokenReport::sessions_of(const std::string& node) const {
  for (const auto& row : sessions_.rows)
    if (row.name == node) return counted(row.before.all) + " → " + counted(row.after.all);
  return "";
}

std::string TokenReport::lines_text() const {
  if (!retoken_) return "";
  return shifts_text(retoken_->joined) + '\n' + token_lines(before_.map().space(), retoken_->joined.tokens);
}

void TokenReport::add_keys(Json& json) const {
  json["repair"] = repair_json(repairs_);
  add_sessions(json, sessions_);
  json["collapsed"] = collapsed_json(before_, collapsed_, replaced_);
  if (!retoken_) return;
  Json tokens = Json::array();
  for (Token t : retoken_->joined.tokens) tokens.push_back(to_text(before_.map().space(), t));
  json["retoken"] = {{"node", retoken_->joined.after.nodes().back().name},
                     {"tokens", tokens},
                     {"shifts", shifts_json(retoken_->joined)}};
}

std::optional<Error> TokenReport::add_file(OutputFiles& files, const RepairArgs& args) const {
  return add_repairs(files, args, repairs_);
}

std::string TokenReport::script(const RepairArgs& args) const {
  return repair_script(args, repairs_);
}

Error too_many_tokens(std::uint32_t tokens) {
  return usage_error(std::to_string(tokens),
                     "a node takes from 1 to " + counted(most_allocated_tokens) + " tokens", "16 are usual");
}

std::optional<Error> refuse_other_count(std::string_view verb, const ClusterMap& before,
                                        const ClusterMap& after, Session& session) {
  const auto change = token_count_change(before, after);
  if (!change) return std::nullopt;
  const std::vector<std::string> steps = migration(before, *change);
  if (session.json) {
    Json json = answer(verb);
    json["refused"] = "token-count";
    json["node"] = change->node;
    json["tokens_before"] = change->before;
    json["tokens_after"] = change->after;
    json["migration"] = steps;
    session.out.write(dump(json));
  } else {
    session.out.write(migration_text(*change, steps));
  }
  const std::string numbers = std::to_string(change->after) + " where " +
                              (change->joins ? "its peers have " : "it has ") +
                              std::to_string(change->before);
  return Error{ErrorKind::refused,
               {},
               change->node,
               "this node would have another number of tokens, " + numbers +
                   (change->joins ? ", and so another share than they" : ", with which it does not start"),
               "another num_tokens comes with a new data center, in the steps above; or keep the number"};
}

}  // namespace arcwise::cli
