#include "cli/balance_by_hand.hpp"

#include "arcwise/change.hpp"
#include "cli/change_text.hpp"
#include "cli/cluster_args.hpp"
#include "format/json_reports.hpp"
#include "format/table_numbers.hpp"
#include "format/table_text.hpp"

namespace arcwise::cli {
namespace {

constexpr std::uint64_t seed = 1;

Result<Token> position(const ClusterMap& map, const std::string& text) {
  const auto token = from_text(map.space(), text);
  if (token) return *token;
  return usage_error(
      text, "this is no position of the map's hash space",
      "write it as `arcwise ranges` does, such as " + to_text(map.space(), {map.space().last / 2}));
}

Result<NodeIndex> node(const ClusterMap& map, const std::string& name) {
  const auto found = map.find(name);
  if (found) return *found;
  return usage_error(name, "--move: no such node", known_nodes(map, name));
}

// "5460=n1>n2"
Result<ClusterMap> moved(const ClusterMap& map, const std::string& text) {
  const std::size_t equal = text.find('='), arrow = text.find('>', equal == std::string::npos ? 0 : equal);
  if (equal == std::string::npos || arrow == std::string::npos)
    return usage_error(text, "--move: this is not RANGE=FROM>TO", "write it in quotes, such as '7fff=n1>n2'");
  const auto unit = find_unit(map, text.substr(0, equal));
  if (!unit)
    return usage_error(
        text.substr(0, equal), "--move: the map has no such " + std::string(to_string(range_rules(map).unit)),
        "name a range by its end, as `arcwise ranges` lists them, a slot or partition by its number");
  const auto from = node(map, text.substr(equal + 1, arrow - equal - 1)),
             to = node(map, text.substr(arrow + 1));
  if (!from) return from.error();
  if (!to) return to.error();
  return move_unit(map, *unit, *from, *to);
}

template <class Change>
std::optional<Error> apply_each(ClusterMap& map, const std::vector<std::string>& texts, Change change) {
  for (const std::string& text : texts) {
    auto next = change(map, text);
    if (!next) return next.error();
    map = *next;
  }
  return std::nullopt;
}

}  // namespace

Result<ClusterMap> changed_by_hand(const ClusterMap& map, const ByHand& changes) {
  ClusterMap out = map;
  const auto at = [](auto change) {
    return [change](const ClusterMap& before, const std::string& text) -> Result<ClusterMap> {
      const auto token = position(before, text);
      if (!token) return token.error();
      return change(before, *token);
    };
  };
  if (auto error = apply_each(out, changes.splits, at(split_range))) return *error;
  if (auto error = apply_each(out, changes.moves, moved)) return *error;
  if (auto error = apply_each(out, changes.merges, at(merge_ranges))) return *error;
  ClusterMap::Parts parts = out.parts();
  if (parts.epoch) ++*parts.epoch;
  return ClusterMap::build(std::move(parts));
}

std::string by_hand_text(const std::string& title, const ClusterMap& before, const ClusterMap& after,
                         bool colour) {
  const Diff d = diff(compile(before), compile(after), seed);
  std::string out = toned(title, Tone::strong, colour) + ": " +
                    counted(before.placement().table.size(), "range", "ranges") + " → " +
                    counted(after.placement().table.size()) + ", moves " + per_cent(d.moved.value()) +
                    " of one full copy; the first owner of " + per_cent(d.primary_moved.value()) +
                    " of hash space is another\n";
  Notes notes;
  notes.line("fingerprint", d.before + " → " + d.after);
  out += notes.text(colour);
  return d.transfers.empty() ? out : out + '\n' + transfer_table(d, 0, 0, colour);
}

Json by_hand_json(const ClusterMap& before, const ClusterMap& after) {
  Json json = diff_json("balance", diff(compile(before), compile(after), seed), 0);
  json["ranges_before"] = before.placement().table.size();
  json["ranges_after"] = after.placement().table.size();
  json["epoch_before"] = or_null(before.epoch());
  json["epoch_after"] = or_null(after.epoch());
  return json;
}

}  // namespace arcwise::cli
