#include "study/range_actions.hpp"

#include <algorithm>

namespace arcwise {
namespace {

using Kind = RangeAction::Kind;
using Owners = std::vector<NodeIndex>;

constexpr std::size_t most_ordered = 3000;

bool holds(const Owners& owners, NodeIndex n) {
  return std::find(owners.begin(), owners.end(), n) != owners.end();
}

// (after, upto], the first position of all being behind the last.
Region region_of(const ClusterMap& map, u128 first, u128 last) {
  return {{first == 0 ? map.space().last : first - 1}, {last}};
}

// Which owner each new one takes the place of: one that it could not lie beside, else one that it may
// replace.
NodeIndex replaced_by(const CopyRules& copies, const Owners& owners, const Owners& gone, NodeIndex fresh) {
  for (NodeIndex n : gone)
    if (copies.together(n, fresh)) return n;
  for (NodeIndex n : gone) {
    const auto place = std::find(owners.begin(), owners.end(), n) - owners.begin();
    if (copies.may_replace(owners, static_cast<std::size_t>(place), fresh)) return n;
  }
  return gone.front();
}

struct Replacement {
  NodeIndex from, to;
};

// New owners that can take one place only choose first.
std::vector<Replacement> replacements(const CopyRules& copies, const Piece& piece) {
  Owners fresh, gone;
  for (NodeIndex n : piece.owners)
    if (!holds(piece.was, n)) fresh.push_back(n);
  for (NodeIndex n : piece.was)
    if (!holds(piece.owners, n)) gone.push_back(n);
  std::stable_partition(fresh.begin(), fresh.end(), [&](NodeIndex f) {
    return std::any_of(gone.begin(), gone.end(), [&](NodeIndex g) { return copies.together(g, f); });
  });
  std::vector<Replacement> out;
  for (NodeIndex to : fresh) {
    out.push_back({replaced_by(copies, piece.was, gone, to), to});
    gone.erase(std::find(gone.begin(), gone.end(), out.back().from));
  }
  return out;
}

// What becomes of one piece's owners: whoever is to be the first becomes it as soon as it holds a copy, so
// that requests move once. Worked example, [a b c] to [d b a]: d takes c's place in [a b d], then is first in
// [d b a].
void change_owners(const CopyRules& copies, const Piece& piece, const Region& range, Owners& owners,
                   std::vector<RangeAction>& out) {
  owners = piece.was;
  const NodeIndex first = piece.owners.front();
  const auto lead = [&] {
    const auto place = std::find(owners.begin(), owners.end(), first);
    if (place == owners.begin() || place == owners.end()) return;
    out.push_back({Kind::lead, range, {}, owners.front(), first, {piece.load.requests, 0}});
    std::iter_swap(owners.begin(), place);
  };
  std::vector<Replacement> pairs = replacements(copies, piece);
  std::stable_partition(pairs.begin(), pairs.end(), [&](const Replacement& r) { return r.to == first; });
  lead();
  for (const Replacement& pair : pairs) {
    const auto place = std::find(owners.begin(), owners.end(), pair.from);
    const bool serves = place == owners.begin();
    out.push_back(
        {Kind::move, range, {}, pair.from, pair.to, {serves ? piece.load.requests : 0, piece.load.bytes}});
    *place = pair.to;
    lead();
  }
}

// Slots that lie in a row and go the same way are one action.
bool continues(const RangeAction& last, const RangeAction& next) {
  return last.kind == next.kind && last.from == next.from && last.to == next.to &&
         last.range.upto == next.range.after;
}

// Whether the last piece and the first are one range over the top of the circle.
bool over_top(const ClusterMap& map, const std::vector<Piece>& pieces) {
  return map.placement().table.back().upto.value < map.space().last && pieces.back().cut_here &&
         pieces.back().owners == pieces.front().owners;
}

// The ends that a run made, each with the range as it was just before: from the end before to the range's
// own.
void add_splits(const ClusterMap& map, const std::vector<Piece>& pieces, std::vector<RangeAction>& out) {
  const auto& rows = map.placement().table;
  const bool one = over_top(map, pieces);
  const bool seam = rows.back().upto.value < map.space().last && !one;
  const auto split = [&](std::size_t i) {
    const u128 first = one && i == 0 ? pieces.back().first : pieces[i].first;
    const auto row = std::lower_bound(rows.begin(), rows.end(), Token{pieces[i].last},
                                      [](const TableRow& r, Token t) { return r.upto < t; });
    const u128 last = row == rows.end() ? rows.front().upto.value : row->upto.value;
    out.push_back({Kind::split, region_of(map, first, last), {pieces[i].last}, no_node, no_node, {}});
  };
  // The range over the top begins behind the last row.
  const auto tail = static_cast<std::size_t>(
      std::find_if(pieces.begin(), pieces.end(),
                   [&](const Piece& p) { return p.first > rows.back().upto.value; }) -
      pieces.begin());
  for (std::size_t i = tail; i < pieces.size(); ++i)
    if (i + 1 < pieces.size() ? pieces[i].cut_here : seam) split(i);
  for (std::size_t i = 0; i < tail; ++i)
    if (pieces[i].cut_here) split(i);
}

}  // namespace

std::vector<Piece> rejoined(const std::vector<Piece>& pieces, const BalanceLimits& limits) {
  std::vector<Piece> out;
  for (const Piece& piece : pieces) {
    if (!out.empty() && out.back().cut_here && out.back().owners == piece.owners) {
      const double bytes = out.back().load.bytes + piece.load.bytes;
      const double requests = out.back().load.requests + piece.load.requests;
      if ((limits.max_range_bytes <= 0 || bytes <= limits.max_range_bytes) &&
          (limits.max_range_requests <= 0 || requests <= limits.max_range_requests)) {
        join(out.back(), piece);
        continue;
      }
    }
    out.push_back(piece);
  }
  return out;
}

std::vector<RangeAction> changes(const ClusterMap& map, std::vector<Piece>& pieces) {
  std::vector<RangeAction> out;
  if (range_rules(map).splits) add_splits(map, pieces, out);
  const CopyRules copies(map);
  const bool slots = range_rules(map).unit == RangeRules::Unit::slot;
  // The range over the top is one where both of its pieces have the same owners.
  Piece* top = over_top(map, pieces) && pieces.size() > 1 ? &pieces.back() : nullptr;
  for (Piece& piece : pieces) {
    if (piece.owners == piece.was || &piece == top) continue;
    std::vector<RangeAction> own;
    Owners owners;
    Piece whole = piece;
    if (top && &piece == &pieces.front()) join(whole, *top), whole.first = top->first;
    change_owners(copies, whole, region_of(map, whole.first, piece.last), owners, own);
    piece.owners = owners;
    for (const RangeAction& action : own) {
      if (slots && own.size() == 1 && !out.empty() && continues(out.back(), action)) {
        out.back().range.upto = action.range.upto;
        out.back().load += action.load;
      } else {
        out.push_back(action);
      }
    }
  }
  if (top) top->owners = pieces.front().owners;
  return out;
}

std::vector<RangeAction> relieving_order(std::vector<RangeAction> actions, std::vector<Load> loads,
                                         const FairShares& shares, double limit) {
  const auto first = std::find_if(actions.begin(), actions.end(), [](const RangeAction& a) {
    return a.kind == Kind::move || a.kind == Kind::lead;
  });
  std::vector<RangeAction> out(actions.begin(), first), pending(first, actions.end());
  if (pending.size() > most_ordered) return actions;
  const auto over = [&](NodeIndex n, const Load& load, Resource r) {
    return shares.fair[n].*r > 0 ? load.*r / shares.fair[n].*r : 0;
  };
  Load bound{limit, limit};
  for (NodeIndex n = 0; n < loads.size(); ++n)
    for (Resource r : resources) bound.*r = std::max(bound.*r, over(n, loads[n], r));
  while (!pending.empty()) {
    std::size_t best = 0;
    double least = 0;
    for (std::size_t i = 0; i < pending.size(); ++i) {
      if (i > 0 && pending[i - 1].range.upto == pending[i].range.upto) continue;  // after the one before it
      Load after = loads[pending[i].to];
      after += pending[i].load;
      double beyond = 0;
      for (Resource r : resources) beyond = std::max(beyond, over(pending[i].to, after, r) - bound.*r);
      if (i == 0 || beyond < least) best = i, least = beyond;
    }
    loads[pending[best].from] -= pending[best].load;
    loads[pending[best].to] += pending[best].load;
    out.push_back(pending[best]);
    pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(best));
  }
  return out;
}

std::vector<Piece> merged(const ClusterMap& map, const std::vector<Piece>& pieces,
                          const BalanceLimits& limits, double cold, std::vector<RangeAction>& actions) {
  std::vector<Piece> out;
  for (const Piece& piece : pieces) {
    const bool joins = !out.empty() && out.back().owners == piece.owners &&
                       out.back().load.bytes + piece.load.bytes < limits.min_range_bytes &&
                       out.back().load.requests + piece.load.requests <= cold;
    if (!joins) {
      out.push_back(piece);
      continue;
    }
    const Token end{out.back().last};
    join(out.back(), piece);
    actions.push_back(
        {Kind::merge, region_of(map, out.back().first, out.back().last), end, no_node, no_node, {}});
  }
  return out;
}

}  // namespace arcwise
