#include "place/ring_points.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <tuple>

namespace arcwise {
namespace {

std::uint64_t points_expected(const ClusterMap& map) {
  std::uint64_t sum = 0;
  for (const Node& node : map.nodes())
    sum += node.tokens.empty() ? token_count(node.weight, map.placement().tokens) : node.tokens.size();
  return std::min(sum, max_ring_tokens);
}

template <class Word>
struct Packed {
  Word token;
  NodeIndex node;
};

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

// Buckets by `bits` leading bits of those below `top`.
template <class Word>
class Buckets {
 public:
  Buckets(unsigned top, unsigned bits) : shift_(top - bits - 1), mask_((std::size_t{1} << bits) - 1) {}
  std::size_t count() const { return mask_ + 1; }
  std::size_t of(Word token) const {
    return static_cast<std::size_t>(token >> 1 >> shift_) & mask_;
  }  // in two: one may be 64
  /// begins[b]: where bucket b begins; one more than there are.
  template <class Points, class TokenOf>
  void begin(const Points& points, TokenOf token_of, std::vector<std::uint32_t>& begins) const {
    begins.assign(count() + 1, 0);
    for (const auto& p : points) ++begins[of(token_of(p)) + 1];
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
  }

 private:
  unsigned shift_;
  std::size_t mask_;
};

// Points of one chunk into their final order. Leading bits leave one or none to most buckets, which one pass
// of insertions then puts right; where they do not, because tokens stand in a heap, a general sort takes
// over.
template <class Word, class Less>
void sort_chunk(std::span<Packed<Word>> chunk, unsigned top, std::vector<std::uint32_t>& begins, Less less,
                Word* tokens, NodeIndex* nodes) {
  constexpr std::uint32_t few = 32;
  unsigned bits = 0;
  while (bits + 1 < top && (chunk.size() >> bits) > 0) ++bits;
  const Buckets<Word> buckets(top, bits);
  buckets.begin(chunk, [](const Packed<Word>& p) { return p.token; }, begins);
  bool heap = false;
  for (std::size_t b = 0; b < buckets.count(); ++b) heap |= begins[b + 1] - begins[b] > few;
  if (heap) {
    std::stable_sort(chunk.begin(), chunk.end(), [&](const Packed<Word>& a, const Packed<Word>& b) {
      return less(a.token, a.node, b.token, b.node);
    });
    for (std::size_t i = 0; i < chunk.size(); ++i)
      std::tie(tokens[i], nodes[i]) = std::tie(chunk[i].token, chunk[i].node);
    return;
  }
  for (const Packed<Word>& p : chunk) {
    const std::uint32_t at = begins[buckets.of(p.token)]++;
    tokens[at] = p.token;
    nodes[at] = p.node;
  }
  for (std::size_t i = 1; i < chunk.size(); ++i) {
    if (!less(tokens[i], nodes[i], tokens[i - 1], nodes[i - 1])) continue;
    const Word token = tokens[i];
    const NodeIndex node = nodes[i];
    std::size_t k = i;
    for (; k > 0 && less(token, node, tokens[k - 1], nodes[k - 1]); --k) {
      tokens[k] = tokens[k - 1];
      nodes[k] = nodes[k - 1];
    }
    tokens[k] = token;
    nodes[k] = node;
  }
}

// Tokens stand about evenly, so that their leading bits nearly say their place: a quarter of the time of a
// general sort. In two steps, for the cache: first chunks of about a thousand points, then each of them.
template <class Word, class Less>
RingOrder<Word> sorted(const RingOrder<Word>& points, u128 last, Less less) {
  constexpr std::size_t chunk = 1024;
  const std::size_t count = points.tokens.size();
  unsigned top = 0, bits = 0;
  for (; last != 0; last >>= 1) ++top;
  while (bits + 1 < top && (count >> bits) > chunk) ++bits;
  const Buckets<Word> chunks(top, bits);
  std::vector<std::uint32_t> ends, inner;
  chunks.begin(points.tokens, [](Word token) { return token; }, ends);
  RingOrder<Word> out{std::vector<Word>(count), std::vector<NodeIndex>(count)};
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t at = ends[chunks.of(points.tokens[i])]++;
    out.tokens[at] = points.tokens[i];
    out.nodes[at] = points.nodes[i];
  }
  // Each begin has moved to its chunk's end.
  std::vector<Packed<Word>> room;
  for (std::size_t c = 0, from = 0; c < chunks.count(); from = ends[c++]) {
    room.clear();
    for (std::size_t i = from; i < ends[c]; ++i) room.push_back({out.tokens[i], out.nodes[i]});
    sort_chunk<Word>(room, top - bits, inner, less, &out.tokens[from], &out.nodes[from]);
  }
  return out;
}

}  // namespace

template <class Word>
RingOrder<Word> ring_order(const ClusterMap& map, const Method& method) {
  const bool by_name = map.placement().recipe->ties == TieRule::by_name;
  const RingOrder<Word> points = unsorted<Word>(map, method);
  if (points.tokens.empty()) return {};
  return sorted<Word>(points, map.space().last, [&](Word a, NodeIndex of_a, Word b, NodeIndex of_b) {
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
