// identify: which recipe explains these observed (key, node) pairs?
#include <unistd.h>
#include <memory>

#include "arcwise/identify.hpp"
#include "cli/cluster_args.hpp"
#include "cli/verbs.hpp"
#include "format/json_text.hpp"
#include "format/samples.hpp"
#include "format/table_numbers.hpp"
#include "format/table_text.hpp"

namespace arcwise::cli {
namespace {

constexpr std::uint64_t largest_file = std::uint64_t{1} << 30;

struct Options {
  std::string nodes, samples;
  ClusterArgs reading;
  IdentifyOptions how;
  bool all = false;
};

Result<ClusterMap::Parts> read_nodes(const Options& options) {
  ClusterMap::Parts known;
  Source source{"--nodes", options.nodes};
  const bool is_file = options.nodes == "-" || ::access(options.nodes.c_str(), F_OK) == 0;
  if (is_file) {
    ClusterArgs files = options.reading;
    files.files = {options.nodes};
    const auto sources = files.read();
    if (!sources) return sources.error();
    source = sources->front();
    if (!files.options.from.empty() || !files.with.empty() || !recognise(source.bytes).empty()) {
      const auto cluster = parse(*sources, files.options);
      if (!cluster) return cluster.error();
      return cluster->map.parts();
    }
  }
  auto nodes = parse_node_list(source);
  if (!nodes) return nodes.error();
  if (nodes->size() < 2)
    return usage_error(options.nodes,
                       is_file ? "one node only, to which every recipe gives every key"
                               : "one node only, and no file of that name",
                       "list all nodes, in the order in which the system's configuration has them");
  known.nodes = std::move(*nodes);
  return known;
}

std::string settings_text(const Match& match) {
  std::string out;
  for (const auto& [name, value] : said(match.how))
    out += (out.empty() ? "" : ", ") + (name == "order" ? "nodes " + value : name + ' ' + value);
  return out;
}

std::string recipe_text(const Match& match) {
  const std::string settings = settings_text(match);
  return std::string(match.how.placement.recipe->name) + (settings.empty() ? "" : " (" + settings + ")");
}

double mismatch_share(const Match& match, const IdentifyReport& report) {
  return static_cast<double>(match.mismatches + match.held_out_mismatches) /
         static_cast<double>(report.chosen_by + report.held_out);
}

Json match_json(const Match& match, const IdentifyReport& report) {
  Json json = {{"recipe", match.how.placement.recipe->name}};
  json["hash"] = info(match.how.placement.hash).name;
  json["settings"] = Json::object();
  for (const auto& [name, value] : said(match.how)) json["settings"][name] = value;
  json["mismatches"] = match.mismatches + match.held_out_mismatches;
  json["mismatch_share"] = mismatch_share(match, report);
  json["held_out_mismatches"] = match.held_out_mismatches;
  return json;
}

Json report_json(const ClusterMap::Parts& known, std::span<const ObservedKey> samples,
                 const IdentifyReport& report, std::uint64_t seed) {
  Json json = answer("identify");
  const auto name = [&](NodeIndex n) { return n == no_node ? Json(nullptr) : Json(known.nodes[n].name); };
  json["samples"] = samples.size();
  json["chosen_by"] = report.chosen_by;
  json["held_out"] = report.held_out;
  json["nodes"] = known.nodes.size();
  json["tried"] = report.tried;
  json["chance"] = report.chance;
  json["seed"] = seed;
  json["found"] = Json::array();
  for (const Match& match : report.found) {
    Json& item = json["found"].emplace_back(match_json(match, report));
    item["samples_group"] = match.samples_group;
    item["keys_group"] = match.keys_group;
  }
  json["near_misses"] = Json::array();
  for (const Match& match : report.near_misses) json["near_misses"].push_back(match_json(match, report));
  json["tell_apart"] = Json::array();
  for (const auto& telling : report.telling) {
    Json owners = Json::array();
    for (NodeIndex n : telling.owners) owners.push_back(name(n));
    json["tell_apart"].push_back({{"key", telling.key}, {"owners", std::move(owners)}});
  }
  json["wrong_samples"] = Json::array();
  for (const auto& wrong : report.wrong)
    json["wrong_samples"].push_back({{"key", samples[wrong.sample].key},
                                     {"node", name(samples[wrong.sample].node)},
                                     {"computed", name(wrong.computed)}});
  json["left_out"] = Json::array();
  for (const auto& left : report.left_out)
    json["left_out"].push_back({{"recipe", left.recipe}, {"why", left.why}});
  json["findings"] = Json::array();
  for (const Finding& finding : report.findings) json["findings"].push_back(to_json(finding));
  return json;
}

class Text {
 public:
  Text(const ClusterMap::Parts& known, std::span<const ObservedKey> samples, const IdentifyReport& report,
       const Options& options, bool colour)
      : known_(known), samples_(samples), report_(report), options_(options), colour_(colour) {}

