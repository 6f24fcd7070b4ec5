// What the tests of a plan's steps share.
#pragma once

#include <algorithm>
#include <stdexcept>

#include "arcwise/steps.hpp"
#include "model/build.hpp"
#include "study/testing_maps.hpp"

namespace arcwise::testing {

inline NewNode named(std::string name) {
  NewNode n;
  n.name = std::move(name);
  return n;
}

inline ClusterMap applied(const ClusterMap& before, const Change& change) {
  std::vector<Finding> told;
  const auto after = apply(before, change, told);
  if (!after) throw std::runtime_error(to_string(after.error()));
  return *after;
}

inline StepPlan steps_of(const ClusterMap& before, const Change& change, const StepOptions& options = {},
                         const CostOptions& cost = {}) {
  return plan_steps(before, applied(before, change), change, cost, options, 1);
}

inline Share moved_at_once(const StepPlan& plan) {
  return diff(compile(plan.maps.front()), compile(plan.maps.back()), 1).moved;
}

inline const StepLoad& load(const Step& step, const std::string& name) {
  const auto at =
      std::find_if(step.nodes.begin(), step.nodes.end(), [&](const StepLoad& l) { return l.name == name; });
  if (at == step.nodes.end()) throw std::runtime_error("no load of " + name);
  return *at;
}

inline const Finding* finding(const std::vector<Finding>& findings, std::string_view rule) {
  const auto at =
      std::find_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.rule == rule; });
  return at == findings.end() ? nullptr : &*at;
}

/// As many equal parts as there are rows, each with its owners.
inline ClusterMap partitions(std::vector<Node> nodes, const std::vector<std::vector<NodeIndex>>& rows,
                             Across across = Across::node) {
  auto p = parts("partitions", std::move(nodes), static_cast<std::uint32_t>(rows[0].size()), across);
  for (std::size_t i = 0; i < rows.size(); ++i)
    p.placement.table.push_back({part_end(TokenSpace{}, rows.size(), i), rows[i]});
  return map_of(std::move(p));
}

/// Joins n10 to ten equal arcs with one token inside each: it takes 1/110 of the circle from every node.
inline Change eleventh() {
  Change change;
  change.add = {named("n10")};
  for (unsigned i = 0; i < 10; ++i)
    change.add[0].tokens.push_back(
        to_hex(TokenSpace{}, {(u128{1} << 64) * i / 10 + (u128{1} << 64) / 110 - 1}));
  return change;
}

}  // namespace arcwise::testing
