// balance: which ranges should split, move and merge, so that measured load is even?
#include <memory>

#include "arcwise/ranges.hpp"
#include "cli/balance_by_hand.hpp"
#include "cli/balance_text.hpp"
#include "cli/cluster_args.hpp"
#include "cli/output_file.hpp"
#include "cli/quantities.hpp"
#include "cli/verbs.hpp"
#include "format/load_file.hpp"

namespace arcwise::cli {
namespace {

constexpr std::uint64_t largest_file = std::uint64_t{1} << 30;

struct Options {
  ClusterArgs cluster;
  std::vector<std::string> loads;
  ByHand by_hand;
  std::string key_file, map_file;
  BalanceLimits limits;
  std::optional<double> tolerance;
  std::uint64_t max_moves = 0;
  bool all = false;
};

std::optional<Error> refused(const Options& o) {
  const bool load = !o.loads.empty() || !o.key_file.empty();
  if (o.by_hand.empty() && !load)
    return usage_error("", "neither a load nor a change is given",
                       "use --load FILE, --keys-load FILE, or --split, --move, --merge");
  std::size_t inputs = o.key_file == "-";
  for (const std::string& file : o.loads) inputs += file == "-";
  for (const std::string& file : o.cluster.files) inputs += file == "-";
  if (inputs > 1) return usage_error("-", "standard input can be read only once", "name a file instead");
  return std::nullopt;
}

Result<Source> read(const std::string& path) {
  auto bytes = read_file(path, largest_file);
  if (!bytes) return bytes.error();
  return Source{path == "-" ? "<stdin>" : path, std::move(*bytes)};
}

Result<MeasuredLoad> measured(const Options& o, const Loaded& loaded, MeasuredNames& names,
                              Session& session) {
  const ClusterMap& map = loaded.cluster.map;
  MeasuredLoad out;
  std::vector<Source> sources;
  for (const std::string& path : o.loads) {
    auto source = read(path);
    if (!source) return source.error();
    sources.push_back(std::move(*source));
  }
  if (!sources.empty()) {
    auto units = parse_unit_loads(sources, map);
    if (!units) return units.error();
    if (units->listed < units->units.size() && range_rules(map).unit != RangeRules::Unit::slot)
      session.say("warning: " + std::to_string(units->units.size() - units->listed) + " of " +
                  std::to_string(units->units.size()) + " ranges are not listed and taken to have no load");
    names.requests = units->requests;
    names.bytes = units->bytes;
    out.units = std::move(units->units);
  }
  if (!o.key_file.empty()) {
    const auto source = read(o.key_file);
    if (!source) return source.error();
    auto keys = parse_key_loads(*source);
    if (!keys) return keys.error();
    out.keys = std::move(*keys);
    locate_keys(loaded.placement, out.keys);
    names.keys = out.keys.size();
    for (const KeyLoad& key : out.keys) {
      if (key.load.requests > 0 && names.requests.empty()) names.requests = "requests";
      if (key.load.bytes > 0 && names.bytes.empty()) names.bytes = "bytes";
    }
  }
  return out;
}

Result<int> run_by_hand(const Options& o, const Loaded& loaded, const MeasuredLoad& load,
                        const MeasuredNames& names, Session& session) {
  const ClusterMap& map = loaded.cluster.map;
  const auto after = changed_by_hand(map, o.by_hand);
  if (!after) return after.error();
  OutputFiles files;
  if (auto error = add_map_after(files, o.map_file, write_map(*after))) return *error;
  if (auto error = files.commit(session)) return *error;
  Json json = by_hand_json(map, *after);
  std::string text = by_hand_text(loaded.title, map, *after, session.colour);
  if (!load.units.empty() || !load.keys.empty()) {
    const Balancing done = measure_change(map, load, *after);
    add_loads(json, names, map, done);
    text += '\n' + loads_text(names, map, done, o.all, session.colour);
  }
  session.out.write(session.json ? dump(json) : text);
  return 0;
}

Result<int> run_balance(const Options& o, Session& session) {
  if (auto error = refused(o)) return *error;
  const auto loaded = o.cluster.load();
  if (!loaded) return loaded.error();
  const ClusterMap& map = loaded->cluster.map;
  if (!range_rules(map).moves) return may_not_change(map);
  BalanceLimits limits = o.limits;
  limits.tolerance = o.tolerance.value_or(limits.tolerance);
  MeasuredNames names{loaded->title, "", "", 0, limits.tolerance};
  const auto load = measured(o, *loaded, names, session);
  if (!load) return load.error();
  if (!o.by_hand.empty()) return run_by_hand(o, *loaded, *load, names, session);
  limits.frozen = loaded->cluster.observed.down;
  if (o.max_moves) limits.max_moves = o.max_moves;
  const auto done = balance_load(map, *load, limits);
  if (!done) return done.error();
  if (done->actions.empty()) return nothing_to_do(names, map, *done);
  OutputFiles files;
  if (auto error = add_map_after(files, o.map_file, write_map(done->after))) return *error;
  if (auto error = files.commit(session)) return *error;
  session.out.write(session.json ? dump(balance_json(names, map, *done))
                                 : balance_text(names, map, *done, o.all, session.colour));
  return 0;
}

}  // namespace

Action declare_balance(Args& args) {
  auto options = std::make_shared<Options>();
  Options& o = *options;
  args.operands("MAP", o.cluster.files, "a map, or another system's file; - is standard input", 1)
      .single()
      .files();
  args.option("--load", "FILE", o.loads,
              "measured load: lines RANGE BYTES REQUESTS, or CLUSTER SLOT-STATS of every master")
      .files();
  args.option("--keys-load", "FILE", o.key_file, "load of single keys: lines KEY, tab, REQUESTS, tab, BYTES")
      .files();
  args.option("--tolerance", "PART", part_into(o.tolerance, "the fair share"),
              "how far above its fair share a node may be (10%)");
  args.option("--max-range-bytes", "SIZE", size_into(o.limits.max_range_bytes),
              "split larger ranges, such as 10GB");
  args.option("--max-range-requests", "N", rate_into(o.limits.max_range_requests),
              "split hotter ranges, such as 3000");
  args.option("--min-range-bytes", "SIZE", size_into(o.limits.min_range_bytes),
              "merge cold neighbours with the same owners that together are smaller");
  args.option("--max-moves", "N", o.max_moves, "stop after so many moves (no limit)");
  args.option("--max-bytes", "SIZE", size_into(o.limits.max_bytes), "move no more than this (no limit)");
  args.option("--split", "AT", o.by_hand.splits, "by hand: end a range at this position");
  args.option("--move", "RANGE=FROM>TO", o.by_hand.moves,
              "by hand: give one node's copy to another, or let another owner be the first");
  args.option("--merge", "AT", o.by_hand.merges, "by hand: let no range end at this position");
  args.option("--write-map", "FILE", o.map_file, "write the map after it to this file").files();
  args.flag("--all", o.all, "list every action and node");
  o.cluster.declare_reading(args);
  o.cluster.declare_policy(args);
  return [options](Session& session) { return run_balance(*options, session); };
}

}  // namespace arcwise::cli
