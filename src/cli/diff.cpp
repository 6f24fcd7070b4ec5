// diff: on what do two maps disagree?
#include <memory>

#include "arcwise/cause.hpp"
#include "arcwise/change.hpp"
#include "arcwise/check.hpp"
#include "cli/change_text.hpp"
#include "cli/cluster_args.hpp"
#include "cli/verbs.hpp"
#include "format/json_reports.hpp"
#include "format/table_numbers.hpp"
#include "format/table_text.hpp"

namespace arcwise::cli {
namespace {

constexpr std::size_t most_rows = 20, most_promotions = 3;

struct Options {
  std::string first, second;
  ClusterArgs before, after;
  std::uint64_t seed = 1;
  bool all = false;
};

// Two lines a cause with what each side does, a line with the bytes, one with the advice.
std::string cause_text(std::span<const Cause> causes, const Options& options, bool colour) {
  std::string out;
  for (std::size_t i = 0; i < causes.size(); ++i) {
    const Cause& cause = causes[i];
    out += '\n' + std::string(i == 0 ? "cause: " : "then: ") +
           toned(to_string(cause.kind), i == 0 ? Tone::warning : Tone::strong, colour) +
           (cause.subject.empty() ? "" : " (" + printable(cause.subject) + ")") + '\n';
    Notes notes;
    notes.line("  " + options.first, printable(cause.before));
    notes.line("  " + options.second, printable(cause.after));
    if (!cause.bytes_before.empty() || !cause.bytes_after.empty())
      notes.line("  bytes", printable(cause.bytes_before) + " → " + printable(cause.bytes_after));
    notes.line("  to agree", cause.advice);
    if (cause.remaining) notes.line("  then left", per_cent(cause.remaining->value()) + " of hash space");
    out += notes.text(colour);
  }
  return out;
}

std::string text_answer(const Diff& d, const ClusterMap& map, std::span<const Cause> causes,
                        const Options& options, bool colour) {
  const std::string head =
      toned(options.first, Tone::strong, colour) + " and " + toned(options.second, Tone::strong, colour);
  if (d.differs.units == 0 && causes.empty())
    return head + " place every key alike" +
           (d.before == d.after ? "; fingerprint " + d.before
                                : "; their fingerprints differ: " + d.before + " and " + d.after) +
           '\n';
  if (d.differs.units == 0)
    return head + " place ordinary keys alike, but not keys such as " + printable(causes.front().subject) +
           '\n' + cause_text(causes, options, colour);
  std::string out = head + " disagree on " + toned(per_cent(d.differs.value()), Tone::warning, colour) +
                    " of hash space" + sampled_text(d.sampled) + '\n';
  Notes notes;
  notes.line("first owner", "another one on " + per_cent(d.primary_moved.value()));
  if (const std::string said = promotion_text(d, map, most_promotions); !said.empty())
    notes.line("promoted", said);
  notes.line("copies", per_cent(d.moved.value()) +
                           " of one full copy newly held (no change of shares moves less than " +
                           per_cent(d.least.value()) + ")");
  notes.line("fingerprints", d.before + " → " + d.after);
  out += notes.text(colour);
  // A failover is the cause, and nothing is to be agreed on.
  const bool failover = map.placement().recipe->promotes && d.moved.units == 0 && !d.promotions.empty();
  if (!failover) out += cause_text(causes, options, colour);
  if (!d.transfers.empty()) out += '\n' + transfer_table(d, 0, options.all ? 0 : most_rows, colour);
  if (!failover || options.all) out += '\n' + share_table(d, options.all ? 0 : most_rows, colour);
  if (!d.example_keys.empty()) out += "\nkeys such as\n" + example_text(d);
  return out;
}

}  // namespace

Action declare_diff(Args& args) {
  auto options = std::make_shared<Options>();
  args.operand("A", options->first, "the first map, or another system's file").files();
  args.operand("B", options->second, "the second").files();
  args.flag("--all", options->all, "list every node and transfer");
  args.option("--seed", "N", options->seed, "seed of the sampled keys, where regions cannot be compared (1)");
  options->before.declare_reading(args);
  options->after.declare_reading(args, "-b");
  options->before.declare_policy(args);
  return [options](Session& session) -> Result<int> {
    Options& o = *options;
    o.before.files = {o.first};
    o.after.files = {o.second};
    if (o.after.options.from.empty()) o.after.options.from = o.before.options.from;
    if (o.after.options.pool.empty()) o.after.options.pool = o.before.options.pool;
    o.after.options.replicas = o.before.options.replicas;
    o.after.options.across = o.before.options.across;
    if (o.first == "-" && o.second == "-")
      return usage_error("-", "standard input can be read only once", "name a file instead");
    const auto a = o.before.load();
    if (!a) return a.error();
    const auto b = o.after.load();
    if (!b) return b.error();
    const auto alike = named_alike(a->placement, b->placement);
    const Placement second = alike ? compile(*alike) : b->placement;
    Diff d = diff(a->placement, second, o.seed);
    if (alike) d.after = fingerprints(b->placement).fingerprint;
    const std::vector<Cause> found = causes(a->placement, second, d);
    if (session.json) {
      Json json = diff_json("diff", d, 0);
      add_causes(json, found);
      json["matched_by"] = alike ? "address" : "name";
      json["seed"] = o.seed;
      session.out.write(dump(json));
    } else {
      session.out.write(
          text_answer(d, b->cluster.map, found, o, session.colour) +
          (alike ? "\nno server has the same name in both: they are matched by address\n" : ""));
    }
    return d.differs.units == 0 && found.empty() ? 0 : 1;
  };
}

}  // namespace arcwise::cli
