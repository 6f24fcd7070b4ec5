// status: is it fine?
#include <algorithm>
#include <memory>

#include "arcwise/risk.hpp"
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

struct Studies {
  Ownership ownership;
  std::optional<ByChance> chance;
  Judgement judgement;
  CheckReport check;
  std::optional<DownRisk> down;  ///< where some node was seen down
  bool promotes = false;         ///< one live owner serves a range
};

Studies study(const Loaded& loaded, std::uint64_t seed) {
  Studies s;
  s.promotes = loaded.cluster.map.placement().recipe->promotes;
  s.ownership = ownership(loaded.placement);
  s.chance = by_chance(loaded.placement, seed);
  s.judgement = judge(loaded.placement, s.ownership, s.chance, loaded.cluster.observed);
  s.check = check(loaded.placement, loaded.cluster.observed, {});
  if (!loaded.cluster.observed.down.empty())
    s.down = risk_down(loaded.placement, serving_level(loaded.cluster.map), loaded.cluster.observed.down);
  return s;
}

// healthy < attention < broken: attention means that it works, but not as well as it should.
enum class Health : std::uint8_t { healthy, attention, broken };
constexpr std::string_view health_names[] = {"healthy", "needs attention", "broken"};
constexpr Tone health_tones[] = {Tone::good, Tone::warning, Tone::bad};

struct Verdict {
  Health health = Health::healthy;
  std::vector<std::string> reasons;
  bool within_chance = false;
  void because(Health at_least, std::string reason) {
    health = std::max(health, at_least);
    reasons.push_back(std::move(reason));
  }
};

std::string some_names(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size() && i < 3; ++i) out += (i ? ", " : "") + names[i];
  if (names.size() > 3) out += " and " + counted(names.size() - 3) + " more";
  return out;
}

Verdict conclude(const Studies& s) {
  Verdict v;
  v.within_chance = s.chance && !s.judgement.tokens_beyond_chance;
  if (s.ownership.unowned.units > 0)
    v.because(Health::broken, per_cent(s.ownership.unowned.value()) + " of hash space has no owner");
  if (s.down) {
    const std::string who = some_names(s.down->down) + (s.down->down.size() == 1 ? " is down" : " are down");
    if (s.down->lost.units > 0) {
      v.because(Health::broken,
                who + ", and " + per_cent(s.down->lost.value()) + " of hash space has no live owner");
    } else if (s.down->below_quorum.units > 0) {
      v.because(Health::broken,
                who + ", and " + per_cent(s.down->below_quorum.value()) + " of hash space is below quorum");
    } else {
      v.because(Health::attention,
                who + (s.promotes ? "; every range has a live owner" : "; every range keeps a quorum"));
    }
  }
  std::size_t errors = 0;
  for (const Finding& f : s.check.findings) errors += f.severity == Finding::Severity::error;
  if (errors) v.because(Health::broken, "check finds " + counted(errors, "error", "errors"));
  switch (s.judgement.cause) {
    case ImbalanceCause::tokens:
      v.because(Health::attention, "its tokens are uneven beyond chance");
      break;
    case ImbalanceCause::data:
      v.because(Health::attention, "its data is uneven");
      break;
    case ImbalanceCause::both:
      v.because(Health::attention, "tokens and data are both uneven");
      break;
    case ImbalanceCause::none:
    case ImbalanceCause::unknown_data:
      break;
  }
  return v;
}

std::string headline(const Loaded& loaded, const Verdict& verdict, bool colour) {
  const auto at = static_cast<std::size_t>(verdict.health);
  std::string out =
      toned(loaded.title, Tone::strong, colour) + ": " + toned(health_names[at], health_tones[at], colour);
  if (verdict.reasons.empty())
    out += std::string(": every range has its copies") +
           (verdict.within_chance ? ", shares no more uneven than by chance" : "");
  for (std::size_t i = 0; i < verdict.reasons.size(); ++i) out += (i ? "; " : ": ") + verdict.reasons[i];
  return wrapped(out, 100, 2) + '\n';
}

