// Rules about declared capacities: weights, tokens and partitions drift from machines without a word.
#include <algorithm>
#include <cmath>
#include <map>

#include "arcwise/ownership.hpp"
#include "study/lint.hpp"
#include "study/lint_text.hpp"
#include "study/numbers.hpp"

namespace arcwise {
namespace {

constexpr double tolerated = 0.1;
constexpr std::size_t most_listed = 20;

bool owning(const Node& node) {
  return node.state != NodeState::joining;
}

NodeIndex find_node(const ClusterMap& map, const std::string& word) {
  if (const auto found = map.find(word)) return *found;
  NodeIndex by_address = no_node;
  for (NodeIndex n = 0; n < map.nodes().size(); ++n) {
    if (map.nodes()[n].address != word) continue;
    if (by_address != no_node) return no_node;
    by_address = n;
  }
  return by_address;
}

// By node; 0 where none is declared.
std::vector<double> capacities(const LintContext& c) {
  std::vector<double> out(c.map.nodes().size(), 0);
  if (c.options.capacities)
    for (const DeclaredCapacity& declared : *c.options.capacities)
      if (const NodeIndex n = find_node(c.map, declared.node); n != no_node) out[n] = declared.capacity;
  return out;
}

/// What says how much a node shall hold, and whether it comes in whole ones.
struct Measure {
  std::vector<double> amount;  ///< by node
  std::string_view noun;       ///< "token"; empty: a weight
  std::string_view advice;
};

// Of listed parts: how many copies of them a node has.
std::vector<double> parts_held(const LintContext& c) {
  const PlacementSettings& placement = c.map.placement();
  const double parts =
      static_cast<double>(placement.slots ? placement.slots : std::uint64_t{placement.table.size()});
  std::vector<double> out;
  for (const NodeOwnership& node : ownership(c.placement).nodes)
    out.push_back(std::floor(node.effective.value() * parts + 0.5));
  return out;
}

Measure measure(const LintContext& c) {
  Measure out;
  const auto each = [&](auto value) {
    for (const Node& node : c.map.nodes()) out.amount.push_back(value(node));
  };
  switch (c.points()) {
    case PointRule::given:
      each([](const Node& node) { return static_cast<double>(node.tokens.size()); });
      out.noun = "token";
      out.advice =
          "the number of tokens cannot change in place: give the right one to a node that replaces it";
      break;
    case PointRule::buckets:
      each([](const Node& node) { return static_cast<double>(node.buckets.size()); });
      out.noun = "bucket";
      break;
    case PointRule::table:
      out.amount = parts_held(c);
      out.noun = "part";
      break;
    default:
      each([](const Node& node) { return node.weight; });
  }
  if (out.advice.empty())
    out.advice = "give it the weight that its capacity asks for: `arcwise plan --weight`";
  return out;
}

// Nodes with a capacity, all together, or those of a zone where each zone has copies of its own.
struct Parts {
  const LintContext& c;
  const std::vector<double>& capacity;

  const std::string& group(NodeIndex n) const {
    static const std::string all;
    return c.map.replicas().per_zone.empty() ? all : c.map.nodes()[n].zone;
  }
  bool counts(NodeIndex n) const { return capacity[n] > 0 && owning(c.map.nodes()[n]); }
  std::vector<double> of(const std::vector<double>& amount) const {
    std::map<std::string_view, double> sums;
    for (NodeIndex n = 0; n < amount.size(); ++n)
      if (counts(n)) sums[group(n)] += amount[n];
    std::vector<double> out(amount.size(), 0);
    for (NodeIndex n = 0; n < amount.size(); ++n)
      if (counts(n) && sums[group(n)] > 0) out[n] = amount[n] / sums[group(n)];
    return out;
  }
  // What each capacity asks for, as the median node stands: one node that is off makes no other look so.
  std::vector<double> asked_for(const std::vector<double>& amount) const {
    std::map<std::string_view, std::vector<double>> each;
    for (NodeIndex n = 0; n < amount.size(); ++n)
      if (counts(n) && amount[n] > 0) each[group(n)].push_back(amount[n] / capacity[n]);
    for (auto& [name, list] : each) std::sort(list.begin(), list.end());
    std::vector<double> out(amount.size(), 0);
    for (NodeIndex n = 0; n < amount.size(); ++n)
      if (const auto at = each.find(group(n)); counts(n) && at != each.end())
        out[n] = capacity[n] * at->second[(at->second.size() - 1) / 2];
    return out;
  }
};

std::string rounded(double value) {
  return shortest(std::floor(value * 100 + 0.5) / 100);
}

// The worst first, and how many more there are.
void list(const LintContext& c, std::vector<std::pair<double, Finding>> found, Findings& out) {
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::size_t i = 0; i < std::min(found.size(), most_listed); ++i)
    out.push_back(std::move(found[i].second));
  if (found.size() > most_listed)
    out.push_back({{},
                   {},
                   c.map.cluster(),
                   std::to_string(found.size() - most_listed) + " more nodes are so by less",
                   "see `arcwise status --all`"});
}

void list_names(const std::vector<std::string>& names, std::string what, std::string advice, Findings& out) {
  if (names.empty()) return;
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 5); ++i) text += (i ? ", " : "") + names[i];
  if (names.size() > 5) text += " and " + std::to_string(names.size() - 5) + " more";
  out.push_back({{}, {}, names.front(), what + text, std::move(advice)});
}

}  // namespace

