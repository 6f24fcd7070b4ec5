// allocate: which tokens should a node take?
#include "arcwise/allocate.hpp"

#include <memory>

#include "cli/allocate_text.hpp"
#include "cli/cluster_args.hpp"
#include "cli/output_file.hpp"
#include "cli/plan_tokens.hpp"
#include "cli/quantities.hpp"
#include "cli/verbs.hpp"

namespace arcwise::cli {
namespace {

struct Options {
  ClusterArgs cluster;
  RepairArgs repair;
  AllocateRequest request;
  std::string algorithm = "arcwise", fingerprint, map_file, suffix;
  std::vector<std::uint32_t> racks;
  bool will_grow = false;
  std::optional<std::uint32_t> epoch;
  std::optional<double> extra_movement;
};

std::string read_racks(std::vector<std::uint32_t>& into, const std::string& text) {
  for (const std::string& word : split_commas(text)) {
    std::uint32_t value = 0;
    for (char c : word) {
      if (c < '0' || c > '9' || value > 100'000) return "is not a list of numbers of nodes, such as 3,3,3";
      value = 10 * value + static_cast<std::uint32_t>(c - '0');
    }
    if (value == 0) return "is not a list of numbers of nodes, such as 3,3,3";
    into.push_back(value);
  }
  return "";
}

// Two options of which one would be ignored.
std::optional<Error> contradictory(const Options& o) {
  struct Pair {
    bool given;
    const char* option;
    bool for_join, for_twins, for_racks;
  };
  const NewNode& node = o.request.node;
  const Pair pairs[] = {{!node.rack.empty(), "--rack", true, false, false},
                        {!node.zone.empty(), "--zone", true, false, false},
                        {!node.host.empty(), "--host", true, false, false},
                        {!node.address.empty(), "--address", true, false, false},
                        {node.weight.has_value(), "--weight", true, false, false},
                        {o.request.relieve.has_value(), "--relieve", true, false, false},
                        {o.extra_movement.has_value(), "--extra-movement", true, false, false},
                        {o.request.seed != 1, "--seed", true, false, false},
                        {o.algorithm != "arcwise", "--algorithm", true, false, false},
                        {o.request.tokens.has_value(), "--tokens", true, false, true},
                        {!o.fingerprint.empty(), "--fingerprint", true, true, false},
                        {o.epoch.has_value(), "--epoch", true, true, false},
                        {!o.repair.file.empty(), "--repair-commands", true, true, false},
                        {o.will_grow, "--will-grow", false, false, true}};
  const bool twins = !o.suffix.empty(), racks = !o.racks.empty();
  for (const Pair& p : pairs)
    if (p.given && !(twins ? p.for_twins : racks ? p.for_racks : p.for_join))
      return usage_error(p.option,
                         std::string("it says nothing beside ") +
                             (twins   ? "--bisect"
                              : racks ? "--racks"
                                      : "--node") +
                             " and would be ignored",
                         std::string("leave one of them out") +
                             (p.for_join ? "" : "; a join always keeps the next ones in mind"));
  return std::nullopt;
}

std::optional<Error> refused(const Options& o) {
  const bool join = !o.request.node.name.empty(), doubling = !o.suffix.empty(), offline = !o.racks.empty();
  if (join + doubling + offline != 1)
    return usage_error("", "one of --node, --bisect and --racks says what to allocate for",
                       "one node that joins, a twin for every node, or a cluster that is yet to be");
  if (offline != o.cluster.files.empty())
    return offline ? usage_error(o.cluster.files[0], "--racks makes a cluster from nothing and takes no map",
                                 "leave out the map, or name the node that joins it with --node")
                   : usage_error("", "MAP is missing", "which cluster is it about?");
  if (auto error = contradictory(o)) return error;
  if (o.request.tokens && *o.request.tokens > most_allocated_tokens)
    return too_many_tokens(*o.request.tokens);
  return std::nullopt;
}

std::optional<Error> write_files(const ClusterMap& after, const Repairs& repairs, const Options& o,
                                 Session& session) {
  OutputFiles files;
  if (auto error = add_map_after(files, o.map_file, write_map(after))) return error;
  if (auto error = add_repairs(files, o.repair, repairs)) return error;
  if (auto error = files.commit(session)) return error;
  if (o.repair.to_stdout()) session.out.write(repair_script(o.repair, repairs));
  return std::nullopt;
}

Result<int> run_offline(const Options& o, Session& session) {
  const OfflineRequest request{o.racks, o.request.tokens.value_or(16), o.cluster.options.replicas.value_or(3),
                               o.will_grow};
  const auto map = allocate_offline(request);
  if (!map) return map.error();
  if (auto error = write_files(*map, {}, o, session)) return *error;
  const Balance balance = ownership(compile(*map)).balance;
  if (!session.json) session.say(balance_line(balance));
  session.out.write(session.json ? dump(offline_json(*map, balance)) : offline_text(*map, request.tokens));
  return 0;
}

Result<int> run_doubling(const Options& o, const Loaded& loaded, const ExpectedMap& expected,
                         Session& session) {
  const auto doubling = bisect(loaded.cluster.map, o.suffix, expected);
  if (!doubling) return doubling.error();
  const Repairs repairs = repairs_of({loaded.placement, compile(doubling->after)}, o.repair);
  if (auto error = write_files(doubling->after, repairs, o, session)) return *error;
  if (o.repair.to_stdout()) return 0;
  Json json = doubling_json(*doubling);
  json["repair"] = repair_json(repairs);
  session.out.write(session.json ? dump(json)
                                 : doubling_text(loaded.title, *doubling, repairs, session.colour));
  return 0;
}

Result<int> run_join(const Options& o, const Loaded& loaded, const ExpectedMap& expected, Session& session) {
  AllocateRequest request = o.request;
  request.allocator = *find_allocator(o.algorithm);
  request.expected = expected;
  request.extra_movement = o.extra_movement.value_or(0);
  const auto allocation = allocate(loaded.cluster.map, request);
  if (!allocation) return allocation.error();
  if (auto error = refuse_other_count("allocate", loaded.cluster.map, allocation->after, session))
    return *error;
  const Repairs repairs = repairs_of({loaded.placement, compile(allocation->after)}, o.repair);
  if (auto error = write_files(allocation->after, repairs, o, session)) return *error;
  if (o.repair.to_stdout()) return 0;
  const AllocationTitle title{loaded.title, request.node.name, request.node.rack, o.algorithm};
  Json json = allocation_json(title, *allocation);
  json["repair"] = repair_json(repairs);
  session.out.write(session.json ? dump(json) : allocation_text(title, *allocation, repairs, session.colour));
  return 0;
}

Result<int> run_allocate(const Options& o, Session& session) {
  if (auto error = refused(o)) return *error;
  if (!o.racks.empty()) return run_offline(o, session);
  const auto loaded = o.cluster.load();
  if (!loaded) return loaded.error();
  if (auto error = o.repair.refused(loaded->cluster.map, session)) return *error;
  ExpectedMap expected;
  if (!o.fingerprint.empty()) expected.fingerprint = o.fingerprint;
  if (o.epoch) expected.epoch = *o.epoch;
  return o.suffix.empty() ? run_join(o, *loaded, expected, session)
                          : run_doubling(o, *loaded, expected, session);
}

}  // namespace

Action declare_allocate(Args& args) {
  auto options = std::make_shared<Options>();
  Options& o = *options;
  args.operands("MAP", o.cluster.files, "the map, or another system's file; - is standard input", 0).files();
  args.option("--node", "NAME", o.request.node.name, "the node that joins");
  args.option("--rack", "R", o.request.node.rack, "its rack");
  args.option("--zone", "Z", o.request.node.zone, "its zone or data center");
  args.option("--host", "HOST", o.request.node.host,
              "its host, where copies are spread by host (its address)");
  args.option("--address", "ADDRESS", o.request.node.address, "its address, for --write-map");
  args.option("--weight", "W", Args::Setter([&o](const std::string& text) {
                o.request.node.weight = read_weight(text);
                return o.request.node.weight ? std::string() : std::string("is not ") + weight_wanted;
              }),
              "its weight (1)");
  args.option("--tokens", "N", o.request.tokens, "how many it takes (as the median node for its weight)");
  args.option("--algorithm", "NAME", o.algorithm, "who chooses (arcwise)")
      .one_of({"arcwise", "cassandra", "random"});
  args.option("--relieve", "NODE", Args::Setter([&o](const std::string& text) {
                o.request.relieve = text;
                return std::string();
              }),
              "take half of what this node holds, and nothing from others if that can be");
  args.option("--extra-movement", "PART", part_from_0_into(o.extra_movement, "what the join moves"),
              "shift other nodes' tokens too, moving at most so much beside the join, such as 10%");
  args.option(
      "--bisect", "SUFFIX", o.suffix,
      "instead of one node: a twin for every node, called NODE and this suffix, which halves its arcs");
  args.option("--racks", "N,…",
              Args::Setter([&o](const std::string& text) { return read_racks(o.racks, text); }),
              "instead of a map: a cluster that is yet to be, with so many nodes in each rack");
  args.flag("--will-grow", o.will_grow, "with --racks: keep the joins to come in mind");
  args.option("--fingerprint", "F", o.fingerprint, "refuse, with exit 4, where the map has another one");
  args.option("--epoch", "N", o.epoch, "the same for its epoch");
  args.option("--write-map", "FILE", o.map_file, "write the map with the node to this file").files();
  o.repair.declare(args);
  args.option("--seed", "N", o.request.seed, "seed of random tokens (1)");
  o.cluster.declare_reading(args);
  o.cluster.declare_policy(args);
  return [options](Session& session) { return run_allocate(*options, session); };
}

}  // namespace arcwise::cli
