// Fixed partitions as an assignment problem: failure domains, what each may take, and fair shares.
//
// Layer: study.
#pragma once

#include <algorithm>
#include <map>

#include "arcwise/assign.hpp"

namespace arcwise {

/// What a partition may have in each domain.
struct Spread {
  std::vector<std::uint32_t> most;   ///< by domain
  std::vector<std::uint32_t> least;  ///< by domain of the first level
  std::uint32_t beyond_least = 0;    ///< copies that may exceed `least`, all domains together
  bool has_least = false;
};

/// Of a partition with pins or exclusions.
struct OwnRules {
  std::vector<NodeIndex> pinned, excluded;  ///< ascending
  Spread spread;
};

/// Domains form a tree of `levels` levels above the nodes: those of AssignRequest::spread, then those below
/// it down to hosts; with Across::node one domain that holds everything. They are numbered level by level.
struct AssignProblem {
  std::uint32_t partitions = 0, replicas = 0, levels = 1, tops = 0, domains = 0;
  std::vector<std::uint32_t> domain_of;          ///< [node * levels + level]
  std::vector<std::uint32_t> parent;             ///< by domain; of the first level: itself
  std::vector<char> usable;                      ///< by node
  std::vector<std::vector<NodeIndex>> nodes_of;  ///< by domain of the first level: usable nodes
  Spread spread;
  std::map<std::uint32_t, OwnRules> own;
  std::vector<char> has_own;             ///< by partition
  std::vector<double> share;             ///< fair, by node
  std::vector<std::uint32_t> low, high;  ///< share rounded down and up

  std::size_t nodes() const { return usable.size(); }
  std::uint32_t domain(NodeIndex n, std::uint32_t level) const { return domain_of[n * levels + level]; }
  std::uint32_t top(NodeIndex n) const { return domain_of[n * levels]; }
  const Spread& spread_of(std::uint32_t p) const { return has_own[p] ? own.at(p).spread : spread; }
  bool pinned(std::uint32_t p, NodeIndex n) const { return has_own[p] && holds(own.at(p).pinned, n); }
  bool may_hold(std::uint32_t p, NodeIndex n) const {
    return usable[n] && !(has_own[p] && holds(own.at(p).excluded, n));
  }
  static bool holds(const std::vector<NodeIndex>& sorted, NodeIndex n) {
    return std::binary_search(sorted.begin(), sorted.end(), n);
  }

  /// Whether a partition's copies on `held` without `gone` (no_node: with all) may be joined by one in this
  /// domain of the first level, as far as this level knows.
  bool enters(std::uint32_t p, const std::vector<NodeIndex>& held, NodeIndex gone, std::uint32_t top) const;
  /// … by one on this node. Sets that pass, one node after another in any order, form a matroid: the laminar
  /// one of the domains, truncated.
  bool fits(std::uint32_t p, const std::vector<NodeIndex>& held, NodeIndex gone, NodeIndex node) const;
};

/// Why partitions stay as many as they are.
Error other_part_count(std::uint64_t before, std::uint64_t after);

Result<AssignProblem> assign_problem(const AssignRequest& request);

using Owners = std::vector<std::vector<NodeIndex>>;  ///< by partition

/// The cheapest assignment that keeps to targets as nearly as pins and exclusions allow. A copy costs 1 where
/// `previous` does not have it.
struct AssignSolution {
  Owners owners;
  /// Prices of the dual problem: what a copy on this node costs beyond moving it there.
  std::vector<std::int64_t> price;
};
AssignSolution solve_assignment(const AssignProblem& problem, const Owners& previous);

/// Every assignment as near the targets as `copies` moves at least this many copies, whatever the prices are.
std::uint64_t least_moved(const AssignProblem& problem, const Owners& previous,
                          const std::vector<std::int64_t>& price, const std::vector<std::uint64_t>& copies);

/// An assignment from nothing, near the targets.
Owners first_assignment(const AssignProblem& problem);

/// The price of one copy beside the rounded target, in moved copies: the k-th costs k times as much.
inline constexpr std::int64_t uneven_price = std::int64_t{1} << 18;
std::int64_t price_of_next(const AssignProblem& problem, NodeIndex n, std::uint64_t copies);
std::uint64_t beside_target(const AssignProblem& problem, NodeIndex n, std::uint64_t copies);

}  // namespace arcwise
