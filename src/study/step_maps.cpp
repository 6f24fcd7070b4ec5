#include "study/step_maps.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "arcwise/collapse.hpp"
#include "model/build.hpp"
#include "study/numbers.hpp"
#include "study/step_tables.hpp"

namespace arcwise {
namespace {

const Node* find(const ClusterMap& map, const std::string& name) {
  const auto at = map.find(name);
  return at ? &map.nodes()[*at] : nullptr;
}

std::vector<NodeChange> changes_asked(const Change& change, const ClusterMap& before,
                                      const ClusterMap& after) {
  std::vector<NodeChange> out;
  out.reserve(change.add.size() + change.replace.size() + change.weight.size() + change.remove.size());
  for (const NewNode& node : change.add) out.push_back({"add " + node.name, "", node.name, false});
  for (const auto& [old, node] : change.replace) {
    const Node *was = find(before, old), *is = find(after, node.name);
    const bool other_machine = old != node.name || (was && is && was->address != is->address);
    out.push_back({old == node.name ? "readdress " + old : "replace " + old + " by " + node.name, old,
                   node.name, other_machine});
  }
  for (const auto& [name, weight] : change.weight) {
    const Node* node = find(after, name);
    out.push_back({"reweight " + name + (node ? " to " + shortest(node->weight) : ""), name, name, false});
  }
  for (const std::string& name : change.remove) out.push_back({"remove " + name, name, "", false});
  if (change.parts.empty()) return out;
  for (const PartRules::Drain& drain : change.parts.drains)
    out.push_back({"drain " + drain.node + (drain.by < 1 ? " by " + percent(drain.by) : ""), drain.node,
                   drain.node, false});
  if (out.empty()) out.push_back({"hand partitions out anew", "", "", false});
  if (change.parts.at_most)
    out.push_back({"at most " + std::to_string(*change.parts.at_most) + " copies", "", "", false});
  return out;
}

std::string difference(const Node& was, const Node& is) {
  const bool weight = was.weight != is.weight, tokens = was.tokens != is.tokens;
  const bool place = was.rack != is.rack || was.zone != is.zone;
  const bool machine = was.address != is.address || was.host != is.host;
  if (!weight && !tokens && !place && !machine && was.label == is.label && was.state == is.state &&
      was.bucket == is.bucket && was.buckets == is.buckets)
    return "";
  if (tokens && !place) return "retoken " + is.name;
  if (weight && !place && !machine) return "reweight " + is.name + " to " + shortest(is.weight);
  if (machine && !place && was.label == is.label) return "readdress " + is.name;
  return "change " + is.name;
}

// A node in the place of another has its tokens: both are there at no time.
const Node* heir(const Node& old, const ClusterMap& before, const ClusterMap& after) {
  for (const Node& node : after.nodes())
    if (!before.find(node.name))
      for (Token token : node.tokens)
        if (std::binary_search(old.tokens.begin(), old.tokens.end(), token)) return &node;
  return nullptr;
}

std::vector<NodeChange> changes_between(const ClusterMap& before, const ClusterMap& after) {
  std::vector<NodeChange> adds, others, removes;
  std::set<std::string> heirs;
  for (const Node& was : before.nodes()) {
    if (find(after, was.name)) continue;
    const Node* is = before.placement().given ? heir(was, before, after) : nullptr;
    if (is && heirs.insert(is->name).second)
      others.push_back({"replace " + was.name + " by " + is->name, was.name, is->name, false});
    else
      removes.push_back({"remove " + was.name, was.name, "", false});
  }
  for (const Node& is : after.nodes()) {
    const Node* was = find(before, is.name);
    if (!was && !heirs.count(is.name)) adds.push_back({"add " + is.name, "", is.name, false});
    if (!was) continue;
    if (const std::string action = difference(*was, is); !action.empty())
      others.push_back({action, is.name, is.name, false});
  }
  adds.insert(adds.end(), others.begin(), others.end());
  adds.insert(adds.end(), removes.begin(), removes.end());
  return adds;
}

// What a map says beside its nodes and table is the same.
bool same_frame(const ClusterMap& before, const ClusterMap& after) {
  const PlacementSettings &a = before.placement(), &b = after.placement();
  const ReplicaPolicy &p = before.replicas(), &q = after.replicas();
  const auto same_zone = [](const ZoneCount& x, const ZoneCount& y) {
    return x.zone == y.zone && x.count == y.count;
  };
  return a.recipe == b.recipe && a.hash == b.hash && a.tokens == b.tokens && a.given == b.given &&
         a.hash_tag == b.hash_tag && a.slots == b.slots && a.settings == b.settings && p.count == q.count &&
         p.across == q.across && p.when_short == q.when_short &&
         std::equal(p.per_zone.begin(), p.per_zone.end(), q.per_zone.begin(), q.per_zone.end(), same_zone);
}

Change part_of(const Change& change, const std::vector<NodeChange>& step) {
  Change out;
  const auto in_step = [&](const std::string& before, const std::string& after) {
    return std::any_of(step.begin(), step.end(),
                       [&](const NodeChange& c) { return c.before == before && c.after == after; });
  };
  for (const NewNode& node : change.add)
    if (in_step("", node.name)) out.add.push_back(node);
  for (const auto& [old, node] : change.replace)
    if (in_step(old, node.name)) out.replace.emplace_back(old, node);
  for (const auto& [name, weight] : change.weight)
    if (in_step(name, name)) out.weight.emplace_back(name, weight);
  for (const std::string& name : change.remove)
    if (in_step(name, "")) out.remove.push_back(name);
  return out;
}

std::vector<Node> with(std::vector<Node> nodes, const std::vector<NodeChange>& step,
                       const ClusterMap& after) {
  for (const NodeChange& change : step) {
    const Node* is = change.after.empty() ? nullptr : find(after, change.after);
    const auto was = std::find_if(nodes.begin(), nodes.end(), [&](const Node& n) {
      return !change.before.empty() && n.name == change.before;
    });
    if (was == nodes.end()) {
      if (is) nodes.push_back(*is);
    } else if (is) {
      *was = *is;
    } else {
      nodes.erase(was);
    }
  }
  return nodes;
}

class Maker {
 public:
  Maker(const ClusterMap& before, const ClusterMap& after, const Change& change)
      : before_(before), after_(after), change_(change) {
    const auto &a = before.placement().table, &b = after.placement().table;
    const bool comparable = a.size() == b.size() || !has_equal_parts(*before.placement().recipe);
    if (same_frame(before, after) && !a.empty() && !b.empty() && comparable) table_.emplace(before, after);
  }

