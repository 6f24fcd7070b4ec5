// After the search: what it did in vain is undone, and crumbs are swept up.
#include <algorithm>

#include "study/range_search.hpp"

namespace arcwise {
namespace {

constexpr double crumb = 0.01;  // of what a mean node holds

}  // namespace

// Other owners for a piece, where that leaves nobody above the tolerance who was not.
bool RangeSearch::put(Piece& piece, const std::vector<NodeIndex>& owners) {
  std::vector<NodeIndex> touched = piece.owners;
  touched.insert(touched.end(), owners.begin(), owners.end());
  const auto has = [&](const std::vector<NodeIndex>& holders, NodeIndex n) {
    const bool held = std::find(holders.begin(), holders.end(), n) != holders.end();
    return Load{holders.front() == n ? piece.load.requests : 0, held ? piece.load.bytes : 0};
  };
  std::vector<Load> after;
  for (NodeIndex n : touched) {
    Load load = loads_[n];
    load -= has(piece.owners, n);
    load += has(owners, n);
    if (shares_.takes[n] && !keeps_below(n, load, {}, true)) return false;
    after.push_back(load);
  }
  for (std::size_t i = 0; i < touched.size(); ++i) loads_[touched[i]] = after[i];
  piece.owners = owners;
  return true;
}

// Steps that later ones made needless are not made at all.
void RangeSearch::take_back() {
  std::vector<std::size_t> changed;
  for (std::size_t p = 0; p < pieces_.size(); ++p)
    if (pieces_[p].owners != pieces_[p].was) changed.push_back(p);
  std::stable_sort(changed.begin(), changed.end(), [&](std::size_t a, std::size_t b) {
    return pieces_[a].load.bytes > pieces_[b].load.bytes;
  });
  for (std::size_t p : changed) put(pieces_[p], pieces_[p].was);
}

// A crumb between two cuts goes where a neighbour is, if that costs hardly any bytes: one range less to know.
void RangeSearch::tidy() {
  // Where moves or bytes are limited, only back to where it was.
  const bool counted = limited_ || limits_.max_bytes < std::numeric_limits<double>::infinity();
  const double most = counted ? 0 : crumb * mean_.bytes;
  for (int pass = 0; pass < 3; ++pass)
    for (std::size_t i = 0; i + 1 < pieces_.size(); ++i) {
      Piece &a = pieces_[i], &b = pieces_[i + 1];
      if (!a.cut_here || a.was != b.was || a.owners == b.owners) continue;
      const bool first = a.load.requests < b.load.requests;
      for (Piece* piece : {first ? &a : &b, first ? &b : &a}) {
        const std::vector<NodeIndex>& owners = piece == &a ? b.owners : a.owners;
        if (owners != piece->was && (counted || piece->load.bytes > most)) continue;
        if (put(*piece, owners)) break;
      }
    }
}

}  // namespace arcwise
