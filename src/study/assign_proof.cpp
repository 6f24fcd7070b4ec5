// How few copies any assignment moves: weak duality, computed from prices alone.
//
// For any prices of a copy on each node, an assignment costs at least what it would if partitions paid the
// prices and each chose its cheapest nodes by itself, less what nodes would earn at most with the number of
// copies that suits them best. Neither part asks how the assignment was found.
#include <algorithm>

#include "study/assign_problem.hpp"

namespace arcwise {
namespace {

__extension__ typedef __int128 Wide;

// The cheapest set a partition may have: domains make a matroid, in which taking the cheapest that fits,
// again and again, is best.
Wide cheapest_set(const AssignProblem& problem, std::uint32_t p, const std::vector<NodeIndex>& previous,
                  const std::vector<std::int64_t>& price, const std::vector<NodeIndex>& by_price) {
  const auto stays = [&](NodeIndex n) {
    return std::find(previous.begin(), previous.end(), n) != previous.end();
  };
  std::vector<NodeIndex> row, old;
  Wide sum = 0;
  if (problem.has_own[p]) row = problem.own.at(p).pinned;
  for (NodeIndex n : row) sum += price[n] + (stays(n) ? 0 : 1);
  for (NodeIndex n : previous)
    if (n != no_node && std::find(old.begin(), old.end(), n) == old.end()) old.push_back(n);
  std::sort(old.begin(), old.end(), [&](NodeIndex a, NodeIndex b) { return price[a] < price[b]; });
  auto from_old = old.begin();
  auto from_new = by_price.begin();
  while (row.size() < problem.replicas) {
    while (from_new != by_price.end() && stays(*from_new)) ++from_new;
    if (from_old == old.end() && from_new == by_price.end()) break;
    const bool use_old =
        from_new == by_price.end() || (from_old != old.end() && price[*from_old] <= price[*from_new] + 1);
    const NodeIndex n = use_old ? *from_old++ : *from_new++;
    if (!problem.fits(p, row, no_node, n)) continue;
    row.push_back(n);
    sum += price[n] + (use_old ? 0 : 1);
  }
  return sum;
}

Wide uneven_cost(std::uint64_t beside) {
  return Wide{uneven_price} * static_cast<Wide>(beside) * static_cast<Wide>(beside + 1) / 2;
}

// The least of uneven cost less price × copies, over all numbers of copies.
Wide least_of_node(const AssignProblem& problem, NodeIndex n, std::int64_t price) {
  if (!problem.usable[n]) return 0;
  const std::int64_t beyond = price / uneven_price;
  std::int64_t copies = price > 0 ? problem.high[n] + beyond : problem.low[n] + beyond;
  copies = std::clamp<std::int64_t>(copies, 0, problem.partitions);
  return uneven_cost(beside_target(problem, n, static_cast<std::uint64_t>(copies))) - Wide{price} * copies;
}

}  // namespace

std::uint64_t least_moved(const AssignProblem& problem, const Owners& previous,
                          const std::vector<std::int64_t>& price, const std::vector<std::uint64_t>& copies) {
  std::vector<NodeIndex> by_price;
  for (NodeIndex n = 0; n < problem.nodes(); ++n)
    if (problem.usable[n]) by_price.push_back(n);
  std::sort(by_price.begin(), by_price.end(),
            [&](NodeIndex a, NodeIndex b) { return price[a] != price[b] ? price[a] < price[b] : a < b; });
  Wide bound = 0;
  for (std::uint32_t p = 0; p < problem.partitions; ++p)
    bound += cheapest_set(problem, p, previous[p], price, by_price);
  for (NodeIndex n = 0; n < problem.nodes(); ++n) {
    bound += least_of_node(problem, n, price[n]);
    bound -= uneven_cost(beside_target(problem, n, copies[n]));
  }
  return bound > 0 ? static_cast<std::uint64_t>(bound) : 0;
}

}  // namespace arcwise
