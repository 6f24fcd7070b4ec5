// allocate: which tokens should a node take?
#include "arcwise/allocate.hpp"

#include <memory>

#include "cli/cluster_args.hpp"
#include "cli/output_file.hpp"
#include "cli/verbs.hpp"
#include "format/json_reports.hpp"
#include "format/table_numbers.hpp"
#include "format/table_text.hpp"

namespace arcwise::cli {
namespace {

constexpr std::uint32_t most_tokens = 1536;  // as in Cassandra

struct Options {
  ClusterArgs cluster;
  AllocateRequest request;
  std::string algorithm = "arcwise", fingerprint, weight, map_file;
  std::optional<std::uint32_t> epoch;
};

std::string read_weight(std::optional<double>& into, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(value > 0) || value > 1e6)
    return "is not a weight: a number above 0, such as 1 or 2.5";
  into = value;
  return "";
}

std::string joined(const TokenSpace& space, const std::vector<Token>& tokens) {
  std::string out;
  for (Token t : tokens) out += (out.empty() ? "" : ",") + to_text(space, t);
  return out;
}

std::string text_answer(const Loaded& loaded, const Allocation& a, const Options& o, bool colour) {
  const NewNode& node = o.request.node;
  std::string out = toned(loaded.title, Tone::strong, colour) + ": " +
                    counted(a.tokens.size(), "token", "tokens") + " for " +
                    toned(node.name, Tone::strong, colour) +
                    (node.rack.empty() ? "" : " in rack " + node.rack) + ", chosen by " + o.algorithm + '\n';
  const Balance &before = a.balance_before, &after = a.balance_after;
  Notes notes;
  notes.line("balance", "largest " + times(before.max_over_target) + " its target → " +
                            times(after.max_over_target) + ", smallest " + times(before.min_over_target) +
                            " → " + times(after.min_over_target));
  notes.line("chosen for", "fingerprint " + a.fingerprint +
                               (a.epoch ? ", epoch " + std::to_string(*a.epoch) : "") +
                               "; on any other map they are a poor choice");
  for (const Finding& w : a.warnings)
    notes.line("warning", w.message + (w.advice.empty() ? "" : "; " + w.advice), Tone::warning);
  return out + notes.text(colour) + "\nnum_tokens: " + std::to_string(a.tokens.size()) +
         "\ninitial_token: " + joined(a.after.space(), a.tokens) + '\n';
}

Json json_answer(const Allocation& a, const Options& o) {
  Json json = answer("allocate");
  json["node"] = o.request.node.name;
  json["algorithm"] = o.algorithm;
  json["tokens"] = Json::array();
  for (Token t : a.tokens) json["tokens"].push_back(to_text(a.after.space(), t));
  json["fingerprint"] = a.fingerprint;
  json["epoch"] = or_null(a.epoch);
  json["balance_before"] = to_json(a.balance_before, std::nullopt);
  json["balance_after"] = to_json(a.balance_after, std::nullopt);
  return json;
}

Result<int> run_allocate(const Options& o, Session& session) {
  if (o.request.node.name.empty())
    return usage_error("", "--node is missing", "what is the new node called?");
  if (o.request.tokens && (*o.request.tokens == 0 || *o.request.tokens > most_tokens))
    return usage_error(std::to_string(*o.request.tokens), "a node takes from 1 to 1,536 tokens",
                       "16 are usual");
  const auto loaded = o.cluster.load();
  if (!loaded) return loaded.error();
  AllocateRequest request = o.request;
  request.allocator = *find_allocator(o.algorithm);
  if (!o.fingerprint.empty()) request.fingerprint = o.fingerprint;
  if (o.epoch) request.epoch = *o.epoch;
  const auto allocation = allocate(loaded->cluster.map, request);
  if (!allocation) return allocation.error();
  if (!o.map_file.empty()) {
    if (auto error = write_whole(o.map_file, write_map(allocation->after))) return *error;
    session.say("wrote the map after it to " + o.map_file);
  }
  session.out.write(session.json ? dump(json_answer(*allocation, o))
                                 : text_answer(*loaded, *allocation, o, session.colour));
  return 0;
}

}  // namespace

Action declare_allocate(Args& args) {
  auto options = std::make_shared<Options>();
  Options& o = *options;
  args.operands("MAP", o.cluster.files, "the map, or another system's file; - is standard input", 1).files();
  args.option("--node", "NAME", o.request.node.name, "the node that joins");
  args.option("--rack", "R", o.request.node.rack, "its rack");
  args.option("--zone", "Z", o.request.node.zone, "its zone or data center");
  args.option("--address", "ADDRESS", o.request.node.address, "its address, for --write-map");
  args.option("--weight", "W", Args::Setter([&o](const std::string& text) {
                return read_weight(o.request.node.weight, text);
              }),
              "its weight (1)");
  args.option("--tokens", "N", o.request.tokens, "how many it takes (as the median node for its weight)");
  args.option("--algorithm", "NAME", o.algorithm, "who chooses (arcwise)")
      .one_of({"arcwise", "cassandra", "random"});
  args.option("--fingerprint", "F", o.fingerprint, "refuse, with exit 4, where the map has another one");
  args.option("--epoch", "N", o.epoch, "the same for its epoch");
  args.option("--write-map", "FILE", o.map_file, "write the map with the node to this file").files();
  args.option("--seed", "N", o.request.seed, "seed of random tokens (1)");
  o.cluster.declare_reading(args);
  o.cluster.declare_policy(args);
  return [options](Session& session) { return run_allocate(*options, session); };
}

}  // namespace arcwise::cli