  std::string answer() const {
    std::string out = headline() + '\n';
    if (!report_.found.empty()) out += '\n' + table(report_.found, options_.all ? report_.found.size() : 20);
    if (report_.found.size() > 1) out += '\n' + apart();
    if (!report_.wrong.empty()) out += '\n' + contradictions();
    if (!report_.near_misses.empty())
      out += (few() ? "\nthese agree with all of them\n" : "\nnear misses\n") +
             table(report_.near_misses, report_.near_misses.size());
    return out + '\n' + footing();
  }

 private:
  bool few() const { return report_.found.empty() && report_.chosen_by + report_.held_out < report_.enough; }
  std::string name(NodeIndex n) const { return n == no_node ? "nobody" : known_.nodes[n].name; }

  std::string headline() const {
    const std::string from = counted(report_.chosen_by + report_.held_out, "sample", "samples") + " of " +
                             counted(known_.nodes.size(), "node", "nodes");
    if (report_.found.empty()) {
      if (few())
        return toned("not found", Tone::bad, colour_) + ": " + from +
               " are too few, chance alone would explain them; bring " + counted(report_.enough) + " or more";
      return toned("not found", Tone::bad, colour_) + ": no recipe reproduces " + from;
    }
    const Match& best = report_.found.front();
    std::string out = toned(recipe_text(best), Tone::strong, colour_) + " reproduces " + from;
    const std::size_t mismatches = best.mismatches + best.held_out_mismatches;
    if (mismatches)
      out += " but " + counted(mismatches) + " (" + per_cent(mismatch_share(best, report_)) + ")";
    if (report_.found.size() > 1)
      out += "; so " + std::string(report_.found.size() == 2 ? "does " : "do ") +
             counted(report_.found.size() - 1, "other", "others");
    return out;
  }

  std::string table(const std::vector<Match>& matches, std::size_t most) const {
    Table table({{"recipe"}, {"settings"}, {"mismatches", true}, {"share", true}, {"held out", true}});
    for (std::size_t i = 0; i < std::min(most, matches.size()); ++i) {
      const Match& match = matches[i];
      table.row({std::string(match.how.placement.recipe->name), settings_text(match),
                 std::to_string(match.mismatches + match.held_out_mismatches),
                 per_cent(mismatch_share(match, report_)), std::to_string(match.held_out_mismatches)});
    }
    if (matches.size() > most) table.note("… " + counted(matches.size() - most) + " more; --all lists them");
    return table.text(colour_);
  }

  // Rows of one group by the node that a telling key gives them.
  std::string apart() const {
    if (report_.telling.empty())
      return wrapped("These cannot be told apart: they give the same answer to every sample and to " +
                         counted(report_.further_keys) + " further keys.",
                     100, 0) +
             '\n';
    std::string out = "These samples do not tell them apart. Look where such a key is:\n";
    for (const auto& telling : report_.telling) {
      std::vector<std::pair<NodeIndex, std::string>> by_owner;
      for (std::size_t i = 0; i < telling.owners.size(); ++i) {
        const auto at = std::find_if(by_owner.begin(), by_owner.end(),
                                     [&](const auto& o) { return o.first == telling.owners[i]; });
        const std::string what = recipe_text(report_.found[i]);
        if (at == by_owner.end())
          by_owner.emplace_back(telling.owners[i], what);
        else
          at->second += ", " + what;
      }
      out += "  " + toned(printable(telling.key), Tone::strong, colour_) + '\n';
      for (const auto& [owner, who] : by_owner)
        out += "    " + wrapped("on " + name(owner) + ": " + who, 100, 6) + '\n';
    }
    return out;
  }