  std::vector<NodeChange> node_changes() const;
  /// Those that contain most come first.
  std::vector<NodeChange> contained(const std::vector<NodeChange>& all,
                                    const std::set<std::string>& down) const;
  std::optional<Error> make(StepMaps& out);

 private:
  bool by_buckets() const { return before_.placement().recipe->points == PointRule::buckets; }
  Result<ClusterMap> next(const ClusterMap& current, const StepMaps& steps, std::size_t done) const;
  Result<ClusterMap> last(std::size_t steps) const;

  const ClusterMap& before_;
  const ClusterMap& after_;
  const Change& change_;
  std::optional<TableSteps> table_;
};

std::vector<NodeChange> Maker::node_changes() const {
  if (!same_frame(before_, after_) || (by_buckets() && change_.empty()))
    return {{"change to the other map", "", "", false}};
  if (!change_.empty()) {
    std::vector<NodeChange> asked = changes_asked(change_, before_, after_);
    // A new node comes as it shall be: `--add x --weight x=2` is one change of it.
    if (!by_buckets())
      asked.erase(std::remove_if(asked.begin(), asked.end(),
                                 [&](const NodeChange& c) {
                                   return !c.before.empty() && c.before == c.after && !find(before_, c.after);
                                 }),
                  asked.end());
    return asked;
  }
  std::vector<NodeChange> out = changes_between(before_, after_);
  if (table_) {
    std::set<std::string> named;
    for (const NodeChange& c : out)
      for (const std::string& name : {c.before, c.after})
        if (!name.empty()) named.insert(name);
    const auto first_remove =
        std::find_if(out.begin(), out.end(), [](const NodeChange& c) { return c.after.empty(); });
    std::vector<NodeChange> fills;
    for (const std::string& name : table_->other_receivers(named))
      fills.push_back({"move parts to " + name, name, name, false});
    out.insert(first_remove, fills.begin(), fills.end());
  }
  if (out.empty()) out.push_back({"change to the other map", "", "", false});
  return out;
}

Result<ClusterMap> Maker::next(const ClusterMap& current, const StepMaps& steps, std::size_t done) const {
  const auto& step = steps.changes[done];
  std::vector<Finding> already_told;
  if (by_buckets()) return apply(current, part_of(change_, step), already_told);
  ClusterMap::Parts parts = current.parts();
  parts.nodes = with(std::move(parts.nodes), step, after_);
  if (table_) parts.placement.table = table_->rows(done + 1, parts.nodes);
  if (parts.epoch) ++*parts.epoch;
  return ClusterMap::build(std::move(parts));
}

// Each step is a change of its own, so that the last map's epoch follows the others'.
Result<ClusterMap> Maker::last(std::size_t steps) const {
  if (change_.empty() || steps == 1 || !before_.epoch()) return after_;
  ClusterMap::Parts parts = after_.parts();
  parts.epoch = *before_.epoch() + steps;
  return ClusterMap::build(std::move(parts));
}

std::optional<Error> Maker::make(StepMaps& out) {
  if (table_) table_->decide(out.changes);
  out.maps = {before_};
  for (std::size_t done = 0; done + 1 < out.changes.size(); ++done) {
    auto map = next(out.maps.back(), out, done);
    if (!map) return map.error();
    out.maps.push_back(*map);
  }
  auto map = last(out.changes.size());
  if (!map) return map.error();
  out.maps.push_back(*map);
  return std::nullopt;
}

std::vector<NodeChange> Maker::contained(const std::vector<NodeChange>& all,
                                         const std::set<std::string>& down) const {
  if (table_ || by_buckets() || all.size() < 2 || !same_frame(before_, after_)) return all;
  const Placement placed = compile(before_);
  NodeSet set(before_.nodes().size());
  for (const std::string& name : down)
    if (const auto at = before_.find(name)) set.insert(*at);
  if (collapsed_ranges(placed, set).ranges.empty()) return all;
  std::vector<std::optional<ClusterMap>> alone;
  for (const NodeChange& change : all) {
    ClusterMap::Parts parts = before_.parts();
    parts.nodes = with(std::move(parts.nodes), {change}, after_);
    const auto map = ClusterMap::build(std::move(parts));
    alone.push_back(map ? std::optional(*map) : std::nullopt);
  }
  std::vector<NodeChange> out;
  for (std::size_t i : contain_first(placed, set, alone)) out.push_back(all[i]);
  return out;
}

StepMaps grouped(const std::vector<NodeChange>& all, std::uint64_t max_in_flight) {
  StepMaps out;
  for (const NodeChange& one : all) {
    const bool of_no_node = one.before.empty() && one.after.empty();  // pins, limits: told with the last step
    const std::size_t most = std::max<std::uint64_t>(1, max_in_flight);
    if (out.changes.empty() || (out.changes.back().size() >= most && !of_no_node)) out.changes.emplace_back();
    out.changes.back().push_back(one);
  }
  return out;
}

}  // namespace

StepMaps step_maps(const ClusterMap& before, const ClusterMap& after, const Change& change,
                   std::uint64_t max_in_flight, const std::set<std::string>& down) {
  Maker maker(before, after, change);
  const std::vector<NodeChange> all = maker.node_changes();
  StepMaps out = grouped(maker.contained(all, down), max_in_flight);
  if (!maker.make(out)) return out;
  out = grouped(all, max_in_flight);
  if (const auto error = maker.make(out)) {
    const auto& stuck = out.changes[out.maps.size() - 1];
    out.warnings.push_back({Finding::Severity::warning, "not-one-by-one", "",
                            "the change cannot be made in steps: \"" + stuck.front().action +
                                "\" fails by itself: " + error->why,
                            "change the order, or make it all at once"});
    out.changes = {all};
    out.maps = {before, after};
  }
  return out;
}

}  // namespace arcwise
