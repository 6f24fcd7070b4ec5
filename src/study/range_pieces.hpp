// The pieces of a table that a balancer moves: where each lies, who holds it, what load is in it, and where
// it can be cut.
//
// Layer: study.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "arcwise/ranges.hpp"

namespace arcwise {

using Resource = double Load::*;
inline constexpr Resource resources[] = {&Load::requests, &Load::bytes};

/// Positions first…last, which never wrap: a range over the top of the circle is two pieces.
struct Piece {
  u128 first = 0, last = 0;
  std::vector<NodeIndex> owners, was;      ///< now, and in the map as it was given
  Load load;                               ///< all of it
  Load even;                               ///< the part that lies evenly over its positions
  std::size_t key_begin = 0, key_end = 0;  ///< the rest, as keys
  bool whole = false;                      ///< cannot be cut
  bool cut_here = false;                   ///< its end is no end of the given table
};

/// Pieces in ring order, one a unit or two.
std::vector<Piece> pieces_of(const ClusterMap& map, const MeasuredLoad& load);

/// Keys in ring order with sums, so that the load of any stretch is two look-ups.
class KeySums {
 public:
  explicit KeySums(const std::vector<KeyLoad>& keys);
  const std::vector<KeyLoad>& keys() const { return keys_; }
  /// The first key behind a position.
  std::size_t behind(u128 at) const;
  Load between(std::size_t begin, std::size_t end) const;

 private:
  const std::vector<KeyLoad>& keys_;
  std::vector<Load> upto_;
};

/// The load of a piece's positions up to `at`.
Load head_load(const Piece& piece, const KeySums& keys, u128 at);

/// Where to cut a piece in two, both with load of this resource.
struct Cut {
  u128 at = 0;        ///< the last position of the head
  bool tail = false;  ///< the part asked for is the tail
};
/// The end of the half: between keys or within the even part, where that halves it best; the middle where no
/// keys are known. nullopt: whole, or all of it lies in one position.
std::optional<Cut> halving(const Piece& piece, const KeySums& keys, Resource r);
/// A head or tail with nearly as much as wanted and no more than `most`.
std::optional<Cut> carving(const Piece& piece, const KeySums& keys, Resource r, double wanted, double most);

/// The head of the piece; what is left of `piece` begins behind it.
Piece cut_off(Piece& piece, const KeySums& keys, u128 at);

/// Appends the neighbour behind it.
void join(Piece& piece, const Piece& next);

/// The table that pieces make, in the form of the given map's.
std::vector<TableRow> table_of(const ClusterMap& map, const std::vector<Piece>& pieces);

}  // namespace arcwise
