// Rules about weights and counts: what the system makes of them.
#include <algorithm>
#include <cmath>
#include <map>

#include "place/methods.hpp"
#include "study/lint.hpp"
#include "study/lint_text.hpp"
#include "study/numbers.hpp"

namespace arcwise {
namespace {

bool owning(const Node& node) {
  return node.state != NodeState::joining;
}

double total_weight(const LintContext& c) {
  double total = 0;
  for (const Node& node : c.map.nodes())
    if (owning(node)) total += node.weight;
  return total;
}

bool weights_differ(const LintContext& c) {
  const Node* first = nullptr;
  for (const Node& node : c.map.nodes()) {
    if (!owning(node)) continue;
    if (first && node.weight != first->weight) return true;
    first = &node;
  }
  return false;
}

// Where points are counted, their number; where slots are filled, the keys that fall on them.
std::vector<double> point_shares(const LintContext& c) {
  std::vector<double> shares(c.map.nodes().size());
  if (c.is_ring()) {
    const std::size_t entries = c.placement.entry_count();
    for (std::size_t i = 0; i < entries; ++i)
      shares[c.placement.entry(i).node] += 1 / static_cast<double>(entries);
    return shares;
  }
  for (std::size_t i = 0; i < c.placement.region_count(); ++i) {
    const Region range = c.placement.region(i);
    const NodeIndex owner = c.placement.primary({range.upto.value});
    if (owner != no_node) shares[owner] += share_of(c.map.domain(), range).value();
  }
  return shares;
}

}  // namespace

void lint_share_distorted(const LintContext& c, Findings& out) {
  constexpr double tolerated = 0.1;
  if (!weights_differ(c) || !(c.is_ring() || c.fills_slots())) return;
  const Method* method = find_method(c.map.placement().recipe->method);
  if (!c.map.placement().given && !method->traits.weighted) return;
  const std::vector<double> shares = point_shares(c);
  const double total = total_weight(c);
  std::size_t off = 0;
  NodeIndex worst = no_node;
  double worst_by = 0;
  for (std::size_t n = 0; n < shares.size(); ++n) {
    const Node& node = c.map.nodes()[n];
    if (!owning(node) || node.weight == 0 || shares[n] == 0) continue;
    const double by = std::abs(shares[n] * total / node.weight - 1);
    off += by >= tolerated;
    if (by > worst_by) worst_by = by, worst = static_cast<NodeIndex>(n);
  }
  if (off == 0) return;
  const Node& node = c.map.nodes()[worst];
  out.push_back({{},
                 {},
                 node.name,
                 counted(off, "node") + " off what the weights ask for by a tenth or more: the weight of " +
                     node.name + " asks for " + percent(node.weight / total) + ", its points are " +
                     percent(shares[worst]),
                 "points are whole: use more of them a node, or weights that differ less"});
}

// A node holds max(1, round-half-up(weight × tokens)) buckets where none are listed; listed ones decide.
void lint_buckets_off_weight(const LintContext& c, Findings& out) {
  if (c.points() != PointRule::buckets) return;
  const std::uint32_t tokens = c.map.placement().tokens;
  std::size_t off = 0;
  const Node* first = nullptr;
  for (const Node& node : c.map.nodes()) {
    if (!owning(node) || node.buckets.size() == token_count(node.weight, tokens)) continue;
    ++off;
    if (!first) first = &node;
  }
  if (off == 0) return;
  out.push_back({{},
                 {},
                 first->name,
                 counted(off, "node") + " with other buckets than the weight asks for: weight " +
                     shortest(first->weight) + " of " + first->name + " asks for " +
                     counted(token_count(first->weight, tokens), "bucket") + ", and it lists " +
                     counted(first->buckets.size(), "bucket") + ", which decide",
                 "give it the weight of its buckets, or change its weight with `arcwise plan --weight`"});
}

void lint_weights_ignored(const LintContext& c, Findings& out) {
  const Recipe& recipe = *c.map.placement().recipe;
  if (c.points() == PointRule::table || c.points() == PointRule::given || !weights_differ(c)) return;
  if (find_method(recipe.method)->traits.weighted) return;
  // An importer that says so can name the option.
  const auto& said = c.observed.findings;
  if (std::any_of(said.begin(), said.end(), [](const Finding& f) { return f.rule == "weights-ignored"; }))
    return;
  out.push_back({{},
                 {},
                 "weight",
                 "the weights differ, and recipe " + std::string(recipe.name) +
                     " reads none: every node is entitled to the same",
                 "use a recipe that takes weights, or drop them"});
}

void lint_weight_overflow(const LintContext& c, Findings& out) {
  constexpr double most = 4294967295;
  const double total = total_weight(c);
  if (!c.map.placement().recipe->whole_weight || total <= most) return;
  out.push_back({{},
                 {},
                 "weight",
                 "the weights sum to " + shortest(total) +
                     ", which does not fit in 32 bits: a program that adds them so reads another sum, and "
                     "makes other points",
                 "weights are relative: divide them all by a thousand"});
}

void lint_ring_crowded(const LintContext& c, Findings& out) {
  constexpr double tolerated = 0.01;
  if (!c.is_ring()) return;
  const double positions = static_cast<double>(c.map.space().last) + 1;
  const double points = static_cast<double>(c.placement.entry_count());
  if (points / positions <= tolerated) return;
  // Of P points dropped on M positions, M(1 - (1 - 1/M)^P) are left.
  const double left = -positions * std::expm1(points * std::log1p(-1 / positions));
  out.push_back({{},
                 {},
                 "ring",
                 shortest(points) + " points on " + shortest(positions) + " positions: about " +
                     percent(1 - left / points) + " of them fall on one that is taken",
                 "use a wider ring, or fewer points"});
}

void lint_slots_fixed(const LintContext& c, Findings& out) {
  constexpr double handful = 8;
  const Recipe& recipe = *c.map.placement().recipe;
  const std::uint64_t slots = c.map.placement().slots;
  const bool fixed = recipe.slots == SlotCount::listed || recipe.key_prep == KeyPrep::redis_tag;
  if (!fixed || slots == 0) return;
  const auto nodes = static_cast<double>(
      std::count_if(c.map.nodes().begin(), c.map.nodes().end(), [](const Node& n) { return owning(n); }));
  const double each = static_cast<double>(slots) / nodes;
  if (nodes < 2 || each >= handful) return;
  const double more = std::ceil(each) / each - 1;
  out.push_back(
      {{},
       {},
       "slots",
       counted(slots, "slot") + " on " + counted(static_cast<std::size_t>(nodes), "node") +
           ": a node holds whole ones, so that at best some have " + percent(more) +
           " more than their share; the number cannot change in place",
       "make a new cluster (index, topic, ring) with some hundred slots a node, and move the data"});
}

void lint_tokens_fixed(const LintContext& c, Findings& out) {
  const std::string_view rule = c.map.placement().recipe->key_rule;
  if (c.points() != PointRule::given || (!rule.starts_with("cassandra") && rule != "scylladb")) return;
  std::map<std::string_view, std::pair<NodeIndex, NodeIndex>> zones;  // with fewest and most for their weight
  const auto density = [&](NodeIndex n) {
    return static_cast<double>(c.map.nodes()[n].tokens.size()) / std::max(1e-9, c.map.nodes()[n].weight);
  };
  for (NodeIndex n = 0; n < c.map.nodes().size(); ++n) {
    if (!owning(c.map.nodes()[n])) continue;
    auto& [fewest, most] = zones.emplace(c.map.nodes()[n].zone, std::pair(n, n)).first->second;
    if (density(n) < density(fewest)) fewest = n;
    if (density(n) > density(most)) most = n;
  }
  for (const auto& [zone, ends] : zones) {
    const Node &few = c.map.nodes()[ends.first], &many = c.map.nodes()[ends.second];
    if (density(ends.second) <= density(ends.first) * 1.1) continue;
    out.push_back({{},
                   {},
                   zone.empty() ? "num_tokens" : std::string(zone),
                   few.name + " has " + counted(few.tokens.size(), "token") + " and " + many.name + " has " +
                       std::to_string(many.tokens.size()) +
                       (zone.empty() ? "" : " in zone " + std::string(zone)) +
                       ": shares follow tokens; the number cannot change in place",
                   "add a data center with the number that is wanted, rebuild it, and retire the old one"});
  }
}

void lint_allocator_rf(const LintContext& c, Findings& out) {
  if (!c.options.allocated_for) return;
  const auto report = [&](std::string_view where, std::uint32_t copies) {
    if (copies == *c.options.allocated_for) return;
    out.push_back(
        {{},
         {},
         where.empty() ? "replicas" : std::string(where),
         "tokens were allocated for " + counted(*c.options.allocated_for, "replica") + ", and there are " +
             std::to_string(copies) + (where.empty() ? "" : " in zone " + std::string(where)) +
             ": they are balanced for another count",
         "set allocate_tokens_for_local_replication_factor to the keyspaces' own before nodes join"});
  };
  if (c.map.replicas().per_zone.empty() || c.options.replicas) return report("", c.count);
  for (const ZoneCount& zone : c.map.replicas().per_zone) report(zone.zone, zone.count);
}

}  // namespace arcwise
