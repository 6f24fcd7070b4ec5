// Domains, limits and shares of an assignment problem.
#include "study/assign_problem.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <tuple>

namespace arcwise {
namespace {

constexpr std::uint32_t most_partitions = 1U << 22;
constexpr std::size_t most_nodes = 1U << 16;

Error fault(std::string what, std::string why, std::string advice) {
  return {ErrorKind::input, {}, std::move(what), std::move(why), std::move(advice)};
}

std::optional<Error> check_sizes(const AssignRequest& r) {
  if (r.partitions == 0 || r.partitions > most_partitions)
    return fault(std::to_string(r.partitions), "there can be from 1 to 4,194,304 partitions",
                 "a few dozen a node are usual");
  if (r.replicas == 0 || r.replicas > max_replicas)
    return fault(std::to_string(r.replicas), "a partition can have from 1 to 64 copies", "3 are usual");
  if (r.nodes.size() > most_nodes)
    return fault(std::to_string(r.nodes.size()), "there are more than 65,536 nodes", "assign them in groups");
  for (const AssignNode& n : r.nodes)
    if (!std::isfinite(n.weight) || n.weight < 0)
      return fault(n.name, "its weight is not a number from 0 on",
                   "weights are relative, such as capacities");
  return std::nullopt;
}

std::optional<Error> check_previous(const AssignRequest& r) {
  if (r.previous.empty()) return std::nullopt;
  if (r.previous.size() != r.partitions) return other_part_count(r.previous.size(), r.partitions);
  for (const auto& row : r.previous)
    for (NodeIndex n : row)
      if (n != no_node && n >= r.nodes.size())
        return fault(std::to_string(n), "a partition lies on a node that is not listed", "list it, draining");
  return std::nullopt;
}

std::optional<Error> check_rules(const AssignRequest& r) {
  for (const auto* rules : {&r.pins, &r.exclusions})
    for (const auto& [p, n] : *rules)
      if (p >= r.partitions || n >= r.nodes.size())
        return fault(std::to_string(p), "a pin or exclusion names a partition or node that there is not",
                     "partitions count from 0");
  for (const auto& [p, n] : r.pins)
    if (r.nodes[n].draining || r.nodes[n].weight == 0)
      return fault(r.nodes[n].name,
                   "partition " + std::to_string(p) + " is pinned to this node, which holds nothing",
                   "lift the pin, or do not drain the node");
  return std::nullopt;
}

using DomainName = std::tuple<std::string, std::string, std::string>;

DomainName domain_name(const AssignNode& n, std::size_t index, Across level) {
  if (level == Across::zone) return {n.zone, "", ""};
  if (level == Across::rack) return {n.zone, n.rack, ""};
  return {n.zone, n.rack, n.host.empty() ? "\n" + std::to_string(index) : n.host};
}

void find_domains(AssignProblem& out, const AssignRequest& r) {
  std::vector<Across> levels;
  for (Across level : {Across::zone, Across::rack, Across::host})
    if (level == r.spread || !levels.empty()) levels.push_back(level);
  out.levels = static_cast<std::uint32_t>(std::max<std::size_t>(levels.size(), 1));
  out.domain_of.resize(r.nodes.size() * out.levels);
  for (std::uint32_t l = 0; l < out.levels; ++l) {
    std::map<DomainName, std::uint32_t> ids;
    for (std::size_t n = 0; n < r.nodes.size(); ++n) {
      const DomainName name = levels.empty() ? DomainName() : domain_name(r.nodes[n], n, levels[l]);
      const auto [at, fresh] = ids.emplace(name, out.domains);
      if (fresh) {
        out.parent.push_back(l ? out.domain_of[n * out.levels + l - 1] : out.domains);
        ++out.domains;
      }
      out.domain_of[n * out.levels + l] = at->second;
    }
    if (l == 0) out.tops = out.domains;
  }
  out.nodes_of.resize(out.tops);
  for (NodeIndex n = 0; n < r.nodes.size(); ++n) {
    out.usable.push_back(!r.nodes[n].draining && r.nodes[n].weight > 0);
    if (out.usable[n]) out.nodes_of[out.top(n)].push_back(n);
  }
}

// How many copies each of some domains may take of `copies`, where they have room for these: with 1, 1 and 5
// nodes, five copies lie 1 + 1 + 3, so that the limit is 3.
std::uint32_t even_limit(const std::vector<std::uint32_t>& rooms, std::uint32_t copies) {
  for (std::uint32_t limit = 0;; ++limit) {
    std::uint64_t room = 0;
    for (std::uint32_t r : rooms) room += std::min(r, limit);
    if (room >= copies || limit == copies) return limit;
  }
}

// For the nodes that `may` hold copies, of which some must.
template <class May>
Spread spread_over(const AssignProblem& problem, const std::vector<NodeIndex>& pinned, May may) {
  std::vector<std::uint32_t> room(problem.domains, 0), pins(problem.domains, 0);
  for (NodeIndex n = 0; n < problem.nodes(); ++n)
    for (std::uint32_t l = 0; l < problem.levels; ++l) room[problem.domain(n, l)] += may(n);
  for (NodeIndex n : pinned)
    for (std::uint32_t l = 0; l < problem.levels; ++l) ++pins[problem.domain(n, l)];
  std::map<std::uint32_t, std::vector<std::uint32_t>> children;
  for (std::uint32_t d = 0; d < problem.domains; ++d)
    children[d < problem.tops ? problem.domains : problem.parent[d]].push_back(d);
  Spread out;
  out.most.assign(problem.domains, 0);
  std::uint32_t level_limit = 0;
  for (std::uint32_t d = 0; d <= problem.domains; ++d) {
    // The root, which is numbered last, comes first; then parents before children.
    const std::uint32_t above = d == 0 ? problem.domains : d - 1;
    const auto below = children.find(above);
    if (below == children.end()) continue;
    std::vector<std::uint32_t> rooms;
    for (std::uint32_t c : below->second) rooms.push_back(room[c]);
    const std::uint32_t limit = even_limit(rooms, d == 0 ? problem.replicas : out.most[above]);
    if (d == 0) level_limit = limit;
    for (std::uint32_t c : below->second) out.most[c] = std::max(std::min(limit, room[c]), pins[c]);
  }
  // Where each has room for one copy less than the limit, each gets that: four copies in three racks lie
  // 2 + 1 + 1, not 2 + 2 + 0. Pins that take more leave the others what they can.
  out.least.assign(problem.tops, 0);
  std::uint32_t sum = 0, pinned_beyond = 0;
  for (std::uint32_t t = 0; t < problem.tops; ++t) {
    out.least[t] = std::min(room[t], level_limit ? level_limit - 1 : 0);
    sum += out.least[t];
    pinned_beyond += std::max(pins[t], out.least[t]) - out.least[t];
  }
  if (sum + pinned_beyond > problem.replicas) {
    out.least.assign(problem.tops, 0);
    sum = 0;
  }
  out.has_least = sum > 0;
  out.beyond_least = problem.replicas - sum;
  return out;
}

std::optional<Error> find_rules(AssignProblem& out, const AssignRequest& r) {
  out.has_own.assign(r.partitions, 0);
  for (const auto& [p, n] : r.pins) out.own[p].pinned.push_back(n);
  for (const auto& [p, n] : r.exclusions) out.own[p].excluded.push_back(n);
  for (auto& [p, own] : out.own) {
    out.has_own[p] = 1;
    for (auto* list : {&own.pinned, &own.excluded}) {
      std::sort(list->begin(), list->end());
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
    std::uint64_t room = 0;
    const auto may = [&, number = p](NodeIndex n) { return out.may_hold(number, n) ? 1U : 0U; };
    for (NodeIndex n = 0; n < out.nodes(); ++n) room += may(n);
    const std::string name = "partition " + std::to_string(p);
    for (NodeIndex n : own.pinned)
      if (!may(n))
        return fault(r.nodes[n].name, name + " is both pinned to this node and excluded from it", "lift one");
    if (own.pinned.size() > r.replicas)
      return fault(name, "it is pinned to more nodes than it has copies", "lift pins, or keep more copies");
    if (room < r.replicas)
      return fault(name, "exclusions leave it fewer nodes than it has copies", "lift some of them");
    own.spread = spread_over(out, own.pinned, may);
  }
  return std::nullopt;
}

// Shares of `total` in proportion to weights, within limits: what one cannot take goes to the others. Found
// as the one factor for all weights with which the bounded shares have that sum.
std::vector<double> bounded_shares(double total, const std::vector<double>& weight,
                                   const std::vector<double>& least, const std::vector<double>& most) {
  const std::size_t n = weight.size();
  std::vector<double> edges;  // where a share meets a limit
  for (std::size_t i = 0; i < n; ++i)
    if (weight[i] > 0) {
      edges.push_back(least[i] / weight[i]);
      edges.push_back(most[i] / weight[i]);
    }
  std::sort(edges.begin(), edges.end());
  const auto share = [&](std::size_t i, double factor) {
    return std::min(most[i], std::max(least[i], factor * weight[i]));
  };
  const auto sum = [&](double factor) {
    double out = 0;
    for (std::size_t i = 0; i < n; ++i) out += share(i, factor);
    return out;
  };
  // The last edge at which the sum is still below; beyond it the sum is linear.
  const auto beyond =
      std::partition_point(edges.begin(), edges.end(), [&](double e) { return sum(e) < total; });
  const double from = beyond == edges.begin() ? 0 : *(beyond - 1);
  double fixed = 0, sliding = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const bool slides = weight[i] > 0 && least[i] / weight[i] <= from && from < most[i] / weight[i];
    if (slides)
      sliding += weight[i];
    else
      fixed += share(i, from);
  }
  const double factor = sliding > 0 ? (total - fixed) / sliding : from;
  std::vector<double> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = share(i, factor);
  return out;
}

// From the top down: each level shares out what the one above has.
void find_shares(AssignProblem& out, const AssignRequest& r) {
  const double partitions = out.partitions;
  std::vector<double> weight(out.domains, 0), given(out.domains, 0);
  for (NodeIndex n = 0; n < out.nodes(); ++n)
    for (std::uint32_t l = 0; l < out.levels; ++l)
      if (out.usable[n]) weight[out.domain(n, l)] += r.nodes[n].weight;
  std::vector<double> tops(weight.begin(), weight.begin() + out.tops), least, most;
  for (std::uint32_t t = 0; t < out.tops; ++t) {
    least.push_back(out.spread.least[t] * partitions);
    most.push_back(out.spread.most[t] * partitions);
  }
  const auto first = bounded_shares(out.replicas * partitions, tops, least, most);
  std::copy(first.begin(), first.end(), given.begin());
  std::map<std::uint32_t, std::vector<std::uint32_t>> children, members;
  for (std::uint32_t d = out.tops; d < out.domains; ++d) children[out.parent[d]].push_back(d);
  for (NodeIndex n = 0; n < out.nodes(); ++n)
    if (out.usable[n]) members[out.domain(n, out.levels - 1)].push_back(n);
  out.share.assign(out.nodes(), 0);
  for (std::uint32_t d = 0; d < out.domains; ++d) {
    const auto inner = children.find(d), leaf = members.find(d);
    const bool nodes = leaf != members.end();
    if (!nodes && inner == children.end()) continue;
    const std::vector<std::uint32_t>& parts = nodes ? leaf->second : inner->second;
    std::vector<double> weights, limits;
    for (std::uint32_t i : parts) {
      weights.push_back(nodes ? r.nodes[i].weight : weight[i]);
      limits.push_back(nodes ? partitions : out.spread.most[i] * partitions);
    }
    const auto shares = bounded_shares(given[d], weights, std::vector<double>(parts.size(), 0), limits);
    for (std::size_t i = 0; i < parts.size(); ++i) (nodes ? out.share : given)[parts[i]] = shares[i];
  }
  for (double s : out.share) {
    const double near = std::floor(s + 0.5);
    const bool whole = std::abs(s - near) < 1e-6;  // beyond what doubles lose on the way
    out.low.push_back(static_cast<std::uint32_t>(whole ? near : std::floor(s)));
    out.high.push_back(static_cast<std::uint32_t>(whole ? near : std::ceil(s)));
  }
}

}  // namespace

bool AssignProblem::enters(std::uint32_t p, const std::vector<NodeIndex>& held, NodeIndex gone,
                           std::uint32_t into) const {
  const Spread& limits = spread_of(p);
  std::uint32_t here = 1, beyond = 0;
  for (std::size_t i = 0; i < held.size(); ++i) {
    if (held[i] == gone) continue;
    const std::uint32_t t = top(held[i]);
    here += t == into;
    if (!limits.has_least) continue;
    std::uint32_t rank = 1;
    for (std::size_t j = 0; j < i; ++j) rank += held[j] != gone && top(held[j]) == t;
    beyond += rank > limits.least[t];
  }
  if (here > limits.most[into]) return false;
  return !limits.has_least || beyond + (here > limits.least[into]) <= limits.beyond_least;
}

bool AssignProblem::fits(std::uint32_t p, const std::vector<NodeIndex>& held, NodeIndex gone,
                         NodeIndex node) const {
  if (!may_hold(p, node) || !enters(p, held, gone, top(node))) return false;
  const Spread& limits = spread_of(p);
  for (NodeIndex h : held)
    if (h == node && h != gone) return false;
  for (std::uint32_t l = 1; l < levels; ++l) {
    const std::uint32_t d = domain(node, l);
    std::uint32_t here = 1;
    for (NodeIndex h : held) here += h != gone && domain(h, l) == d;
    if (here > limits.most[d]) return false;
  }
  return true;
}

Error other_part_count(std::uint64_t before, std::uint64_t after) {
  return {ErrorKind::refused,
          {},
          std::to_string(after),
          "the map has " + std::to_string(before) +
              " partitions, and their number is part of how keys find them: another one would give nearly "
              "every key another partition",
          "keep the number; to change it, copy the data into a second cluster that has the new one"};
}

std::int64_t price_of_next(const AssignProblem& problem, NodeIndex n, std::uint64_t copies) {
  const auto c = static_cast<std::int64_t>(copies);
  if (copies < problem.low[n]) return (c - problem.low[n]) * uneven_price;
  return copies < problem.high[n] ? 0 : (c - problem.high[n] + 1) * uneven_price;
}

std::uint64_t beside_target(const AssignProblem& problem, NodeIndex n, std::uint64_t copies) {
  if (copies < problem.low[n]) return problem.low[n] - copies;
  return copies > problem.high[n] ? copies - problem.high[n] : 0;
}

Result<AssignProblem> assign_problem(const AssignRequest& r) {
  if (auto error = check_sizes(r)) return *error;
  if (auto error = check_previous(r)) return *error;
  if (auto error = check_rules(r)) return *error;
  AssignProblem out;
  out.partitions = r.partitions;
  out.replicas = r.replicas;
  find_domains(out, r);
  const auto usable = static_cast<std::uint64_t>(std::count(out.usable.begin(), out.usable.end(), 1));
  if (usable < r.replicas)
    return fault(std::to_string(r.replicas),
                 "copies lie on different nodes, and only " + std::to_string(usable) + " nodes hold any",
                 "add nodes, or keep fewer copies");
  out.spread = spread_over(out, {}, [&](NodeIndex n) { return out.usable[n] ? 1U : 0U; });
  if (auto error = find_rules(out, r)) return *error;
  find_shares(out, r);
  return out;
}

}  // namespace arcwise
