#include "cli/repair_text.hpp"

#include <algorithm>
#include <set>

#include "cli/cluster_args.hpp"
#include "cli/output_file.hpp"
#include "format/table_numbers.hpp"

namespace arcwise::cli {
namespace {

constexpr std::size_t most_ranges = 5;

std::string names_of(const ClusterMap& map, const std::vector<NodeIndex>& nodes) {
  std::string out;
  for (NodeIndex n : nodes) out += (out.empty() ? "" : ",") + map.nodes()[n].name;
  return out;
}

std::string why_text(const CollapsedRange& range) {
  return range.why == CollapsedRange::Why::few ? "too few" : "together";
}

std::string arrow(std::uint64_t before, std::uint64_t after) {
  return counted(before) + " → " + counted(after);
}

std::string script(const Repairs& repairs, const RepairArgs& args) {
  std::string out = "# " + counted(repairs.ranges.size(), "range has an owner", "ranges have an owner") +
                    " that did not have " + (repairs.ranges.size() == 1 ? "it" : "them") +
                    " all along: " + per_cent(repairs.share.value()) + " of hash space.\n";
  if (args.keyspace.empty())
    out += "# Once for each keyspace with this replication: KEYSPACE=name sh " +
           (args.to_stdout() ? std::string("FILE") : args.file) + "\n: \"${KEYSPACE:?}\"\n";
  for (const RepairCommand& c : repairs.commands) out += c.command + '\n';
  return out;
}

}  // namespace

void RepairArgs::declare(Args& args) {
  args.option("--repair-commands", "FILE", file,
              "write a nodetool command for each range to repair afterwards to this file; - is standard "
              "output, in place of the answer")
      .files();
  args.option("--keyspace", "NAME", keyspace, "the keyspace of these commands (the shell's $KEYSPACE)");
}

std::optional<Error> RepairArgs::refused(const ClusterMap& map, const Session& session) const {
  if (to_stdout() && session.json)
    return usage_error("-", "--repair-commands and --json both want standard output",
                       "the commands are in the JSON, as `repair`");
  if (!file.empty() && !repairs_ranges(map))
    return usage_error(file, "--repair-commands is about rings of Cassandra and ScyllaDB",
                       "this map is of recipe " + std::string(map.placement().recipe->name));
  return std::nullopt;
}

Repairs repairs_of(const std::vector<Placement>& stages, const RepairArgs& args) {
  const ClusterMap& after = stages.back().map();
  Repairs out;
  out.apply = repairs_ranges(after);
  out.ranges = repair_ranges(stages);
  out.commands = repair_commands(after, out.ranges, args.keyspace);
  for (const RepairRange& range : out.ranges) out.share += share_of(after.domain(), range.region);
  return out;
}

void add_repair_note(Notes& notes, const Repairs& repairs) {
  if (repairs.ranges.empty()) return;
  std::set<NodeIndex> nodes;
  for (const RepairRange& range : repairs.ranges) nodes.insert(range.node);
  notes.line("repair", counted(repairs.ranges.size(), "range", "ranges") + " afterwards, " +
                           per_cent(repairs.share.value()) + " of hash space, at " +
                           counted(nodes.size(), "node", "nodes") +
                           ": those with an owner that did not have them all along; --repair-commands FILE "
                           "writes the commands");
}

Json repair_json(const Repairs& repairs) {
  if (!repairs.apply) return nullptr;
  Json out = Json::array();
  for (const RepairCommand& c : repairs.commands)
    out.push_back({{"after", c.after}, {"upto", c.upto}, {"node", c.node}, {"command", c.command}});
  return out;
}

std::string repair_script(const RepairArgs& args, const Repairs& repairs) {
  return script(repairs, args);
}

std::optional<Error> add_repairs(OutputFiles& files, const RepairArgs& args, const Repairs& repairs) {
  if (args.file.empty() || args.to_stdout()) return std::nullopt;
  return files.add(
      args.file, script(repairs, args),
      "wrote " + counted(repairs.commands.size(), "repair command", "repair commands") + " to " + args.file);
}

RepairSessions repair_sessions(const Placement& before, const Placement& after) {
  RepairSessions out;
  if (!repairs_ranges(before.map()) || !repairs_ranges(after.map())) return out;
  const std::vector<RangesHeld> was = ranges_held(before), is = ranges_held(after);
  for (NodeIndex n = 0; n < was.size(); ++n) {
    const std::string& name = before.map().nodes()[n].name;
    const auto there = after.map().find(name);
    out.rows.push_back({name, was[n], there ? is[*there] : RangesHeld{}});
  }
  for (NodeIndex n = 0; n < is.size(); ++n)
    if (const std::string& name = after.map().nodes()[n].name; !before.map().find(name))
      out.rows.push_back({name, {}, is[n]});
  return out;
}

void add_sessions_note(Notes& notes, const RepairSessions& sessions) {
  if (sessions.rows.empty()) return;
  RangesHeld before, after;
  for (const auto& row : sessions.rows) {
    before.all = std::max(before.all, row.before.all);
    after.all = std::max(after.all, row.after.all);
    before.primary = std::max(before.primary, row.before.primary);
    after.primary = std::max(after.primary, row.after.primary);
  }
  notes.line("repair sessions", "at most " + arrow(before.all, after.all) + " a node, " +
                                    arrow(before.primary, after.primary) + " with -pr");
}

std::string sessions_text(const RepairSessions& sessions, bool colour) {
  Table table({{"repair sessions"}, {"of all its ranges", true}, {"of its own (-pr)", true}});
  for (const auto& row : sessions.rows)
    table.row({shortened(row.name, 26), arrow(row.before.all, row.after.all),
               arrow(row.before.primary, row.after.primary)});
  return table.empty() ? "" : table.text(colour);
}

void add_sessions(Json& json, const RepairSessions& sessions) {
  const auto told = [](const RangesHeld& held) { return Json{{"primary", held.primary}, {"all", held.all}}; };
  json["repair_sessions"] = Json::array();
  for (const auto& row : sessions.rows) {
    const Json both = {{"before", told(row.before)}, {"after", told(row.after)}};
    json["repair_sessions"].push_back(
        {{"name", row.name}, {"before", both["before"]}, {"after", both["after"]}});
    for (Json& flow : json["flows"])
      if (flow["name"] == row.name) flow["repair_sessions"] = both;
  }
}

void add_collapsed_note(Notes& notes, const Collapsed& collapsed, Share replaced) {
  if (collapsed.ranges.empty()) return;
  const auto few = std::count_if(collapsed.ranges.begin(), collapsed.ranges.end(),
                                 [](const auto& r) { return r.why == CollapsedRange::Why::few; });
  const bool all_few = few == static_cast<std::ptrdiff_t>(collapsed.ranges.size());
  std::string why;
  if (few > 0) why = "fewer than " + std::to_string(collapsed.wanted) + " owners are up";
  if (!all_few) why += (few > 0 ? ", or all of them" : "all owners") + std::string(" stand together");
  notes.line("re-place first",
             counted(collapsed.ranges.size(), "range", "ranges") + ", " + per_cent(collapsed.share.value()) +
                 " of hash space, count as unreplicated: " + why + "; this change gives " +
                 (replaced.units == 0           ? "none of them"
                  : replaced == collapsed.share ? "all of them"
                                                : per_cent(replaced.value()) + " of hash space") +
                 " real copies again",
             Tone::warning);
}

std::string collapsed_text(const Placement& placement, const Collapsed& collapsed, bool all, bool colour) {
  if (collapsed.ranges.empty()) return "";
  const ClusterMap& map = placement.map();
  std::vector<const CollapsedRange*> largest;
  for (const CollapsedRange& range : collapsed.ranges) largest.push_back(&range);
  std::sort(largest.begin(), largest.end(), [](const auto* a, const auto* b) {
    if (a->up.size() != b->up.size()) return a->up.size() < b->up.size();
    return a->share != b->share ? b->share < a->share : a->region.upto < b->region.upto;
  });
  Table table({{"re-place first, after"}, {"up to"}, {"share", true}, {"copies"}, {"up"}});
  for (std::size_t i = 0; i < largest.size() && (all || i < most_ranges); ++i) {
    const CollapsedRange& range = *largest[i];
    table.row({to_text(map.space(), range.region.after), to_text(map.space(), range.region.upto),
               per_cent(range.share.value()), why_text(range), names_of(map, range.up)});
  }
  if (!all && largest.size() > most_ranges)
    table.note("… " + counted(largest.size() - most_ranges) + " more ranges (--all shows them)");
  return table.text(colour);
}

Json collapsed_json(const Placement& placement, const Collapsed& collapsed, Share replaced) {
  const ClusterMap& map = placement.map();
  Json ranges = Json::array();
  for (const CollapsedRange& range : collapsed.ranges) {
    Json up = Json::array();
    for (NodeIndex n : range.up) up.push_back(map.nodes()[n].name);
    ranges.push_back({{"after", to_text(map.space(), range.region.after)},
                      {"upto", to_text(map.space(), range.region.upto)},
                      {"share", range.share.value()},
                      {"copies", why_text(range)},
                      {"up", up}});
  }
  return {{"share", collapsed.share.value()}, {"replaced_share", replaced.value()}, {"ranges", ranges}};
}

}  // namespace arcwise::cli
