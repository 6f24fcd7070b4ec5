// risk: what do failures cost?
#include <algorithm>
#include <memory>

#include "arcwise/risk.hpp"
#include "cli/cluster_args.hpp"
#include "cli/verbs.hpp"
#include "format/json_reports.hpp"
#include "format/table_numbers.hpp"
#include "format/table_text.hpp"

namespace arcwise::cli {
namespace {

struct Options {
  ClusterArgs cluster;
  DownArgs down;
  std::string level;
  bool rolling = false;
};

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& w : words) out += (out.empty() ? "" : ", ") + w;
  return out;
}

std::string needs(const Options& options) {
  if (options.level == "quorum") return "quorum";
  return options.level == "one"   ? "one owner"
         : options.level == "all" ? "all owners"
                                  : options.level + " owners";
}

std::string failures_table(const Risk& risk, const std::string& level, bool colour) {
  Table table({{"down at once", true},
               {"some range below " + level, true},
               {"some range lost", true},
               {"expected share below " + level, true},
               {"expected share lost", true}});
  for (const FailureRisk& f : risk.failures)
    table.row({std::to_string(f.down), per_cent(f.any_quorum_lost), per_cent(f.any_data_lost),
               per_cent(f.expected_share_lost), per_cent(f.expected_share_data_lost)});
  return table.text(colour);
}

// The few heaviest kinds of pair, and the rest in one row: on a large ring every pair is its own kind.
std::string pairs_table(const Risk& risk, const std::string& level, bool colour) {
  constexpr std::size_t most = 5;
  Table table({{"pairs", true}, {"share below " + level + " with both down", true}});
  std::uint64_t rest = 0, harmless = 0;
  Share largest, smallest;
  for (std::size_t i = 0; i < risk.pair_losses.size(); ++i) {
    const Risk::PairLoss& p = risk.pair_losses[i];
    if (p.share.units == 0) {
      harmless += p.pairs;
    } else if (i < most) {
      table.row({counted(p.pairs), per_cent(p.share.value())});
    } else {
      if (!rest) largest = p.share;
      smallest = p.share;
      rest += p.pairs;
    }
  }
  if (rest) table.row({counted(rest), per_cent(largest.value()) + " down to " + per_cent(smallest.value())});
  if (harmless) table.row({counted(harmless), "nothing"});
  return table.text(colour);
}

std::string down_text(const DownRisk& down, const std::string& level, const std::string& when, bool colour) {
  std::string out = when + joined(down.down) + '\n';
  const auto tone = [](Share s) { return s.units > 0 ? Tone::bad : Tone::good; };
  Notes notes;
  notes.line("below " + level,
             per_cent(down.below_quorum.value()) + " of hash space" + sampled_text(down.sampled),
             tone(down.below_quorum));
  notes.line("without any owner", per_cent(down.lost.value()) + " of hash space", tone(down.lost));
  if (!down.example_keys.empty()) notes.line("keys such as", joined(down.example_keys));
  return out + notes.text(colour);
}

std::string tolerated(const Risk& risk, const std::string& level) {
  if (risk.tolerated == 0) return "none: one node down already leaves some range below " + level;
  return "any " + counted(risk.tolerated, "node", "nodes") + " at once";
}

std::string text_answer(const Loaded& loaded, const Risk& risk, const std::string& level, bool colour) {
  Notes notes;
  notes.line("replica sets", counted(risk.replica_sets) + " distinct");
  notes.line("co-owning pairs", counted(risk.co_owner_pairs) + " of " +
                                    counted(risk.nodes * (risk.nodes - 1) / 2) + " (" +
                                    per_cent(risk.co_owner_fraction) + ")");
  char mean[32];
  std::snprintf(mean, sizeof mean, "%.1f", risk.scatter_width.mean);
  notes.line("scatter width", std::string("a node shares ranges with ") + mean + " others on average (" +
                                  counted(risk.scatter_width.min) + " to " + counted(risk.scatter_width.max) +
                                  ")");
  notes.line("tolerated", tolerated(risk, level), risk.tolerated ? Tone::good : Tone::warning);
  std::string out = toned(loaded.title, Tone::strong, colour) + ": " +
                    counted(loaded.cluster.map.nodes().size(), "node", "nodes") + ", " +
                    describe_policy(loaded.cluster.map.replicas()) + sampled_text(risk.sampled) + '\n';
  out += notes.text(colour) + '\n' + failures_table(risk, level, colour);
  if (risk.pair_losses.size() > 1 || risk.mean_pair_loss > 0) {
    out += '\n' + pairs_table(risk, level, colour);
    if (risk.worst_pair.share.units > 0)
      out += "worst pair " + risk.worst_pair.a + " + " + risk.worst_pair.b + ": " +
             per_cent(risk.worst_pair.share.value()) +
             "; mean over all pairs: " + per_cent(risk.mean_pair_loss) + '\n';
  }
  return out;
}

// How many groups leave something short while they are away, and how much at worst.
struct Meanwhile {
  std::size_t groups = 0;
  Share worst, lost;
  explicit Meanwhile(const Rolling& rolling) {
    for (const RollingGroup& g : rolling.groups) {
      groups += g.below_level.units || g.lost.units;
      worst = std::max(worst, g.below_level);
      lost = std::max(lost, g.lost);
    }
  }
};

