#include "place/ring_points.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

namespace arcwise {
namespace {

std::uint64_t points_expected(const ClusterMap& map) {
  std::uint64_t sum = 0;
  for (const Node& node : map.nodes())
    sum += node.tokens.empty() ? token_count(node.weight, map.placement().tokens) : node.tokens.size();
  return std::min(sum, max_ring_tokens);
}

// In the order in which the method makes them, as its tie rule wants to see them.
template <class Word>
RingOrder<Word> unsorted(const ClusterMap& map, const Method& method) {
  RingOrder<Word> out;
  std::vector<RingPoint> points;
  const auto take = [&] {
    for (const RingPoint& p : points) {
      out.tokens.push_back(static_cast<Word>(p.token.value));
      out.nodes.push_back(p.node);
    }
    points.clear();
  };
  if (method.node_points) {
    out.tokens.reserve(points_expected(map));
    out.nodes.reserve(out.tokens.capacity());
    for (NodeIndex n : owning_nodes(map)) {
      method.node_points(map, n, points);
      take();
    }
  } else {
    method.ring(map, points);
    if (map.placement().recipe->ties == TieRule::by_reverse_order) std::reverse(points.begin(), points.end());
    take();
  }
  return out;
}

// A bucket of points in order; the points of one token keep theirs unless `less` says otherwise.
template <class Word, class Less>
void sort_bucket(RingOrder<Word>& all, std::size_t from, std::size_t upto, Less less) {
  constexpr std::size_t few = 32;
  if (upto - from > few) {
    std::vector<std::pair<Word, NodeIndex>> points;
    for (std::size_t i = from; i < upto; ++i) points.emplace_back(all.tokens[i], all.nodes[i]);
    std::stable_sort(points.begin(), points.end(), [&](const auto& a, const auto& b) {
      return less(a.first, a.second, b.first, b.second);
    });
    for (std::size_t i = from; i < upto; ++i) std::tie(all.tokens[i], all.nodes[i]) = points[i - from];
    return;
  }
  for (std::size_t i = from + 1; i < upto; ++i) {
    const Word token = all.tokens[i];
    const NodeIndex node = all.nodes[i];
    std::size_t k = i;
    for (; k > from && less(token, node, all.tokens[k - 1], all.nodes[k - 1]); --k) {
      all.tokens[k] = all.tokens[k - 1];
      all.nodes[k] = all.nodes[k - 1];
    }
    all.tokens[k] = token;
    all.nodes[k] = node;
  }
}

// Points to their buckets, in their order; `begins` then holds where each bucket ends. `bits` leading bits of
// those below `top` number the buckets.
template <class Word>
void scatter(std::span<const Word> tokens, std::span<const NodeIndex> nodes, unsigned top, unsigned bits,
             std::vector<std::uint32_t>& begins, std::span<Word> to_tokens, std::span<NodeIndex> to_nodes) {
  const std::size_t buckets = std::size_t{1} << bits;
  const auto bucket = [shift = top - bits - 1, mask = buckets - 1](Word token) {
    return static_cast<std::size_t>(token >> 1 >> shift) & mask;  // in two: one may be 64
  };
  begins.assign(buckets + 1, 0);
  for (const Word token : tokens) ++begins[bucket(token) + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::uint32_t at = begins[bucket(tokens[i])]++;
    to_tokens[at] = tokens[i];
    to_nodes[at] = nodes[i];
  }
}

// Tokens stand about evenly, so that their leading bits leave one or two to a bucket. In two steps, because
// so many buckets do not fit the cache: first chunks of about a thousand points, then each of them.
template <class Word, class Less>
RingOrder<Word> sorted(const RingOrder<Word>& points, u128 last, Less less) {
  constexpr std::size_t chunk = 1024;
  const std::size_t count = points.tokens.size();
  unsigned ring_bits = 0, bits = 0;
  for (; last != 0; last >>= 1) ++ring_bits;
  while (bits + 1 < ring_bits && (count >> bits) > chunk) ++bits;

  RingOrder<Word> out{std::vector<Word>(count), std::vector<NodeIndex>(count)};
  std::vector<std::uint32_t> ends, inner;
  scatter<Word>(points.tokens, points.nodes, ring_bits, bits, ends, out.tokens, out.nodes);
  RingOrder<Word> room;
  for (std::size_t c = 0, from = 0; c + 1 < ends.size(); from = ends[c++]) {
    const std::size_t size = ends[c] - from;
    unsigned inner_bits = 0;
    while (bits + inner_bits + 1 < ring_bits && (size >> inner_bits) > 1) ++inner_bits;
    if (size > 8 * chunk || inner_bits == 0) {
      sort_bucket(out, from, ends[c], less);
      continue;
    }
    room.tokens.assign(out.tokens.begin() + std::ptrdiff_t(from),
                       out.tokens.begin() + std::ptrdiff_t(ends[c]));
    room.nodes.assign(out.nodes.begin() + std::ptrdiff_t(from), out.nodes.begin() + std::ptrdiff_t(ends[c]));
    scatter<Word>(room.tokens, room.nodes, ring_bits - bits, inner_bits, inner,
                  std::span(out.tokens).subspan(from, size), std::span(out.nodes).subspan(from, size));
    for (std::size_t b = 0, begin = 0; b + 1 < inner.size(); begin = inner[b++])
      sort_bucket(out, from + begin, from + inner[b], less);
  }
  return out;
}

}  // namespace

template <class Word>
RingOrder<Word> ring_order(const ClusterMap& map, const Method& method) {
  const bool by_name = map.placement().recipe->ties == TieRule::by_name;
  return sorted(unsorted<Word>(map, method), map.space().last,
                [&](Word a, NodeIndex of_a, Word b, NodeIndex of_b) {
                  if (a != b) return a < b;
                  return by_name && of_a != of_b && map.nodes()[of_a].name < map.nodes()[of_b].name;
                });
}
template RingOrder<std::uint64_t> ring_order<std::uint64_t>(const ClusterMap&, const Method&);
template RingOrder<u128> ring_order<u128>(const ClusterMap&, const Method&);

std::vector<RingPoint> ring_points(const ClusterMap& map, const Method& method) {
  const RingOrder<u128> order = ring_order<u128>(map, method);
  std::vector<RingPoint> out(order.tokens.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = {{order.tokens[i]}, order.nodes[i]};
  return out;
}

}  // namespace arcwise