  std::string contradictions() const {
    Table table({{"key"}, {"seen on"}, {"by the recipe"}});
    for (const auto& wrong : report_.wrong)
      table.row(
          {printable(samples_[wrong.sample].key), name(samples_[wrong.sample].node), name(wrong.computed)});
    return "samples that contradict it, such as\n" + table.text(colour_);
  }

  std::string footing() const {
    Notes notes;
    notes.line("tried", counted(report_.tried) + " placements by " + counted(report_.rows, "row", "rows") +
                            " of the recipe table; an unrelated one agrees on " + per_cent(report_.chance));
    notes.line("samples", counted(report_.chosen_by) + " chose, " + counted(report_.held_out) +
                              " were held out to confirm; seed " + std::to_string(options_.how.seed));
    if (options_.all)
      for (const auto& left : report_.left_out)
        notes.line("left out", std::string(left.recipe) + ": " + left.why);
    else if (!report_.left_out.empty())
      notes.line(
          "left out",
          counted(report_.left_out.size(), "row", "rows") +
              " that need more than these nodes say, such as stored tokens or slots; --all lists them");
    return notes.text(colour_);
  }

  const ClusterMap::Parts& known_;
  std::span<const ObservedKey> samples_;
  const IdentifyReport& report_;
  const Options& options_;
  bool colour_;
};

}  // namespace

Action declare_identify(Args& args) {
  auto options = std::make_shared<Options>();
  args.option("--nodes", "LIST|FILE", options->nodes,
              "all nodes in their configured order: ADDRESS[:WEIGHT] with commas between, or a file with "
              "ADDRESS[:WEIGHT] [NAME] a line, or a map or another system's file")
      .files();
  args.option("--samples", "FILE", options->samples, "KEY, a tab, NODE, one a line; - is standard input")
      .files();
  args.option("--seed", "N", options->how.seed, "which samples are held out, which keys tell rows apart (1)");
  args.option("--tokens", "N,…", Args::Setter([options](const std::string& text) {
                options->how.tokens.clear();
                for (const std::string& word : split_commas(text)) {
                  const bool number = !word.empty() && word.size() < 7 &&
                                      word.find_first_not_of("0123456789") == std::string::npos;
                  if (!number || word.front() == '0')
                    return "'" + word + "' is no number of tokens: write whole numbers with commas between";
                  options->how.tokens.push_back(static_cast<std::uint32_t>(std::stoul(word)));
                }
                return std::string();
              }),
              "tokens a node to try beside the usual ones, where a recipe leaves them open");
  args.flag("--all", options->all, "list every row found, and the rows left out with the reason");
  options->reading.declare_reading(args);
  return [options](Session& session) -> Result<int> {
    if (options->nodes.empty())
      return usage_error("", "--nodes is missing", "list the nodes, or name a file that does");
    if (options->samples.empty())
      return usage_error("", "--samples is missing",
                         "name a file with KEY, a tab, NODE a line; - is standard input");
    if (options->nodes == "-" && options->samples == "-")
      return usage_error("-", "standard input can be read only once", "name a file for one of them");
    const auto known = read_nodes(*options);
    if (!known) return known.error();
    auto bytes = read_file(options->samples, largest_file);
    if (!bytes) return bytes.error();
    const auto samples = parse_samples(
        {options->samples == "-" ? "<stdin>" : options->samples, std::move(*bytes)}, known->nodes);
    if (!samples) return samples.error();
    const IdentifyReport report = identify(*known, *samples, options->how);
    if (session.json) {
      session.out.write(dump(report_json(*known, *samples, report, options->how.seed)));
    } else {
      for (const Finding& finding : report.findings) session.say(finding);
      session.out.write(Text(*known, *samples, report, *options, session.colour).answer());
    }
    return report.found.empty() ? 1 : 0;
  };
}

}  // namespace arcwise::cli
