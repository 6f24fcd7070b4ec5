#include "cli/balance_text.hpp"

#include <algorithm>

#include "arcwise/check.hpp"
#include "arcwise/format.hpp"
#include "format/json_reports.hpp"
#include "format/table_numbers.hpp"
#include "format/table_text.hpp"

namespace arcwise::cli {
namespace {

constexpr std::size_t most_rows = 20;
constexpr std::size_t widest_name = 26;

using Unit = RangeRules::Unit;

std::string range_text(const ClusterMap& map, const Region& range) {
  const Unit unit = range_rules(map).unit;
  if (unit == Unit::slot) {
    const u128 first = range.after.value == map.space().last ? 0 : range.after.value + 1;
    const std::string last = to_text(map.space(), range.upto);
    return first == range.upto.value ? last : to_text(map.space(), {first}) + "–" + last;
  }
  if (unit == Unit::partition) {
    const auto& rows = map.placement().table;
    const auto at = std::lower_bound(rows.begin(), rows.end(), range.upto,
                                     [](const TableRow& row, Token t) { return row.upto < t; });
    return std::to_string(at - rows.begin());
  }
  return "(" + to_text(map.space(), range.after) + ", " + to_text(map.space(), range.upto) + "]";
}

std::string name_of(const ClusterMap& map, NodeIndex n) {
  return n == no_node ? "" : map.nodes()[n].name;
}

std::string bytes_text(const std::string& column, double bytes) {
  return column == "key-count" ? counted(static_cast<std::uint64_t>(bytes)) + " keys" : human_bytes(bytes);
}

std::string requests_text(double requests) {
  if (requests >= 100 || requests == static_cast<double>(static_cast<std::uint64_t>(requests)))
    return counted(static_cast<std::uint64_t>(requests + 0.5));
  return Json(requests).dump();
}

std::string cause_text(const MeasuredNames& names, const ClusterMap& map, const LoadCause& cause) {
  const std::string& of = cause.of_bytes ? names.bytes : names.requests;
  const RangeRules rules = range_rules(map);
  const std::string has = " alone has " + times(cause.over_fair) + " the fair share of a node in " + of;
  const std::string range = std::string(to_string(rules.unit)) + " " + range_text(map, cause.range);
  switch (cause.kind) {
    case LoadCause::Kind::one_key:
      return "key " + printable(cause.key) + has + ", and no split or move helps";
    case LoadCause::Kind::one_unit:
      if (rules.splits)
        return range + has +
               " and cannot be divided: it is one position, or so narrow that it is one key by all "
               "appearances";
      return range + has + ", and " + std::string(rules.why) +
             (cause.key.empty() ? "" : "; the hottest key known in it is " + printable(cause.key));
    case LoadCause::Kind::limits:
      return "the limit on moves or bytes ended it";
    case LoadCause::Kind::no_place:
      break;
  }
  return "what could leave " + name_of(map, cause.node) +
         " is too large for any other node, or its copies would meet";
}

std::string cause_advice(const ClusterMap& map, const LoadCause& cause) {
  switch (cause.kind) {
    case LoadCause::Kind::one_key:
      return "serve it from more than one copy, cache it, or divide it in the application";
    case LoadCause::Kind::one_unit:
      return range_rules(map).splits ? "--keys-load names the key"
                                     : "divide its hottest keys in the application";
    case LoadCause::Kind::limits:
      return "raise --max-moves or --max-bytes";
    case LoadCause::Kind::no_place:
      break;
  }
  return "finer ranges or another node give room";
}

std::string hottest_text(const ClusterMap& map, const Balancing::Hottest& h) {
  return times(h.before) + " its fair share at " + name_of(map, h.node_before) + " → " + times(h.after) +
         (h.node_after == h.node_before ? "" : " at " + name_of(map, h.node_after)) +
         "; no table does better than " + times(h.least);
}

std::string model_text(const MeasuredNames& names, bool splits) {
  std::string out;
  if (!names.requests.empty()) out += names.requests + " go to the first owner";
  if (!names.bytes.empty()) out += (out.empty() ? "" : ", ") + names.bytes + " lie on every owner";
  if (!splits) return out;
  return out + (names.keys ? "; within a range by " + counted(names.keys, "key", "keys") + ", the rest evenly"
                           : "; within a range all lies evenly, as no keys are given");
}

std::string counts_text(const Balancing& done) {
  std::string out;
  constexpr const char* words[4][2] = {{"split", "splits"},
                                       {"change of the first owner", "changes of the first owner"},
                                       {"move", "moves"},
                                       {"merge", "merges"}};
  for (std::size_t kind = 0; kind < 4; ++kind) {
    const auto count = std::count_if(done.actions.begin(), done.actions.end(), [&](const RangeAction& a) {
      return static_cast<std::size_t>(a.kind) == kind;
    });
    if (count)
      out += (out.empty() ? "" : ", ") +
             counted(static_cast<std::uint64_t>(count), words[kind][0], words[kind][1]);
  }
  return out.empty() ? "nothing to do" : out;
}

std::string action_table(const MeasuredNames& names, const ClusterMap& map, const Balancing& done, bool all,
                         bool colour) {
  Table table({{"action"},
               {std::string(to_string(range_rules(map).unit))},
               {"at"},
               {"from"},
               {"to"},
               {names.bytes.empty() ? "" : names.bytes, true},
               {names.requests.empty() ? "" : names.requests, true}});
  std::size_t rows = 0;
  for (const RangeAction& a : done.actions) {
    if (!all && ++rows > most_rows) continue;
    const bool at = a.kind == RangeAction::Kind::split || a.kind == RangeAction::Kind::merge;
    table.row({std::string(to_string(a.kind)), range_text(map, a.range), at ? to_text(map.space(), a.at) : "",
               shortened(name_of(map, a.from), widest_name), shortened(name_of(map, a.to), widest_name),
               a.load.bytes > 0 ? bytes_text(names.bytes, a.load.bytes) : "",
               a.load.requests > 0 ? requests_text(a.load.requests) : ""});
  }
  if (rows > most_rows) table.note("… " + counted(rows - most_rows) + " more (--all shows them)");
  return table.text(colour);
}

std::string node_table(const MeasuredNames& names, const ClusterMap& map, const Balancing& done, bool all,
                       bool colour) {
  Table table({{"node"},
               {names.requests, true},
               {"after", true},
               {"of fair", true},
               {"after", true},
               {names.bytes, true},
               {"after", true},
               {"of fair", true},
               {"after", true}});
  std::size_t rows = 0;
  const auto over = [](double load, double fair) { return fair > 0 ? times(load / fair) : std::string(); };
  for (std::size_t n = 0; n < done.nodes.size(); ++n) {
    const auto& node = done.nodes[n];
    if (!(node.fair.requests > 0) && !(node.fair.bytes > 0)) continue;
    if (!all && ++rows > most_rows) continue;
    const bool requests = !names.requests.empty(), bytes = !names.bytes.empty();
    table.row({shortened(map.nodes()[n].name, widest_name),
               requests ? requests_text(node.before.requests) : "",
               requests ? requests_text(node.after.requests) : "",
               over(node.before.requests, node.fair.requests), over(node.after.requests, node.fair.requests),
               bytes ? bytes_text(names.bytes, node.before.bytes) : "",
               bytes ? bytes_text(names.bytes, node.after.bytes) : "",
               over(node.before.bytes, node.fair.bytes), over(node.after.bytes, node.fair.bytes)});
  }
  if (rows > most_rows) table.note("… " + counted(rows - most_rows) + " more nodes (--all shows them)");
  return table.text(colour);
}

Notes load_notes(const MeasuredNames& names, const ClusterMap& before, const Balancing& done) {
  Notes notes;
  if (done.requests.before > 0) notes.line(names.requests, hottest_text(before, done.requests));
  if (done.bytes.before > 0) notes.line(names.bytes, hottest_text(before, done.bytes));
  notes.line("load", model_text(names, range_rules(before).splits));
  return notes;
}

Json hottest_json(const ClusterMap& map, const Balancing::Hottest& h) {
  if (!(h.before > 0)) return nullptr;
  return {{"hottest_before", name_of(map, h.node_before)},
          {"over_fair_before", h.before},
          {"hottest_after", name_of(map, h.node_after)},
          {"over_fair_after", h.after},
          {"least_over_fair", h.least}};
}

Json load_json(const Load& load) {
  return {{"requests", load.requests}, {"bytes", load.bytes}};
}

Json cause_json(const MeasuredNames& names, const ClusterMap& map, const LoadCause& cause) {
  constexpr std::string_view kinds[] = {"one-key", "one-unit", "limits", "no-place"};
  Json json = {{"cause", kinds[static_cast<std::size_t>(cause.kind)]},
               {"of", cause.of_bytes ? "bytes" : "requests"},
               {"node", name_of(map, cause.node)}};
  json["key"] = cause.key.empty() ? Json(nullptr) : Json(cause.key);
  const bool placed = cause.over_fair > 0;
  json["after"] = placed ? Json(to_text(map.space(), cause.range.after)) : Json(nullptr);
  json["upto"] = placed ? Json(to_text(map.space(), cause.range.upto)) : Json(nullptr);
  json["over_fair"] = placed ? Json(cause.over_fair) : Json(nullptr);
  json["message"] = cause_text(names, map, cause);
  json["advice"] = cause_advice(map, cause);
  return json;
}

}  // namespace

std::string balance_text(const MeasuredNames& names, const ClusterMap& before, const Balancing& done,
                         bool all, bool colour) {
  std::string out = toned(names.title, Tone::strong, colour) + ": " + counts_text(done);
  if (done.moved_bytes > 0) out += ", " + bytes_text(names.bytes, done.moved_bytes);
  out += done.reached ? "; every node within " + per_cent(names.tolerance) + " of its fair share\n"
                      : "; not every node comes within " + per_cent(names.tolerance) + " of its fair share\n";
  Notes notes = load_notes(names, before, done);
  if (done.cause)
    notes.line("cause", cause_text(names, before, *done.cause) + "; " + cause_advice(before, *done.cause),
               Tone::warning);
  notes.line("fingerprint", fingerprints(compile(before)).fingerprint + " → " +
                                fingerprints(compile(done.after)).fingerprint);
  out += notes.text(colour);
  if (!done.actions.empty()) out += '\n' + action_table(names, before, done, all, colour);
  return out + '\n' + node_table(names, before, done, all, colour);
}

std::string loads_text(const MeasuredNames& names, const ClusterMap& before, const Balancing& done, bool all,
                       bool colour) {
  return load_notes(names, before, done).text(colour) + '\n' + node_table(names, before, done, all, colour);
}

void add_loads(Json& json, const MeasuredNames& names, const ClusterMap& before, const Balancing& done) {
  json["measured"] = {{"requests", names.requests.empty() ? Json(nullptr) : Json(names.requests)},
                      {"bytes", names.bytes.empty() ? Json(nullptr) : Json(names.bytes)},
                      {"keys", names.keys}};
  json["requests"] = hottest_json(before, done.requests);
  json["bytes"] = hottest_json(before, done.bytes);
  json["moved_bytes"] = done.moved_bytes;
  json["nodes"] = Json::array();
  for (std::size_t n = 0; n < done.nodes.size(); ++n)
    json["nodes"].push_back({{"name", before.nodes()[n].name},
                             {"before", load_json(done.nodes[n].before)},
                             {"after", load_json(done.nodes[n].after)},
                             {"fair", load_json(done.nodes[n].fair)}});
}

Json balance_json(const MeasuredNames& names, const ClusterMap& before, const Balancing& done) {
  Json json = answer("balance");
  json["before"] = fingerprints(compile(before)).fingerprint;
  json["after"] = fingerprints(compile(done.after)).fingerprint;
  json["epoch_before"] = or_null(before.epoch());
  json["epoch_after"] = or_null(done.after.epoch());
  json["tolerance"] = names.tolerance;
  json["reached"] = done.reached;
  json["cause"] = done.cause ? cause_json(names, before, *done.cause) : Json(nullptr);
  json["actions"] = Json::array();
  for (const RangeAction& a : done.actions) {
    const bool at = a.kind == RangeAction::Kind::split || a.kind == RangeAction::Kind::merge;
    json["actions"].push_back({{"action", to_string(a.kind)},
                               {"after", to_text(before.space(), a.range.after)},
                               {"upto", to_text(before.space(), a.range.upto)},
                               {"at", at ? Json(to_text(before.space(), a.at)) : Json(nullptr)},
                               {"from", a.from == no_node ? Json(nullptr) : Json(name_of(before, a.from))},
                               {"to", a.to == no_node ? Json(nullptr) : Json(name_of(before, a.to))},
                               {"bytes", a.load.bytes},
                               {"requests", a.load.requests}});
  }
  add_loads(json, names, before, done);
  return json;
}

Error nothing_to_do(const MeasuredNames& names, const ClusterMap& before, const Balancing& done) {
  const auto& hottest = done.bytes.after > done.requests.after ? done.bytes : done.requests;
  const std::string where = "the hottest node, " + name_of(before, hottest.node_after) + ", has " +
                            times(hottest.after) + " its fair share of " +
                            (&hottest == &done.bytes ? names.bytes : names.requests);
  if (!done.cause)
    return {ErrorKind::refused,
            {},
            "",
            "nothing would improve: " + where + ", within the tolerance of " + per_cent(names.tolerance),
            "give a smaller --tolerance if it is to be evener"};
  return {ErrorKind::refused,
          {},
          "",
          "nothing would improve: " + where + "; " + cause_text(names, before, *done.cause),
          cause_advice(before, *done.cause)};
}

}  // namespace arcwise::cli