void lint_capacity_over(const LintContext& c, Findings& out) {
  if (!c.options.capacities) return;
  const std::vector<double> capacity = capacities(c);
  const Ownership owned = ownership(c.placement);
  std::vector<double> held;
  for (const NodeOwnership& node : owned.nodes) held.push_back(node.effective.value());
  const Parts parts{c, capacity};
  const auto can = parts.of(capacity), does = parts.of(held);
  std::vector<std::pair<double, Finding>> found;
  for (NodeIndex n = 0; n < held.size(); ++n) {
    if (!parts.counts(n) || does[n] <= can[n] * c.options.capacity_over) continue;
    const double ratio = does[n] / can[n];
    found.emplace_back(
        ratio, Finding{{},
                       {},
                       c.map.nodes()[n].name,
                       c.map.nodes()[n].name + " holds " + percent(does[n]) + " of all copies and has " +
                           percent(can[n]) + " of the declared capacity: it fills " + rounded(ratio) +
                           " times as fast as the whole, more than " + shortest(c.options.capacity_over),
                       "take load off it before the others are half full: give it a smaller weight, "
                       "fewer tokens or partitions, or a larger machine"});
  }
  list(c, std::move(found), out);
}

void lint_capacity_drift(const LintContext& c, Findings& out) {
  if (!c.options.capacities) return;
  const std::vector<double> capacity = capacities(c);
  const Measure has = measure(c);
  const Parts parts{c, capacity};
  const std::vector<double> asked = parts.asked_for(has.amount);
  std::vector<std::pair<double, Finding>> found;
  for (NodeIndex n = 0; n < asked.size(); ++n) {
    const double amount = has.amount[n], wanted = asked[n];
    if (!parts.counts(n) || amount == 0 || wanted == 0) continue;
    if (std::abs(amount / wanted - 1) < tolerated) continue;
    if (!has.noun.empty() && std::abs(amount - wanted) <= 0.5) continue;
    const std::string& name = c.map.nodes()[n].name;
    found.emplace_back(std::max(amount / wanted, wanted / amount),
                       Finding{{},
                               {},
                               name,
                               name + " has " +
                                   (has.noun.empty() ? "weight " + shortest(amount)
                                                     : counted(static_cast<std::size_t>(amount), has.noun)) +
                                   ", and its declared capacity asks for " + rounded(wanted) +
                                   ", as the median node stands: " + rounded(amount / wanted) + " times",
                               std::string(has.advice)});
  }
  list(c, std::move(found), out);
}

void lint_capacity_missing(const LintContext& c, Findings& out) {
  if (!c.options.capacities) return;
  const std::vector<double> capacity = capacities(c);
  std::vector<std::string> names;
  for (NodeIndex n = 0; n < capacity.size(); ++n)
    if (capacity[n] == 0 && owning(c.map.nodes()[n])) names.push_back(c.map.nodes()[n].name);
  list_names(names, counted(names.size(), "node") + " without a declared capacity: ",
             "declare it: the others are compared without it", out);
}

void lint_capacity_unknown(const LintContext& c, Findings& out) {
  if (!c.options.capacities) return;
  std::vector<std::string> names;
  for (const DeclaredCapacity& declared : *c.options.capacities)
    if (find_node(c.map, declared.node) == no_node) names.push_back(declared.node);
  list_names(names, counted(names.size(), "declared node") + " that the map does not have: ",
             "correct the name, or take the line out", out);
}

}  // namespace arcwise
