#include "cli/plan_steps_text.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "arcwise/format.hpp"
#include "format/table_numbers.hpp"
#include "format/table_text.hpp"

namespace arcwise::cli {
namespace {

constexpr std::size_t widest_name = 26, widest_action = 44, most_rows = 20, most_pairs = 3;

std::string action_of(const Step& step) {
  std::string out;
  for (std::size_t i = 0; i < step.actions.size(); ++i) {
    if (i == 2 && step.actions.size() > 3) return out + " and " + counted(step.actions.size() - i) + " more";
    out += (i ? ", " : "") + shortened(step.actions[i], widest_action);
  }
  return out;
}

// "3 → 2 → 3": before, during, after.
template <class Value, class Text>
std::string thrice(const StepSafety& safety, Value value, Text text) {
  return text(value(safety.before)) + " → " + text(value(safety.during)) + " → " + text(value(safety.after));
}
std::string shares(const StepSafety& safety, Share SafetyPhase::* part) {
  const auto value = [&](const SafetyPhase& phase) { return phase.*part; };
  if ((value(safety.before) + value(safety.during) + value(safety.after)).units == 0) return "";
  return thrice(safety, value, [](Share share) { return per_cent(share.value()); });
}

std::string movement_table(const StepPlan& plan, bool colour) {
  Table table({{"step"},
               {"what changes"},
               {"moves", true},
               {"bytes", true},
               {"takes", true},
               {"at the pace of"},
               {"starts after", true}});
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& step = plan.steps[i];
    table.row({std::to_string(i + 1), action_of(step), per_cent(step.moved.value()),
               step.bytes > 0 ? human_bytes(step.bytes) : "",
               step.seconds > 0 ? human_seconds(step.seconds) : "", shortened(step.pace, widest_name),
               step.start > 0 ? human_seconds(step.start) : ""});
  }
  return table.text(colour);
}

std::string safety_table(const StepPlan& plan, bool colour) {
  Table table({{"step"},
               {"full owners at least"},
               {"below quorum"},
               {"nobody holds"},
               {"on fewer racks"},
               {"on fewer hosts"},
               {"one more down, worst"},
               {"then below quorum", true}});
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const StepSafety& safe = plan.steps[i].safety;
    const std::string owners = thrice(
        safe, [](const SafetyPhase& p) { return p.fewest; },
        [](std::uint32_t n) { return std::to_string(n); });
    const bool less = safe.during.fewest < safe.before.fewest || safe.after.fewest < safe.before.fewest;
    const SafetyPhase& worst = safe.after.worst_share > safe.during.worst_share ? safe.after : safe.during;
    table.row({std::to_string(i + 1), Cell(owners, less ? Tone::warning : Tone::plain),
               Cell(shares(safe, &SafetyPhase::below_quorum), Tone::bad),
               Cell(shares(safe, &SafetyPhase::without), Tone::bad),
               Cell(shares(safe, &SafetyPhase::fewer_racks), Tone::warning),
               shares(safe, &SafetyPhase::fewer_hosts),
               worst.worst.empty() ? "nothing" : shortened(worst.worst, widest_name),
               worst.worst.empty() ? "" : per_cent(worst.worst_share.value())});
  }
  return "\nwho holds the data: before → during → after\n" + table.text(colour);
}

std::string cache_table(const StepPlan& plan, const StepOptions& options, bool colour) {
  Table table({{"step"},
               {"cold", true},
               {"hit ratio"},
               {"database", true},
               {"its requests"},
               {"95 % warm again after", true}});
  const auto rate = [](double value) {
    return counted(static_cast<std::uint64_t>(std::llround(value))) + "/s";
  };
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const auto& cache = plan.steps[i].cache;
    if (!cache) return "";
    const bool over = options.database_limit > 0 && cache->database_after > options.database_limit;
    table.row({std::to_string(i + 1), per_cent(cache->cold.value()),
               per_cent(cache->hit_ratio_before, 1) + " → " + per_cent(cache->hit_ratio_after, 1),
               cache->misses_factor > 0 ? times(cache->misses_factor) : "",
               cache->database_after > 0
                   ? Cell(rate(cache->database_warm) + " → " + rate(cache->database_after),
                          over ? Tone::bad : Tone::plain)
                   : "",
               cache->refill_seconds > 0 ? human_seconds(cache->refill_seconds) : ""});
  }
  return "\nright after each step\n" + table.text(colour);
}

std::vector<const PeakLoad*> busiest_first(const std::vector<PeakLoad>& peaks) {
  std::vector<const PeakLoad*> out;
  out.reserve(peaks.size());
  for (const PeakLoad& peak : peaks) out.push_back(&peak);
  std::stable_sort(out.begin(), out.end(), [](const PeakLoad* a, const PeakLoad* b) {
    return std::tuple(a->utilisation.value_or(0), a->rate, a->first_peak) >
           std::tuple(b->utilisation.value_or(0), b->rate, b->first_peak);
  });
  return out;
}

