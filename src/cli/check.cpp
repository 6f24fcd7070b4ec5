// check: is it correct?
#include <algorithm>
#include <memory>

#include "cli/check_keys.hpp"
#include "cli/cluster_args.hpp"
#include "cli/key_lines.hpp"
#include "cli/verbs.hpp"
#include "format/capacities.hpp"
#include "format/decimal.hpp"
#include "format/import_rules.hpp"
#include "format/json_reports.hpp"
#include "format/table_numbers.hpp"
#include "format/table_text.hpp"

namespace arcwise::cli {
namespace {

struct Options {
  ClusterArgs cluster;
  CheckOptions demanded;
  std::string key_file, capacity_file;
  bool rules = false;
};

constexpr std::string_view severity_names[] = {"info", "warning", "error"};
constexpr Tone severity_tones[] = {Tone::plain, Tone::warning, Tone::bad};

// --replicas demands; it must not also rewrite what is checked. A ring of given tokens without printed
// ownership is the one input that does not say how many copies there are: there the demand is also the
// reading.
bool says_copies(const Cluster& cluster) {
  if (cluster.map.placement().recipe->points != PointRule::given) return true;
  for (const auto& share : cluster.observed.printed_share)
    if (share) return true;
  return false;
}

Result<Loaded> load(const Options& options) {
  const auto sources = options.cluster.read();
  if (!sources) return sources.error();
  LoadOptions reading = options.cluster.options;
  auto cluster = parse(*sources, reading);
  if (cluster && (options.demanded.replicas || options.demanded.across) && !says_copies(*cluster)) {
    reading.replicas = options.demanded.replicas;
    reading.across = options.demanded.across;
    cluster = parse(*sources, reading);
  }
  return ClusterArgs::compiled(std::move(cluster), options.cluster.files.front());
}

Result<KeySpread> spread_of(const std::string& path, const Placement& placement, Session& session) {
  KeyTally tally(placement);
  const auto error = each_key(path, session, [&](std::string_view key) {
    tally.add(key);
    return true;
  });
  if (error) return *error;
  KeySpread spread = tally.spread();
  if (spread.keys == 0)
    return Error{ErrorKind::input, {path, 0, 0}, "", "there is no key", "write one key a line"};
  return spread;
}

Result<std::vector<DeclaredCapacity>> read_capacities(const std::string& path) {
  constexpr std::uint64_t largest = std::uint64_t{1} << 26;
  auto bytes = read_file(path, largest);
  if (!bytes) return bytes.error();
  return parse_capacities({path, std::move(*bytes)});
}

std::string text_answer(const Loaded& loaded, const CheckReport& report, bool colour) {
  std::size_t counts[3] = {0, 0, 0};
  std::string out;
  for (const Finding& f : report.findings) {
    const auto severity = static_cast<std::size_t>(f.severity);
    ++counts[severity];
    out += toned(severity_names[severity], severity_tones[severity], colour) + "  " + f.rule;
    const bool said = f.message.find(f.subject) != std::string::npos;
    if (!said) out += "  " + toned(f.subject, Tone::strong, colour);
    out += "\n    " + wrapped(printable(f.message), 100, 4) + '\n';
    if (!f.advice.empty()) out += "    " + toned(wrapped(f.advice, 100, 4), Tone::faint, colour) + '\n';
  }
  if (!out.empty()) out += '\n';
  out += toned(loaded.title, Tone::strong, colour) + ": ";
  if (report.findings.empty())
    return out + toned("correct", Tone::good, colour) + ", nothing found by " +
           counted(check_rules().size(), "rule", "rules") + '\n';
  out += report.ok ? toned("correct", Tone::good, colour) : toned("not correct", Tone::bad, colour);
  return out + ": " + counted(counts[2], "error", "errors") + ", " +
         counted(counts[1], "warning", "warnings") + ", " + counted(counts[0], "note", "notes") + '\n';
}

Json rules_json(std::span<const CheckRule> rules) {
  Json json = Json::array();
  for (const CheckRule& r : rules)
    json.push_back({{"name", r.name},
                    {"severity", severity_names[static_cast<std::size_t>(r.severity)]},
                    {"meaning", r.meaning}});
  return json;
}

std::string rules_table(std::string_view title, std::span<const CheckRule> rules, bool colour) {
  Table table({{std::string(title)}, {"severity"}, {"means"}});
  for (const CheckRule& r : rules) {
    const auto severity = static_cast<std::size_t>(r.severity);
    table.row({std::string(r.name),
               {std::string(severity_names[severity]), severity_tones[severity]},
               std::string(r.meaning)});
  }
  return table.text(colour);
}

void write_rules(Session& session) {
  if (session.json) {
    Json json = answer("check-rules");
    json["rules"] = rules_json(check_rules());
    json["import_rules"] = rules_json(import_rules());
    return session.out.write(dump(json));
  }
  session.out.write(rules_table("rule", check_rules(), session.colour) + '\n' +
                    rules_table("reading a file", import_rules(), session.colour));
}

Result<int> run_check(const Options& options, Session& session) {
  if (options.rules) {
    write_rules(session);
    return 0;
  }
  const auto& files = options.cluster.files;
  if ((options.key_file == "-") + (options.capacity_file == "-") +
          std::count(files.begin(), files.end(), "-") >
      1)
    return usage_error("-", "the map, the keys and the capacities cannot come from one standard input",
                       "name a file for the others");
  if (files.empty()) return usage_error("", "MAP is missing", "name a map, or another system's file");
  const auto loaded = load(options);
  if (!loaded) return loaded.error();
  std::optional<KeySpread> keys;
  if (!options.key_file.empty()) {
    auto spread = spread_of(options.key_file, loaded->placement, session);
    if (!spread) return spread.error();
    keys = std::move(*spread);
  }
  CheckOptions demanded = options.demanded;
  demanded.keys = keys ? &*keys : nullptr;
  std::vector<DeclaredCapacity> capacities;
  if (!options.capacity_file.empty()) {
    auto declared = read_capacities(options.capacity_file);
    if (!declared) return declared.error();
    capacities = std::move(*declared);
    demanded.capacities = &capacities;
  }
  const CheckReport report = check(loaded->placement, loaded->cluster.observed, demanded);
  const ClusterMap& map = loaded->cluster.map;
  if (session.json) {
    Json json = check_json(report);
    if (keys) json["keys"] = keys_json(*keys, map);
    session.out.write(dump(json));
  } else {
    if (keys) session.out.write(keys_text(*keys, map, session.colour) + '\n');
    session.out.write(text_answer(*loaded, report, session.colour));
  }
  return report.ok ? 0 : 1;
}

}  // namespace

Action declare_check(Args& args) {
  auto options = std::make_shared<Options>();
  args.operands("MAP", options->cluster.files,
                "a map, or another system's file; several files of one cluster; - is standard input", 0)
      .files();
  args.option("--replicas", "N", options->demanded.replicas,
              "demand this many distinct owners of every range (the map's count)");
  args.option("--across", "LEVEL", Args::Setter([options](const std::string& text) {
                options->demanded.across = find_across(text);
                return std::string();
              }),
              "demand distinct nodes, hosts, racks or zones (the map's level)")
      .one_of({"node", "host", "rack", "zone"});
  args.option("--allocated-for", "N", options->demanded.allocated_for,
              "the replica count that tokens were allocated for "
              "(allocate_tokens_for_local_replication_factor)");
  args.option("--keys", "FILE", options->key_file,
              "the spread that these keys get, and what makes it uneven: one key a line, repeats count; - is "
              "standard input")
      .files();
  args.option("--capacity", "FILE", options->capacity_file,
              "compare weights, tokens and partitions with declared capacities: `NODE 4TB`, one a line")
      .files();
  args.option("--capacity-over", "FACTOR", Args::Setter([options](const std::string& text) -> std::string {
                const auto factor = decimal_within(text, 1, 1e6);
                if (!factor) return "is not a factor from 1 to 1000000, such as 1.25";
                options->demanded.capacity_over = *factor;
                return "";
              }),
              "with --capacity: a node that holds more than so many times its part is an error (1.25)");
  args.flag("--rules", options->rules, "list the rules and what they mean");
  options->cluster.declare_reading(args);
  return [options](Session& session) { return run_check(*options, session); };
}

}  // namespace arcwise::cli
