#include "study/risk_count.hpp"

#include <algorithm>
#include <bit>

namespace arcwise {
namespace {

// Shares are rounded to 2^-53, so arcs that are equal in theory, a hundredth each, differ by a unit. Losses
// closer than this are one loss.
constexpr Share rounding{std::int64_t{1} << 13};

// Collects values that repeat a lot; holds at most about twice the distinct ones.
template <class T>
class Distinct {
 public:
  void add(const T& value) {
    values_.push_back(value);
    if (values_.size() < limit_) return;
    tidy();
    limit_ = std::max(limit_, 2 * values_.size());
  }
  std::vector<T> take() {
    tidy();
    return std::move(values_);
  }

 private:
  void tidy() {
    std::sort(values_.begin(), values_.end());
    values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
  }
  std::vector<T> values_;
  std::size_t limit_ = std::size_t{1} << 20;
};

double at_least(std::uint64_t nodes, std::uint32_t owners, std::uint32_t down, std::uint32_t breaks) {
  double ways = 0;
  for (std::uint32_t hit = breaks; hit <= std::min(down, owners); ++hit)
    ways += choose(owners, hit) * choose(nodes - owners, down - hit);
  return ways / choose(nodes, down);
}

// Triangles a < b < c: c is a later neighbour of both ends of the edge (a, b). Only nodes with an edge get a
// row.
double triangles(const std::vector<NodePair>& edges) {
  std::vector<NodeIndex> ends;
  for (const auto& [a, b] : edges) ends.insert(ends.end(), {a, b});
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  const auto rank = [&](NodeIndex n) {
    return static_cast<std::size_t>(std::lower_bound(ends.begin(), ends.end(), n) - ends.begin());
  };
  const std::size_t words = (ends.size() + 63) / 64;
  std::vector<std::uint64_t> later(ends.size() * words);
  std::vector<std::pair<std::size_t, std::size_t>> ranked;
  for (const auto& edge : edges) ranked.emplace_back(rank(edge.first), rank(edge.second));
  for (const auto& [a, b] : ranked) later[a * words + b / 64] |= std::uint64_t{1} << (b % 64);
  std::uint64_t found = 0;
  for (const auto& [a, b] : ranked)
    for (std::size_t w = b / 64; w < words; ++w)
      found += static_cast<std::uint64_t>(std::popcount(later[a * words + w] & later[b * words + w]));
  return static_cast<double>(found);
}

}  // namespace

double choose(std::uint64_t n, std::uint32_t k) {
  double ways = 1;
  for (std::uint32_t i = 0; i < k; ++i) ways = n < i ? 0 : ways * static_cast<double>(n - i) / (i + 1);
  return ways;
}

double expected_broken(const ReplicaSets& sets, const Breaks& breaks, std::uint32_t down) {
  // Shares are added up before they meet a fraction, so that equal sets give an exact answer: 1 × 3/4950.
  std::array<Share, max_replicas + 1> by_size{};
  for (const auto& set : sets.sets) by_size[set.size] += set.share;
  double expected = 0;
  for (std::uint32_t size = 0; size < by_size.size(); ++size)
    if (by_size[size].units)
      expected += by_size[size].value() * at_least(sets.nodes.size(), size, down, breaks[size]);
  return expected;
}

std::vector<NodePair> co_owners(const ReplicaSets& sets) {
  Distinct<NodePair> pairs;
  for (const auto& set : sets.sets) {
    const auto owners = sets.owners(set);
    for (std::size_t i = 0; i < owners.size(); ++i)
      for (std::size_t j = i + 1; j < owners.size(); ++j) pairs.add({owners[i], owners[j]});
  }
  return pairs.take();
}

Breakers::Breakers(const ReplicaSets& sets, const Breaks& breaks)
    : nodes_(sets.nodes.size()), index_end_(sets.nodes.empty() ? 0 : sets.nodes.back() + std::size_t{1}) {
  std::vector<bool> single(index_end_);
  for (const auto& set : sets.sets) {
    always_ |= breaks[set.size] == 0;
    if (breaks[set.size] == 1)
      for (NodeIndex n : sets.owners(set)) single[n] = true;
  }
  single_ = static_cast<std::uint64_t>(std::count(single.begin(), single.end(), true));

  Distinct<NodePair> pairs;
  for (const auto& set : sets.sets) {
    if (breaks[set.size] != 2) continue;
    const auto o = sets.owners(set);
    for (std::size_t i = 0; i < o.size(); ++i)
      for (std::size_t j = i + 1; j < o.size(); ++j)
        if (!single[o[i]] && !single[o[j]]) pairs.add({o[i], o[j]});
  }
  pairs_ = pairs.take();
  if (nodes_ > max_counted_nodes) return;

  const auto broken = [&](NodeIndex a, NodeIndex b) {
    return std::binary_search(pairs_.begin(), pairs_.end(), NodePair{a, b});
  };
  Distinct<std::array<NodeIndex, 3>> triples;
  for (const auto& set : sets.sets) {
    if (breaks[set.size] != 3) continue;
    const auto o = sets.owners(set);
    for (std::size_t i = 0; i < o.size(); ++i)
      for (std::size_t j = i + 1; j < o.size(); ++j) {
        if (single[o[i]] || single[o[j]] || broken(o[i], o[j])) continue;
        for (std::size_t k = j + 1; k < o.size(); ++k)
          if (!single[o[k]] && !broken(o[i], o[k]) && !broken(o[j], o[k])) triples.add({o[i], o[j], o[k]});
      }
  }
  triples_ = triples.take();
}

// Triples of the m nodes that are no breakers by themselves, minus those with a breaking pair, minus breaking
// triples. Each pair is in m - 2 triples; a triple with two breaking pairs (they meet in one node) is then
// taken off twice and given back once, one with three is taken off 3 times, given back 3 times, and taken off
// again: a triangle.
double Breakers::surviving_triples() const {
  const std::uint64_t m = nodes_ - single_;
  std::vector<std::uint64_t> degree(index_end_);
  for (const auto& [a, b] : pairs_) ++degree[a], ++degree[b];
  double meeting = 0;
  for (std::uint64_t d : degree) meeting += choose(d, 2);
  const double through_pairs =
      pairs_.empty() ? 0 : static_cast<double>(pairs_.size()) * static_cast<double>(m - 2);
  return choose(m, 3) - through_pairs + meeting - triangles(pairs_) - static_cast<double>(triples_.size());
}

double Breakers::any_broken(std::uint32_t down) const {
  if (always_) return 1;
  const std::uint64_t m = nodes_ - single_;
  const double all = choose(nodes_, down);
  double surviving = choose(m, down);
  if (down == 2) surviving -= static_cast<double>(pairs_.size());
  if (down == 3) surviving = surviving_triples();
  return (all - surviving) / all;
}

PairLosses pair_losses(const ReplicaSets& sets, const Breaks& breaks, const ClusterMap& map) {
  std::vector<NodeIndex> by_name = sets.nodes;
  std::sort(by_name.begin(), by_name.end(),
            [&](NodeIndex a, NodeIndex b) { return map.nodes()[a].name < map.nodes()[b].name; });
  std::vector<NodeIndex> rank(map.nodes().size());
  for (std::size_t i = 0; i < by_name.size(); ++i) rank[by_name[i]] = static_cast<NodeIndex>(i);

  // A pair loses what is broken anyway, what each of the two breaks alone, and what only both break. A set
  // that one failure breaks counts for both of its members: where the two share it, it is taken off once.
  Share always;
  std::vector<Share> alone(by_name.size());
  std::vector<std::pair<NodePair, Share>> together;
  for (const auto& set : sets.sets) {
    const std::uint32_t failures = breaks[set.size];
    if (failures == 0) always += set.share;
    if (failures != 1 && failures != 2) continue;
    const auto owners = sets.owners(set);
    for (std::size_t i = 0; i < owners.size(); ++i) {
      if (failures == 1) alone[rank[owners[i]]] += set.share;
      for (std::size_t j = i + 1; j < owners.size(); ++j)
        together.push_back(
            {std::minmax(rank[owners[i]], rank[owners[j]]), failures == 1 ? Share{} - set.share : set.share});
    }
  }
  std::sort(together.begin(), together.end(), [](const auto& x, const auto& y) { return x.first < y.first; });

  PairLosses out;
  std::vector<Share> losses;
  losses.reserve(by_name.size() * (by_name.size() - 1) / 2);
  auto next = together.begin();
  for (NodeIndex a = 0; a < by_name.size(); ++a)
    for (NodeIndex b = a + 1; b < by_name.size(); ++b) {
      Share loss = always + alone[a] + alone[b];
      for (; next != together.end() && next->first == NodePair{a, b}; ++next) loss += next->second;
      losses.push_back(loss);
      if (out.worst.first == no_node || out.worst_share + rounding < loss) {
        out.worst = {by_name[a], by_name[b]};
        out.worst_share = loss;
      }
    }
  std::sort(losses.begin(), losses.end(), [](Share x, Share y) { return y < x; });
  for (Share loss : losses) {
    if (out.losses.empty() || loss + rounding < out.losses.back().share) out.losses.push_back({loss, 0});
    ++out.losses.back().pairs;
  }
  return out;
}

}  // namespace arcwise