std::string peak_table(const StepPlan& plan, const StepOptions& options, bool all, bool colour) {
  Table table({{"node"},
               {"moves at most", true},
               {"of its budget", true},
               {"in step", true},
               {"stores at most", true},
               {"of its disk", true},
               {"in step", true},
               {"requests before", true},
               {"at most", true},
               {"after", true}});
  const bool disks = std::any_of(plan.peaks.begin(), plan.peaks.end(), [](const PeakLoad& p) {
    return p.utilisation.has_value() || p.stored_bytes > 0;
  });
  const auto requests = [&](Share share) {
    return options.requests > 0
               ? counted(static_cast<std::uint64_t>(std::llround(options.requests * share.value()))) + "/s"
               : "";
  };
  std::size_t rows = 0;
  for (const PeakLoad* row : busiest_first(plan.peaks)) {
    const PeakLoad& peak = *row;
    if (!all && ++rows > most_rows) continue;
    const bool moves = peak.rate > 0;
    const double disk = peak.utilisation.value_or(0);
    table.row({shortened(peak.name, widest_name), moves ? human_bytes(peak.rate) + "/s" : "",
               peak.budget_used > 0 ? per_cent(peak.budget_used, 1) : "",
               moves ? std::to_string(peak.rate_step) : "",
               peak.stored_bytes > 0 ? human_bytes(peak.stored_bytes) : "",
               disk > 0 ? Cell(per_cent(disk, 1), disk > 1 ? Tone::bad : Tone::plain) : "",
               disks ? std::to_string(peak.stored_step) : "", requests(peak.first_before),
               requests(peak.first_peak), requests(peak.first_after)});
  }
  if (rows > most_rows) table.note("… " + counted(rows - most_rows) + " more nodes (--all shows them)");
  return "\npeaks over all steps\n" + table.text(colour);
}

// A word as a shell takes it.
std::string quoted(const std::string& word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,@%+";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string out = "'";
  for (char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// What the map after so many steps is called.
std::string map_name(const StepPlan& plan, std::size_t steps_done, const StepNames& names) {
  if (steps_done == 0) return quoted(names.before);
  if (!names.prefix.empty()) return quoted(names.prefix + std::to_string(steps_done) + ".yaml");
  if (steps_done == plan.steps.size()) return names.after.empty() ? "AFTER" : quoted(names.after);
  return "AFTER" + std::to_string(steps_done);
}

std::string way_back(const StepPlan& plan, const StepNames& names, bool all) {
  std::string out = "\nway back\n";
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    if (!all && i >= most_rows) return out + "  … " + counted(plan.steps.size() - i) + " more (--all)\n";
    const WayBack& back = plan.steps[i].back;
    out += "  " + std::to_string(i + 1) + ". arcwise plan " + map_name(plan, i + 1, names);
    for (const std::string& word : back.words) out += ' ' + printable(quoted(word));
    if (back.words.empty()) out += " --to " + map_name(plan, i, names);
    out += ": moves " + per_cent(back.moved.value()) + '\n';
  }
  return out;
}

}  // namespace

std::string steps_text(const StepPlan& plan, const StepOptions& options, const StepNames& names, bool all,
                       bool colour) {
  std::string out = "\nsteps";
  if (plan.steps.size() > 1) {
    out += ": " + per_cent(plan.moved.value()) + " of one copy moves in all";
    if (plan.seconds > 0) out += ", the last ends after " + human_seconds(plan.seconds);
  }
  out +=
      '\n' + movement_table(plan, colour) + safety_table(plan, colour) + cache_table(plan, options, colour);
  const bool disk = std::any_of(plan.peaks.begin(), plan.peaks.end(),
                                [](const PeakLoad& p) { return p.utilisation.has_value(); });
  if (disk || options.requests > 0 || (plan.steps.size() > 1 && plan.bytes > 0))
    out += peak_table(plan, options, all, colour);
  return out + way_back(plan, names, all);
}

std::string useless_text(const Diff& diff) {
  constexpr double rounding = 1e-9;
  Usefulness use = usefulness(diff);
  if (use.useless.value() < (diff.sampled ? diff.sampled->error_95 : rounding)) return "";
  std::stable_sort(use.pairs.begin(), use.pairs.end(),
                   [](const Transfer& a, const Transfer& b) { return a.share > b.share; });
  std::string out = per_cent(use.useless.value()) + ", useful " + per_cent(use.useful.value());
  for (std::size_t i = 0; i < std::min(most_pairs, use.pairs.size()); ++i)
    out += (i ? ", " : ": ") + shortened(use.pairs[i].from, widest_name) + " → " +
           shortened(use.pairs[i].to, widest_name) + " " + per_cent(use.pairs[i].share.value());
  if (use.pairs.size() > most_pairs) out += " and " + counted(use.pairs.size() - most_pairs) + " pairs more";
  return out;
}

}  // namespace arcwise::cli
