// From the nodes of one view to a map of slots, and what several views of one cluster say together.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "format/cluster_nodes.hpp"
#include "format/cluster_shards.hpp"
#include "format/cluster_slots.hpp"
#include "format/columns.hpp"

namespace arcwise {
namespace {

using Slots = std::array<NodeIndex, redis_slots>;  ///< the master of each, an index of nodes
using Severity = Finding::Severity;

// What a command prints, and whether it lists nodes that hold no slot or have failed.
struct Command {
  std::string_view format;
  Result<RedisNodes> (*read)(const Source& source);
  bool lists_all;
};
constexpr std::array commands{Command{"cluster-nodes", read_cluster_nodes, true},
                              Command{"cluster-shards", read_cluster_shards, true},
                              Command{"cluster-slots", read_cluster_slots, false}};

struct View {
  std::string file;
  const Command* command;
  RedisNodes nodes;
  Slots masters{};
};

std::optional<Error> assign_slots(View& view) {
  view.masters.fill(no_node);
  for (std::size_t n = 0; n < view.nodes.size(); ++n) {
    for (const RedisNode::Slots& range : view.nodes[n].slots) {
      for (std::uint32_t slot = range.first; slot <= range.last; ++slot) {
        NodeIndex& master = view.masters[slot];
        if (master != no_node)
          return Error{ErrorKind::input, range.at, redis_slots_text(range.first, range.last),
                       "slot " + std::to_string(slot) + " of " + view.nodes[n].id + " is listed for " +
                           view.nodes[master].id + " (line " + std::to_string(view.nodes[master].at.line) +
                           ") already",
                       "a slot has one master: give the views of several nodes as separate files"};
        master = static_cast<NodeIndex>(n);
      }
    }
  }
  return std::nullopt;
}

Result<View> read_view(const Source& source, std::string_view format) {
  const auto* command = std::find_if(commands.begin(), commands.end(),
                                     [&](const Command& known) { return known.format == format; });
  auto nodes = command->read(source);
  if (!nodes) return nodes.error();
  View view{source.name, &*command, std::move(*nodes), {}};
  if (auto error = assign_slots(view)) return *error;
  return view;
}

// Its master first, then the replicas in the order of their ids: the order of `nodes`.
std::vector<std::vector<NodeIndex>> owners_by_master(const RedisNodes& nodes) {
  std::vector<std::vector<NodeIndex>> owners(nodes.size());
  for (std::size_t n = 0; n < nodes.size(); ++n) owners[n].push_back(static_cast<NodeIndex>(n));
  for (std::size_t n = 0; n < nodes.size(); ++n)
    if (const RedisNode* master = nodes[n].replica ? find_node(nodes, nodes[n].master_id) : nullptr;
        master && master != &nodes[n])
      owners[static_cast<std::size_t>(master - nodes.data())].push_back(static_cast<NodeIndex>(n));
  return owners;
}

std::vector<TableRow> rows_of(const View& view) {
  const auto owners = owners_by_master(view.nodes);
  std::vector<TableRow> rows;
  for (std::uint32_t slot = 0; slot < redis_slots; ++slot) {
    const NodeIndex master = view.masters[slot];
    if (slot + 1 < redis_slots && view.masters[slot + 1] == master) continue;
    rows.push_back({{slot}, master == no_node ? std::vector<NodeIndex>{} : owners[master]});
  }
  return rows;
}

Node node_of(const RedisNode& line) {
  Node node;
  node.name = line.id;
  node.host = line.ip;
  if (!line.ip.empty())
    node.address = (line.ip.find(':') == std::string::npos ? line.ip : "[" + line.ip + "]") + ":" +
                   std::to_string(line.port);
  if (line.handshake && line.slots.empty()) node.state = NodeState::joining;
  return node;
}

void report_node(const RedisNodes& nodes, const RedisNode& node, std::vector<Finding>& findings) {
  const auto report = [&](Severity severity, std::string_view rule, std::string message, std::string advice) {
    findings.push_back({severity, std::string(rule), node.id, std::move(message), std::move(advice)});
  };
  if (node.suspected)
    report(Severity::warning, "node-suspected",
           "the node that printed this cannot reach it (fail?); it is taken as down",
           "ask another node: a majority of masters has not agreed");
  if (node.loading)
    report(Severity::info, "node-loading",
           "it is loading its data and answers nothing yet; it is taken as down",
           "look again when it has loaded");
  if (node.no_address)
    report(Severity::warning, "no-address", "its address is not known; it is taken as down",
           "CLUSTER FORGET it if it is gone, or CLUSTER MEET it again");
  if (node.handshake)
    report(Severity::info, "handshake", "it is only being introduced and owns nothing yet",
           "look again in a few seconds");
  if (!node.connected && !node.failed && !node.suspected && !node.no_address && !node.myself)
    report(Severity::warning, "link-down", "the node that printed this has no link to it",
           "ask another node");
  for (const std::string& flag : node.unknown_flags)
    report(Severity::info, "unknown-flag", "the flag `" + flag + "` is not known and is ignored", "");
  if (!node.replica) return;
  const RedisNode* master = find_node(nodes, node.master_id);
  if (!master)
    report(Severity::warning, "unknown-master",
           "its master " + (node.master_id.empty() ? "is not named" : node.master_id + " is not listed") +
               ": it holds no slot",
           "save the whole output; or CLUSTER REPLICATE a listed master");
  else if (master->replica)
    report(Severity::warning, "replica-of-replica",
           "its master " + master->id + " is itself a replica: it holds no slot",
           "CLUSTER REPLICATE a master");
}

// One slot on its way between two nodes, as the views together show it.
struct Move {
  bool migrating = false, importing = false;  ///< seen on the source's, on the target's line
};
using Moves = std::map<std::tuple<std::uint32_t, std::string, std::string>, Move>;  ///< slot, from, to

Moves moves_of(const std::vector<View>& views) {
  Moves moves;
  for (const View& view : views)
    for (const RedisNode& node : view.nodes)
      for (const OpenSlot& open : node.open) {
        if (open.away)
          moves[{open.slot, node.id, open.other}].migrating = true;
        else
          moves[{open.slot, open.other, node.id}].importing = true;
      }
  return moves;
}

// Worked example: n2 prints [7440-<-n1], and n1's own view is given and prints no [7440->-n2]. The move was
// begun or ended on one side only. n1 still answers for the slot, so nothing is lost, but keys may stand on
// both sides. With n1's view missing, nothing can be said about n1.
void report_moves(const std::vector<View>& views, std::vector<Finding>& findings) {
  std::set<std::string> heard;
  for (const View& view : views)
    for (const RedisNode& node : view.nodes)
      if (node.myself) heard.insert(node.id);
  for (const auto& [key, move] : moves_of(views)) {
    const auto& [slot, from, to] = key;
    const std::string number = std::to_string(slot);
    const std::string count =
        "CLUSTER COUNTKEYSINSLOT " + number + " on " + from + " and on " + to + " first; ";
    if (!move.migrating && heard.contains(from)) {
      findings.push_back({Severity::warning, "half-open-slot", "slot " + number,
                          to + " imports the slot from " + from + ", which does not list it as migrating",
                          count + "with no key on the target, CLUSTER SETSLOT " + number +
                              " STABLE there; otherwise CLUSTER SETSLOT " + number + " MIGRATING " + to +
                              " on the source and move the keys"});
    } else if (!move.importing && heard.contains(to)) {
      findings.push_back({Severity::warning, "half-open-slot", "slot " + number,
                          from + " migrates the slot to " + to + ", which does not list it as importing",
                          count + "with no key on the target, CLUSTER SETSLOT " + number +
                              " STABLE on the source; otherwise CLUSTER SETSLOT " + number + " IMPORTING " +
                              from + " on the target and move the keys"});
    } else {
      const std::string advice =
          move.migrating && move.importing
              ? "its keys stand on either side until the move ends: let it end"
              : "add the CLUSTER NODES output of the other side to see whether both agree";
      findings.push_back({Severity::warning, "open-slot", "slot " + number,
                          "the slot is moving from " + from + " to " + to, advice});
    }
  }
}

std::string id_at(const View& view, std::uint32_t slot) {
  const NodeIndex master = view.masters[slot];
  return master == no_node ? "nobody" : view.nodes[master].id;
}

void compare(const View& base, const View& other, std::vector<Finding>& findings) {
  const auto report = [&](Severity severity, std::string subject, std::string message) {
    findings.push_back({severity, "views-differ", std::move(subject), std::move(message),
                        "take both outputs at the same time; wait for the cluster to agree"});
  };
  const auto listed_only_in = [&](const View& one, const View& two) {
    for (const RedisNode& node : one.nodes)
      if (two.command->lists_all && !find_node(two.nodes, node.id))
        report(Severity::warning, node.id, one.file + " lists the node, " + two.file + " does not");
  };
  listed_only_in(base, other);
  listed_only_in(other, base);
  for (std::uint32_t slot = 0; slot < redis_slots;) {
    const std::uint32_t first = slot;
    const std::string ours = id_at(base, slot), theirs = id_at(other, slot);
    while (++slot < redis_slots && id_at(base, slot) == ours && id_at(other, slot) == theirs) {
    }
    if (ours != theirs)
      report(Severity::error, "slots " + redis_slots_text(first, slot - 1),
             "of " + ours + " in " + base.file + ", of " + theirs + " in " + other.file);
  }
}

Observed observe(const std::vector<View>& views) {
  Observed out;
  out.format = std::string(views.front().command->format);
  const RedisNodes& nodes = views.front().nodes;
  out.down = NodeSet(nodes.size());
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    report_node(nodes, nodes[n], out.findings);
    for (const View& view : views)
      if (const RedisNode* seen = find_node(view.nodes, nodes[n].id);
          seen && (seen->failed || seen->suspected || seen->loading || seen->no_address))
        out.down.insert(static_cast<NodeIndex>(n));
  }
  report_moves(views, out.findings);
  for (std::size_t v = 1; v < views.size(); ++v) compare(views.front(), views[v], out.findings);
  return out;
}

}  // namespace

