#include "cli/node_table.hpp"

#include <algorithm>
#include <map>

#include "format/table_numbers.hpp"
#include "format/table_order.hpp"
#include "format/table_text.hpp"

namespace arcwise::cli {
namespace {

constexpr std::size_t most_rows = 40, fullest_rows = 12, emptiest_rows = 6;
constexpr std::size_t widest_name = 26;

// What is worth a column here: a column that says the same of every node, or what another one says, is noise.
struct Shown {
  bool address = false, host = false, weight = false, effective = false, state = false;
};

Shown choose_columns(const Loaded& loaded, const Ownership& ownership) {
  const auto& nodes = loaded.cluster.map.nodes();
  Shown shown;
  std::map<std::string, int> hosts;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    shown.address |= !node.address.empty() && node.address != node.name;
    shown.weight |= node.weight != nodes[0].weight;
    shown.host |= ++hosts[node.host] > 1 && node.address.find(node.host) == std::string::npos;
    shown.effective |= ownership.nodes[i].effective != ownership.nodes[i].share;
    shown.state |=
        node.state != NodeState::normal || loaded.cluster.observed.down.contains(static_cast<NodeIndex>(i));
  }
  // Where a system reports on its nodes, "normal" is an answer too.
  shown.state |= !loaded.cluster.observed.load_bytes.empty();
  return shown;
}

Cell state_cell(const Node& node, bool down) {
  std::string text(to_string(node.state));
  if (down) return {node.state == NodeState::normal ? "down" : text + ", down", Tone::bad};
  return {text, node.state == NodeState::normal ? Tone::plain : Tone::warning};
}

Cell ratio_cell(const NodeOwnership& own, const std::optional<ByChance>& chance) {
  if (own.target <= 0) return "–";
  const bool beyond = chance && own.ratio() > chance->p99;
  return {times(own.ratio()), beyond ? Tone::bad : Tone::plain};
}

std::string weight_text(double weight) {
  std::string text = std::to_string(weight);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

double smallest_share(const Ownership& ownership) {
  double smallest = 1;
  for (const NodeOwnership& own : ownership.nodes)
    if (own.share.units > 0) smallest = std::min(smallest, own.share.value());
  return smallest;
}

}  // namespace

std::string node_table(const Loaded& loaded, const Ownership& ownership, const NodeTableOptions& options) {
  const auto& nodes = loaded.cluster.map.nodes();
  const Observed& seen = loaded.cluster.observed;
  const Shown shown = choose_columns(loaded, ownership);
  const int digits = std::min(3, percent_digits(smallest_share(ownership)));
  Table table({{"node"},
               {"address"},
               {"host"},
               {"zone"},
               {"rack"},
               {"state"},
               {"weight", true},
               {"tokens", true},
               {"share", true},
               {"effective", true},
               {"target", true},
               {"ratio", true},
               {"load", true}});
  const auto add = [&](std::size_t i) {
    const Node& node = nodes[i];
    const NodeOwnership& own = ownership.nodes[i];
    const bool loads = i < seen.load_bytes.size();
    table.row({shortened(node.name, widest_name), shown.address ? node.address : "",
               shown.host ? node.host : "", node.zone, node.rack,
               shown.state ? state_cell(node, seen.down.contains(static_cast<NodeIndex>(i))) : "",
               shown.weight ? weight_text(node.weight) : "",
               loaded.placement.entry_count() ? counted(own.tokens) : "", per_cent(own.share.value(), digits),
               shown.effective ? per_cent(own.effective.value(), digits) : "", per_cent(own.target, digits),
               ratio_cell(own, options.chance),
               !loads               ? ""
               : seen.load_bytes[i] ? human_bytes(*seen.load_bytes[i])
                                    : "?"});
  };
  std::vector<std::size_t> order = reading_order(loaded.placement);
  if (options.all || nodes.size() <= most_rows) {
    for (std::size_t i : order) add(i);
    return table.text(options.colour);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return ownership.nodes[a].ratio() > ownership.nodes[b].ratio();
  });
  for (std::size_t i = 0; i < fullest_rows; ++i) add(order[i]);
  table.note("… " + counted(nodes.size() - fullest_rows - emptiest_rows) +
             " nodes between (--all shows them)");
  for (std::size_t i = nodes.size() - emptiest_rows; i < nodes.size(); ++i) add(order[i]);
  return table.text(options.colour);
}

}  // namespace arcwise::cli
