// simulate growth: how even does a cluster stay that grows one node at a time?
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "arcwise/allocate.hpp"
#include "cli/cluster_args.hpp"
#include "cli/verbs.hpp"
#include "format/json_reports.hpp"
#include "format/table_numbers.hpp"
#include "format/table_text.hpp"

namespace arcwise::cli {
namespace {

constexpr std::uint32_t most_nodes = 1000;

struct Options {
  std::optional<std::uint32_t> nodes = 100, tokens = 16, replicas = 3, racks = 1, from = 12, stale;
  std::string algorithm = "arcwise";
  std::uint64_t seed = 1;
  bool all = false;
};

std::optional<Error> refused(const Options& o) {
  if (*o.nodes > most_nodes || *o.tokens > 256)
    return usage_error("", "that is more than is simulated at once",
                       "take at most 1,000 nodes of 256 tokens");
  if (*o.replicas == 0 || *o.replicas > max_replicas || *o.nodes < *o.replicas)
    return usage_error("", "the replica count is 0 or above the number of nodes", "3 is usual");
  if (*o.racks != 1 && *o.racks != *o.replicas)
    return usage_error(std::to_string(*o.racks), "--racks is 1, or the replica count",
                       "then each rack is a ring of its own");
  if (*o.from < *o.replicas || *o.from > *o.nodes)
    return usage_error(std::to_string(*o.from), "--from is below the replica count or above --nodes",
                       "give a size that the growth passes");
  if (o.stale && (*o.stale < 2 * *o.racks || *o.stale + 2 * *o.racks > *o.nodes))
    return usage_error(std::to_string(*o.stale), "--stale-join is not a size that the growth passes",
                       "give one well between 1 and --nodes");
  return std::nullopt;
}

struct Worst {
  GrowthStep most, least;
};

Worst worst(const std::vector<GrowthStep>& steps, std::uint32_t from) {
  Worst out{{0, 0, 0}, {0, 0, 1e9}};
  for (const GrowthStep& s : steps) {
    if (s.nodes < from) continue;
    if (s.most > out.most.most) out.most = s;
    if (s.least < out.least.least) out.least = s;
  }
  return out;
}

Json rows_json(const std::vector<GrowthStep>& steps) {
  Json out = Json::array();
  for (const GrowthStep& s : steps)
    out.push_back({{"nodes", s.nodes}, {"max_over_fair", s.most}, {"min_over_fair", s.least}});
  return out;
}

std::string ratio(double value) {
  return fmt::format("{:.4f}", value);
}

std::string text_answer(const Options& o, const std::vector<GrowthStep>& fresh,
                        const std::optional<std::vector<GrowthStep>>& stale, bool colour) {
  std::string out = toned(counted(*o.nodes, "node", "nodes"), Tone::strong, colour) + " of " +
                    counted(*o.tokens, "token", "tokens") + " joined one by one, chosen by " + o.algorithm +
                    ", " + counted(*o.replicas, "copy", "copies") + ", " +
                    counted(*o.racks, "rack", "racks") + "\n\n";
  Table table({{"nodes", true},
               {"largest", true},
               {"smallest", true},
               {"stale: largest", true},
               {"stale: smallest", true}});
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    const bool shown =
        o.all || fresh[i].nodes == fresh.back().nodes || (i + 1) % ((fresh.size() + 11) / 12) == 0;
    if (fresh[i].nodes < *o.from || !shown) continue;
    table.row({counted(fresh[i].nodes), ratio(fresh[i].most), ratio(fresh[i].least),
               stale ? ratio((*stale)[i].most) : "", stale ? ratio((*stale)[i].least) : ""});
  }
  Notes notes;
  const auto line = [&](const char* label, const std::vector<GrowthStep>& steps) {
    const Worst w = worst(steps, *o.from);
    notes.line(label, "largest " + ratio(w.most.most) + " at " + counted(w.most.nodes) + " nodes, smallest " +
                          ratio(w.least.least) + " at " + counted(w.least.nodes) + ", from " +
                          counted(*o.from) + " nodes on");
  };
  line("worst", fresh);
  if (stale) line("with the stale join", *stale);
  notes.line("counted",
             std::string("what a node holds over what is fair") + (*o.racks > 1 ? " in its rack" : ""));
  return out + table.text(colour) + '\n' + notes.text(colour);
}

Result<int> run(const Options& o, Session& session) {
  if (auto error = refused(o)) return *error;
  GrowthScenario scenario{*o.nodes, *o.tokens, *o.replicas, *o.racks > 1, *find_allocator(o.algorithm),
                          {},       o.seed};
  const auto fresh = simulate_growth(scenario);
  std::optional<std::vector<GrowthStep>> stale;
  if (o.stale) {
    scenario.stale_join = *o.stale;
    stale = simulate_growth(scenario);
  }
  if (!session.json) {
    session.out.write(text_answer(o, fresh, stale, session.colour));
    return 0;
  }
  Json json = answer("simulate");
  json["scenario"] = "growth";
  json["algorithm"] = o.algorithm;
  json["tokens"] = *o.tokens;
  json["replicas"] = *o.replicas;
  json["racks"] = *o.racks;
  json["seed"] = o.seed;
  json["rows"] = rows_json(fresh);
  if (stale) json["stale_join"] = {{"nodes", *o.stale}, {"rows", rows_json(*stale)}};
  session.out.write(dump(json));
  return 0;
}

}  // namespace

Action declare_simulate_growth(Args& args) {
  auto options = std::make_shared<Options>();
  Options& o = *options;
  args.option("--nodes", "N", o.nodes, "how many join, one by one (100)");
  args.option("--tokens", "V", o.tokens, "tokens a node (16)");
  args.option("--replicas", "R", o.replicas, "copies of every range (3)");
  args.option("--racks", "N", o.racks, "1, or as many as copies, joined in turn (1)");
  args.option("--algorithm", "NAME", o.algorithm, "who chooses the tokens (arcwise)")
      .one_of({"arcwise", "cassandra", "random"});
  args.option("--stale-join", "N", o.stale,
              "beside it: beyond N nodes two join at once in one rack, neither seeing the other");
  args.option("--from", "N", o.from, "leave out smaller sizes (12)");
  args.flag("--all", o.all, "list every size");
  args.option("--seed", "N", o.seed, "seed of random tokens (1)");
  return [options](Session& session) { return run(*options, session); };
}

}  // namespace arcwise::cli