void note_rolling(Notes& notes, const Loaded& loaded, const Rolling& rolling, const std::string& level,
                  const Meanwhile& short_of) {
  const std::size_t count = rolling.groups.size();
  if (!rolling.down.empty())
    notes.line("down now",
               joined(rolling.down) + ": in no group; " + per_cent(rolling.below_now.value()) +
                   " of hash space is below " + level + " already",
               Tone::warning);
  if (short_of.lost.units)
    notes.line("warning",
               "while " + counted(short_of.groups, "group", "groups") + " of " + counted(count) + " restart" +
                   (short_of.groups == 1 ? "s" : "") + ", up to " + per_cent(short_of.lost.value()) +
                   " of hash space has no owner at all: there is no other copy that is up",
               Tone::bad);
  else if (short_of.groups)
    notes.line("warning",
               "the restart of " + counted(short_of.groups, "group", "groups") + " of " + counted(count) +
                   " alone leaves up to " + per_cent(short_of.worst.value()) + " of hash space below " +
                   level + "; such nodes go one by one",
               Tone::bad);
  if (rolling.masters)
    notes.line("masters",
               rolling.masters->may_restart
                   ? "at most " + counted(rolling.masters->may_restart) + " of " +
                         counted(rolling.masters->all) +
                         " at once: a strict majority must stay up to promote replicas; replicas come first"
                   : "no majority of the " + counted(rolling.masters->all) +
                         " is up while any of them restarts: no replica is promoted meanwhile",
               rolling.masters->may_restart ? Tone::plain : Tone::bad);
  else if (count == rolling.least_groups && rolling.down.empty())
    notes.line("fewest", "no fewer groups are possible: a range has " + counted(count, "owner", "owners"));
  else if (!short_of.groups && count > 1 && count == loaded.cluster.map.nodes().size())
    notes.line(
        "one by one",
        "nearly every two nodes share a range; fewer tokens, or as many racks as copies, allow more at once",
        Tone::warning);
}

std::string rolling_text(const Loaded& loaded, const Rolling& rolling, const std::string& level,
                         bool colour) {
  const Meanwhile short_of(rolling);
  const std::string one_away = rolling.down.empty() ? "; every range keeps all its owners but one"
                                                    : "; every range keeps all its live owners but one";
  std::string out = toned(loaded.title, Tone::strong, colour) + ": restart in " +
                    toned(counted(rolling.groups.size(), "group", "groups"), Tone::strong, colour) +
                    ", one after the other" + (short_of.groups ? "" : one_away) +
                    sampled_text(rolling.sampled) + '\n';
  Notes notes;
  note_rolling(notes, loaded, rolling, level, short_of);
  out += notes.text(colour) + '\n';
  Table table({{"nodes"},
               {"all of"},
               {"away: share below " + level, true},
               {"one more down, worst"},
               {"share below " + level, true},
               {"on average", true},
               {"harmless", true}});
  for (const RollingGroup& g : rolling.groups)
    table.row({shortened(joined(g.nodes), 48), g.all_of,
               short_of.groups ? per_cent(g.below_level.value()) : "",
               g.further.worst.empty() ? "–" : shortened(g.further.worst, 26),
               per_cent(g.further.worst_share.value()), per_cent(g.further.mean_share),
               counted(g.further.harmless) + " of " + counted(g.further.of)});
  return out + table.text(colour);
}

void answer_down(const Loaded& loaded, const Level& level, const Options& options, const NodeSet& down,
                 Session& session) {
  const DownRisk risk = risk_down(loaded.placement, level, down);
  session.out.write(session.json ? dump(down_json(risk))
                                 : down_text(risk, needs(options), "down: ", session.colour));
}

void answer_all(const Loaded& loaded, const Level& level, const Options& options, Session& session) {
  const Risk all = risk(loaded.placement, level);
  const NodeSet& seen = loaded.cluster.observed.down;
  std::optional<DownRisk> now;
  if (!seen.empty()) now = risk_down(loaded.placement, level, seen);
  if (session.json) {
    Json json = risk_json(all, loaded.placement);
    json["level"] = options.level;
    json["observed_down"] = now ? down_json(*now) : Json(nullptr);
    return session.out.write(dump(json));
  }
  std::string out = text_answer(loaded, all, needs(options), session.colour);
  if (now) out += '\n' + down_text(*now, needs(options), "down now, as the file shows: ", session.colour);
  session.out.write(out);
}

}  // namespace

Action declare_risk(Args& args) {
  auto options = std::make_shared<Options>();
  options->cluster.declare(args, true);
  args.option(
      "--level", "LEVEL", options->level,
      "owners that must answer: quorum, one, all or a number (quorum; with --rolling what the system needs)");
  options->down.declare(args, "what these nodes cost, all down at once");
  args.flag("--rolling", options->rolling,
            "which nodes may restart at once, and what one more failure costs then");
  return [options](Session& session) -> Result<int> {
    const bool preset = options->level.empty();
    if (preset) options->level = "quorum";
    auto level = find_level(options->level);
    if (!level)
      return usage_error(options->level, "--level: no such level", "use quorum, one, all or a number");
    const auto loaded = options->cluster.load();
    if (!loaded) return loaded.error();
    const auto down = options->down.with_observed(loaded->cluster);
    if (!down) return down.error();
    if (options->rolling) {
      if (preset) level = serving_level(loaded->cluster.map);
      if (level->kind == Level::Kind::one) options->level = "one";
      const Rolling groups = rolling(loaded->placement, *level, *down);
      session.out.write(session.json ? dump(rolling_json(groups))
                                     : rolling_text(*loaded, groups, needs(*options), session.colour));
    } else if (options->down.given()) {
      answer_down(*loaded, *level, *options, *down, session);
    } else {
      answer_all(*loaded, *level, *options, session);
    }
    return 0;
  };
}

}  // namespace arcwise::cli