bool is_redis_id(std::string_view text) {
  return text.size() == 40 && is_hex(text);
}

std::string redis_slots_text(std::uint32_t first, std::uint32_t last) {
  return std::to_string(first) + (first == last ? "" : "-" + std::to_string(last));
}

void sort_by_id(RedisNodes& nodes) {
  std::sort(nodes.begin(), nodes.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
}

const RedisNode* find_node(const RedisNodes& nodes, std::string_view id) {
  const auto at =
      std::lower_bound(nodes.begin(), nodes.end(), id,
                       [](const RedisNode& node, std::string_view wanted) { return node.id < wanted; });
  return at != nodes.end() && at->id == id ? &*at : nullptr;
}

Result<Cluster> import_redis(const Inputs& inputs) {
  const LoadOptions& options = inputs.options;
  std::vector<View> views;
  for (std::size_t i = 0; i < inputs.sources.size(); ++i) {
    auto view = read_view(inputs.sources[i], inputs.formats[i]);
    if (!view) return view.error();
    views.push_back(std::move(*view));
  }
  std::stable_sort(views.begin(), views.end(),
                   [](const View& a, const View& b) { return a.command->lists_all > b.command->lists_all; });
  const View& base = views.front();
  ClusterMap::Parts parts;
  parts.placement.recipe = find_recipe("redis-cluster");
  parts.placement.hash = parts.placement.recipe->hash;
  parts.placement.slots = redis_slots;
  parts.placement.table = rows_of(base);
  for (const RedisNode& line : base.nodes) parts.nodes.push_back(node_of(line));
  std::size_t most = 1;
  for (const TableRow& row : parts.placement.table) most = std::max(most, row.owners.size());
  parts.replicas.count = options.replicas.value_or(static_cast<std::uint32_t>(most));
  parts.replicas.across = options.across.value_or(Across::node);
  auto map = ClusterMap::build(std::move(parts), {base.file, 0, 0});
  if (!map) return map.error();
  return Cluster{std::move(*map), observe(views)};
}

}  // namespace arcwise
