#include "cli/allocate_text.hpp"

#include <fmt/format.h>

#include "cli/change_text.hpp"
#include "format/json_reports.hpp"
#include "format/table_numbers.hpp"
#include "format/table_text.hpp"

namespace arcwise::cli {
namespace {

std::string joined(const TokenSpace& space, const std::vector<Token>& tokens, const char* between) {
  std::string out;
  for (Token t : tokens) out += (out.empty() ? "" : between) + to_text(space, t);
  return out;
}

Json texts(const TokenSpace& space, const std::vector<Token>& tokens) {
  Json out = Json::array();
  for (Token t : tokens) out.push_back(to_text(space, t));
  return out;
}

std::string chosen_for(const std::string& fingerprint, std::optional<std::uint64_t> epoch) {
  return "fingerprint " + fingerprint + (epoch ? ", epoch " + std::to_string(*epoch) : "") +
         "; on any other map they are a poor choice";
}

std::string times3(double ratio) {
  return fmt::format("{:.3f}×", ratio);
}

template <class Answer>
Json bound(Json json, const Answer& a) {
  json["fingerprint"] = a.fingerprint;
  json["epoch"] = or_null(a.epoch);
  json["balance_before"] = to_json(a.balance_before, std::nullopt);
  json["balance_after"] = to_json(a.balance_after, std::nullopt);
  return json;
}

// "38.1 % of what n4 held (34.5 % of one copy → 21.4 %)", and why it is no more.
std::string relief_text(const Allocation::Relief& r) {
  const double taken = r.before > 0 ? 1 - r.after / r.before : 0;
  std::string out = per_cent(taken) + " of what " + r.node + " held (" + per_cent(r.before) +
                    " of one copy → " + per_cent(r.after) + ")";
  if (r.least > r.before / 2 * 1.001)
    out += "; " + per_cent(1 - r.least / r.before) + " is the most that one new node can take: what " +
           r.node + " holds as the last owner";
  return out;
}

Notes balance_notes(const Balance& before, const Balance& after) {
  Notes notes;
  notes.line("balance", "largest " + times3(before.max_over_target) + " its target → " +
                            times3(after.max_over_target) + ", smallest " + times3(before.min_over_target) +
                            " → " + times3(after.min_over_target));
  return notes;
}

}  // namespace

std::string token_lines(const TokenSpace& space, const std::vector<Token>& tokens) {
  return "num_tokens: " + std::to_string(tokens.size()) + "\ninitial_token: " + joined(space, tokens, ",") +
         '\n';
}

std::string shifts_text(const Allocation& a) {
  std::string out = a.shifts.empty() ? "" : "\ntokens that shift, each with its node:\n";
  for (const Allocation::Shift& s : a.shifts)
    out += "  " + s.node + ": " + to_text(a.after.space(), s.from) + " → " + to_text(a.after.space(), s.to) +
           '\n';
  return out;
}

Json shifts_json(const Allocation& a) {
  Json out = Json::array();
  for (const Allocation::Shift& s : a.shifts)
    out.push_back({{"node", s.node},
                   {"from", to_text(a.after.space(), s.from)},
                   {"to", to_text(a.after.space(), s.to)}});
  return out;
}

std::string balance_line(const Balance& balance) {
  return "largest " + times3(balance.max_over_target) + " its target, smallest " +
         times3(balance.min_over_target);
}

std::string allocation_text(const AllocationTitle& title, const Allocation& a, const Repairs& repairs,
                            bool colour) {
  std::string out =
      toned(title.cluster, Tone::strong, colour) + ": " + counted(a.tokens.size(), "token", "tokens") +
      " for " + toned(title.node, Tone::strong, colour) +
      (title.rack.empty() ? "" : " in rack " + title.rack) + ", chosen by " + title.algorithm + '\n';
  Notes notes = balance_notes(a.balance_before, a.balance_after);
  notes.line("moves", per_cent(a.moved) + " of one copy to " + title.node +
                          (a.shifts.empty() ? "" : ", and " + per_cent(a.moved_beside) + " between others"));
  if (a.relief) notes.line("takes", relief_text(*a.relief));
  notes.line("chosen for", chosen_for(a.fingerprint, a.epoch));
  add_repair_note(notes, repairs);
  for (const Finding& w : a.warnings) add_finding(notes, w);
  out += notes.text(colour);
  return out + shifts_text(a) + '\n' + token_lines(a.after.space(), a.tokens);
}

Json allocation_json(const AllocationTitle& title, const Allocation& a) {
  Json json = answer("allocate");
  json["node"] = title.node;
  json["algorithm"] = title.algorithm;
  json["tokens"] = texts(a.after.space(), a.tokens);
  json["moved_share"] = a.moved;
  json["moved_beside"] = a.moved_beside;
  json["shifts"] = shifts_json(a);
  if (a.relief)
    json["relief"] = {{"node", a.relief->node},
                      {"share_before", a.relief->before},
                      {"share_after", a.relief->after},
                      {"least_share", a.relief->least}};
  json["warnings"] = Json::array();
  for (const Finding& w : a.warnings) json["warnings"].push_back(to_json(w));
  return bound(std::move(json), a);
}

std::string doubling_text(const std::string& cluster, const Doubling& d, const Repairs& repairs,
                          bool colour) {
  std::string out = toned(cluster, Tone::strong, colour) + ": " + counted(d.twins.size(), "twin", "twins") +
                    ", each at the middle of every arc of its node\n";
  Notes notes = balance_notes(d.balance_before, d.balance_after);
  notes.line("chosen for", chosen_for(d.fingerprint, d.epoch));
  add_repair_note(notes, repairs);
  out += notes.text(colour);
  for (const Doubling::Twin& twin : d.twins)
    out += "\n# " + twin.name + '\n' + token_lines(d.after.space(), twin.tokens);
  return out;
}

Json doubling_json(const Doubling& d) {
  Json json = answer("allocate");
  json["nodes"] = Json::array();
  for (const Doubling::Twin& twin : d.twins)
    json["nodes"].push_back(
        {{"node", twin.name}, {"of", twin.of}, {"tokens", texts(d.after.space(), twin.tokens)}});
  return bound(std::move(json), d);
}

std::string offline_text(const ClusterMap& map, std::uint32_t tokens) {
  std::string out = fmt::format(
      "Generating tokens for {} nodes with {} vnodes each for replication factor {} and partitioner "
      "Murmur3Partitioner\n",
      map.nodes().size(), tokens, map.replicas().count);
  for (std::size_t n = 0; n < map.nodes().size(); ++n) {
    const Node& node = map.nodes()[n];
    out += fmt::format("Node {} rack {}: [{}]\n", n, node.rack.substr(4),
                       joined(map.space(), node.tokens, ", "));
  }
  return out;
}

Json offline_json(const ClusterMap& map, const Balance& balance) {
  Json json = answer("allocate");
  json["nodes"] = Json::array();
  for (const Node& node : map.nodes())
    json["nodes"].push_back(
        {{"node", node.name}, {"rack", node.rack}, {"tokens", texts(map.space(), node.tokens)}});
  json["balance_after"] = to_json(balance, std::nullopt);
  return json;
}

}  // namespace arcwise::cli
