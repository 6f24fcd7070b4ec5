// ownership: how even?
#include <memory>

#include "cli/cluster_args.hpp"
#include "cli/node_table.hpp"
#include "cli/verbs.hpp"
#include "format/json_reports.hpp"
#include "format/table_numbers.hpp"
#include "format/table_text.hpp"

namespace arcwise::cli {
namespace {

struct Options {
  ClusterArgs cluster;
  std::uint64_t seed = 1;
  bool all = false;
};

struct Level {
  Across level;
  const char* one;
};
constexpr Level levels[] = {{Across::host, "host"}, {Across::rack, "rack"}, {Across::zone, "zone"}};

std::string group_table(const std::vector<GroupOwnership>& groups, const char* title, bool colour) {
  Table table(
      {{title}, {"nodes", true}, {"share", true}, {"effective", true}, {"target", true}, {"ratio", true}});
  for (const GroupOwnership& g : groups)
    table.row({g.name.empty() ? "–" : g.name, counted(g.nodes), per_cent(g.share.value(), 2),
               per_cent(g.effective.value(), 2), per_cent(g.target, 2),
               g.target > 0 ? times(g.effective.value() / g.target) : "–"});
  return table.text(colour);
}

std::string text_answer(const Loaded& loaded, const Ownership& own, const std::optional<ByChance>& chance,
                        const Options& options, bool colour) {
  std::string out = node_table(loaded, own, {options.all, colour, chance});
  for (const Level& level : levels) {
    const auto groups = group_ownership(loaded.cluster.map, own, level.level);
    // A level is worth a table when it groups something, and when there is more than one group.
    if (groups.size() > 1 && groups.size() < loaded.cluster.map.nodes().size())
      out += '\n' + group_table(groups, level.one, colour);
  }
  const Balance& b = own.balance;
  Notes notes;
  notes.line("balance", "largest " + times(b.max_over_target) + " its target, smallest " +
                            times(b.min_over_target) + ", spread " + per_cent(b.stddev_over_target) +
                            sampled_text(own.sampled));
  if (chance)
    notes.line("by chance", "largest " + times(chance->median) + ", above " + times(chance->p99) +
                                " in 1 of 100 (" + counted(chance->trials) + " random rings, seed " +
                                std::to_string(chance->seed) + ")");
  notes.line("counted", "key space, not bytes and not traffic");
  return out + '\n' + notes.text(colour);
}

}  // namespace

Action declare_ownership(Args& args) {
  auto options = std::make_shared<Options>();
  options->cluster.declare(args, true);
  args.flag("--all", options->all, "list every node of a large cluster");
  args.option("--seed", "N", options->seed, "seed of the random rings that stand for chance (1)");
  return [options](Session& session) -> Result<int> {
    const auto loaded = options->cluster.load();
    if (!loaded) return loaded.error();
    const Ownership own = ownership(loaded->placement);
    const auto chance = by_chance(loaded->placement, options->seed);
    if (!session.json) {
      session.out.write(text_answer(*loaded, own, chance, *options, session.colour));
      return 0;
    }
    session.out.write(dump(ownership_json(loaded->cluster, loaded->placement, own, chance)));
    return 0;
  };
}

}  // namespace arcwise::cli