std::string about(const Loaded& loaded, const Ownership& ownership) {
  const ClusterMap& map = loaded.cluster.map;
  std::string out = counted(map.nodes().size(), "node", "nodes");
  for (const auto& [level, field, one, many] : {std::tuple{Across::zone, &Node::zone, "zone", "zones"},
                                                std::tuple{Across::rack, &Node::rack, "rack", "racks"}}) {
    // Where no node says its rack, each zone counts as one: no reason to call it so.
    const bool said = std::any_of(map.nodes().begin(), map.nodes().end(),
                                  [field = field](const Node& node) { return !(node.*field).empty(); });
    const auto groups = group_ownership(map, ownership, level);
    if (said && groups.size() > 1) out += ", " + counted(groups.size(), one, many);
  }
  if (ownership.ring_entries) out += ", " + counted(ownership.ring_entries, "ring entry", "ring entries");
  out += ", " + describe_policy(map.replicas());
  out += "; recipe " + std::string(map.placement().recipe->name) + ", key hash " +
         std::string(info(map.placement().hash).name);
  if (map.epoch()) out += ", epoch " + std::to_string(*map.epoch());
  return out + '\n';
}

std::string summary(const Loaded& loaded, const Studies& s, bool colour) {
  const Balance& b = s.ownership.balance;
  const std::string fullest =
      s.judgement.fullest_node.empty() ? "" : " (" + shortened(s.judgement.fullest_node, 26) + ")";
  Notes notes;
  notes.line("balance", "largest " + times(b.max_over_target) + " its target" + fullest + ", smallest " +
                            times(b.min_over_target) + ", spread " + per_cent(b.stddev_over_target) +
                            sampled_text(s.ownership.sampled));
  if (s.chance)
    notes.line("by chance", "largest " + times(s.chance->median) + ", above " + times(s.chance->p99) +
                                " in 1 of 100 (" + counted(s.chance->trials) + " random rings, seed " +
                                std::to_string(s.chance->seed) + ")");
  const std::string over = ", over " + counted(s.ownership.regions, "range", "ranges");
  notes.line("replica sets", counted(s.ownership.replica_sets) + " distinct" +
                                 (s.ownership.sampled ? " among the sampled keys" : over));
  const Fingerprints prints = fingerprints(loaded.placement);
  const std::string tokens = prints.token_digest.empty() ? "" : ", tokens " + prints.token_digest;
  notes.line("fingerprint", prints.fingerprint + tokens);
  return notes.text(colour);
}

std::string findings_text(const Studies& s, bool colour) {
  constexpr std::size_t most = 6;
  static constexpr std::string_view labels[] = {"note", "warning", "error"};
  static constexpr Tone tones[] = {Tone::plain, Tone::warning, Tone::bad};
  Notes notes;
  std::size_t shown = 0;
  for (const Finding& f : s.check.findings) {
    if (++shown > most) continue;
    const auto severity = static_cast<std::size_t>(f.severity);
    const bool said = f.message.find(f.subject) != std::string::npos;
    notes.line(std::string(labels[severity]), (said ? "" : f.subject + ": ") + f.message, tones[severity]);
  }
  if (shown > most) notes.line("", "… " + counted(shown - most) + " more: arcwise check");
  return notes.text(colour);
}

std::string text_answer(const Loaded& loaded, const Studies& s, const Options& options, bool colour) {
  std::string out = headline(loaded, conclude(s), colour) + about(loaded, s.ownership) + '\n';
  out += node_table(loaded, s.ownership, {options.all, colour, s.chance}) + '\n';
  out += summary(loaded, s, colour);
  out += '\n';
  for (const std::string& sentence : s.judgement.sentences) out += wrapped("• " + sentence, 100, 2) + '\n';
  if (!s.check.findings.empty()) out += '\n' + findings_text(s, colour);
  return out;
}

std::string json_answer(const Loaded& loaded, const Studies& s) {
  Json json = ownership_json("status", loaded.cluster, loaded.placement, s.ownership, s.chance);
  const Verdict verdict = conclude(s);
  json["health"] = health_names[static_cast<std::size_t>(verdict.health)];
  json["reasons"] = verdict.reasons;
  json["judgement"] = to_json(s.judgement);
  json["check"] = {{"ok", s.check.ok}, {"findings", s.check.findings.size()}};
  json["observed_down"] = s.down ? down_json(*s.down) : Json(nullptr);
  return dump(json);
}

}  // namespace

Action declare_status(Args& args) {
  auto options = std::make_shared<Options>();
  options->cluster.declare(args, true);
  args.flag("--all", options->all, "list every node of a large cluster");
  args.option("--seed", "N", options->seed, "seed of the random rings that stand for chance (1)");
  return [options](Session& session) -> Result<int> {
    const auto loaded = options->cluster.load();
    if (!loaded) return loaded.error();
    const Studies s = study(*loaded, options->seed);
    session.out.write(session.json ? json_answer(*loaded, s)
                                   : text_answer(*loaded, s, *options, session.colour));
    return 0;
  };
}

}  // namespace arcwise::cli
