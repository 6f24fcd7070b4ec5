// diff: on what do two maps disagree?
#include <memory>

#include "arcwise/change.hpp"
#include "cli/change_text.hpp"
#include "cli/cluster_args.hpp"
#include "cli/diff_cause.hpp"
#include "cli/verbs.hpp"
#include "format/json_reports.hpp"
#include "format/table_numbers.hpp"
#include "format/table_text.hpp"

namespace arcwise::cli {
namespace {

constexpr std::size_t most_rows = 20;

struct Options {
  std::string first, second;
  ClusterArgs before, after;
  std::uint64_t seed = 1;
  bool all = false;
};

std::string text_answer(const Loaded& a, const Loaded& b, const Diff& d, const Options& options,
                        bool colour) {
  const std::string head =
      toned(options.first, Tone::strong, colour) + " and " + toned(options.second, Tone::strong, colour);
  if (d.differs.units == 0)
    return head + " place every key alike" +
           (d.before == d.after ? "; fingerprint " + d.before
                                : "; their fingerprints differ: " + d.before + " and " + d.after) +
           '\n';
  std::string out = head + " disagree on " + toned(per_cent(d.differs.value()), Tone::warning, colour) +
                    " of hash space" + sampled_text(d.sampled) + '\n';
  Notes notes;
  notes.line("first owner", "another one on " + per_cent(d.primary_moved.value()));
  notes.line("copies", per_cent(d.moved.value()) +
                           " of one full copy newly held (no change of shares moves less than " +
                           per_cent(d.least.value()) + ")");
  for (const std::string& cause : causes(a.cluster.map, b.cluster.map)) notes.line("cause", cause);
  notes.line("fingerprints", d.before + " → " + d.after);
  out += notes.text(colour);
  if (!d.transfers.empty()) out += '\n' + transfer_table(d, 0, options.all ? 0 : most_rows, colour);
  out += '\n' + share_table(d, options.all ? 0 : most_rows, colour);
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
    const Diff d = diff(a->placement, b->placement, o.seed);
    if (session.json) {
      Json json = diff_json("diff", d, 0);
      json["causes"] = causes(a->cluster.map, b->cluster.map);
      json["seed"] = o.seed;
      session.out.write(dump(json));
    } else {
      session.out.write(text_answer(*a, *b, d, o, session.colour));
    }
    return d.differs.units == 0 ? 0 : 1;
  };
}

}  // namespace arcwise::cli
