// The points of a ring in order.
#pragma once

#include <vector>

#include "place/methods.hpp"

namespace arcwise {

/// Tokens ascending, points at one token by the recipe's tie rule, and whose they are. Word: 64 bits, or 128
/// for wider rings.
template <class Word>
struct RingOrder {
  std::vector<Word> tokens;
  std::vector<NodeIndex> nodes;
};

/// Cost: linear where tokens are spread about evenly.
template <class Word>
RingOrder<Word> ring_order(const ClusterMap& map, const Method& method);

/// The same as points.
std::vector<RingPoint> ring_points(const ClusterMap& map, const Method& method);

}  // namespace arcwise
