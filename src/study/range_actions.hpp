// From pieces before and after to the actions that make the one of the other.
//
// Layer: study.
#pragma once

#include <vector>

#include "study/range_search.hpp"

namespace arcwise {

/// Pieces of one range that were cut and stayed together are whole again, as far as the limits allow.
std::vector<Piece> rejoined(const std::vector<Piece>& pieces, const BalanceLimits& limits);

/// Splits, then leads and moves. Copies take the places of those that go, so that `owners` may change their
/// order behind the first.
std::vector<RangeAction> changes(const ClusterMap& map, std::vector<Piece>& pieces);

/// Moves and leads in an order in which no node on the way becomes hotter than `limit` or the hottest was, as
/// far as there is one; splits stay first, and what happens to one range stays in order.
std::vector<RangeAction> relieving_order(std::vector<RangeAction> actions, std::vector<Load> loads,
                                         const FairShares& shares, double limit);

/// Joins cold and small neighbours with the same owners, and says so. `cold`: requests that both may have.
std::vector<Piece> merged(const ClusterMap& map, const std::vector<Piece>& pieces,
                          const BalanceLimits& limits, double cold, std::vector<RangeAction>& actions);

}  // namespace arcwise
