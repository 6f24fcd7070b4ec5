// Partitions to nodes: the answer around the optimum.
#include "arcwise/assign.hpp"

#include <algorithm>

#include "study/assign_problem.hpp"

namespace arcwise {
namespace {

bool holds(const std::vector<NodeIndex>& row, NodeIndex n) {
  return std::find(row.begin(), row.end(), n) != row.end();
}

// Copies that stay keep their places; new ones take those that are left, in order.
std::vector<NodeIndex> in_old_places(const std::vector<NodeIndex>& row,
                                     const std::vector<NodeIndex>& before) {
  std::vector<NodeIndex> out(row.size(), no_node), fresh;
  for (NodeIndex n : row) {
    const auto place = static_cast<std::size_t>(std::find(before.begin(), before.end(), n) - before.begin());
    if (place < row.size() && place < before.size())
      out[place] = n;
    else
      fresh.push_back(n);
  }
  auto next = fresh.begin();
  for (NodeIndex& n : out)
    if (n == no_node) n = *next++;
  return out;
}

std::uint64_t beyond_spread(const AssignProblem& problem, const std::vector<NodeIndex>& row) {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    bool beyond = false;
    for (std::uint32_t l = 0; l < problem.levels; ++l) {
      std::uint32_t rank = 1;
      for (std::size_t j = 0; j < i; ++j) rank += problem.domain(row[j], l) == problem.domain(row[i], l);
      beyond |= rank > problem.spread.most[problem.domain(row[i], l)];
    }
    out += beyond;
  }
  return out;
}

}  // namespace

Result<Assignment> assign(const AssignRequest& request) {
  const auto problem = assign_problem(request);
  if (!problem) return problem.error();
  const bool first = request.previous.empty();
  const Owners previous = first ? first_assignment(*problem) : request.previous;
  AssignSolution solution = solve_assignment(*problem, previous);

  Assignment out;
  out.nodes.resize(request.nodes.size());
  std::vector<std::uint64_t> copies(request.nodes.size(), 0);
  for (std::uint32_t p = 0; p < request.partitions; ++p) {
    const auto& before = previous[p];
    auto row = first ? std::move(solution.owners[p]) : in_old_places(solution.owners[p], before);
    for (NodeIndex n : row) {
      ++copies[n];
      const bool gained = first || !holds(before, n);
      out.moved += gained;
      out.nodes[n].gained += gained;
    }
    if (!first)
      for (NodeIndex n : before)
        if (n != no_node) out.nodes[n].given += !holds(row, n);
    out.crowded += beyond_spread(*problem, row);
    out.owners.push_back(std::move(row));
  }
  for (NodeIndex n = 0; n < request.nodes.size(); ++n) {
    out.nodes[n].target = problem->share[n];
    out.nodes[n].copies = copies[n];
    out.uneven += beside_target(*problem, n, copies[n]);
  }
  out.least = first ? out.moved : least_moved(*problem, previous, solution.price, copies);
  return out;
}

}  // namespace arcwise
