// balance_load(): pieces, the search, and what came of it.
#include <algorithm>

#include "study/range_actions.hpp"

namespace arcwise {
namespace {

// What cannot be divided: a key, or a piece that is whole.
struct Atom {
  Load load;
  const KeyLoad* key = nullptr;  ///< the one that has most of it
  const Piece* piece = nullptr;
};

template <class Visit>
void each_atom(const std::vector<Piece>& pieces, const std::vector<KeyLoad>& keys, Visit&& visit) {
  for (const Piece& piece : pieces) {
    const auto hotter = [](const KeyLoad* best, const KeyLoad& key) {
      return !best || key.load.requests > best->load.requests ? &key : best;
    };
    Atom whole{piece.load, nullptr, &piece};
    for (std::size_t k = piece.key_begin; k < piece.key_end;) {
      Atom atom{{}, nullptr, &piece};
      const KeyHash at = keys[k].position;
      for (; k < piece.key_end && keys[k].position == at; ++k) {
        atom.load += keys[k].load;
        atom.key = hotter(atom.key, keys[k]);
      }
      whole.key = hotter(whole.key, *atom.key);
      if (!piece.whole && piece.first != piece.last) visit(atom);
    }
    if (piece.whole || piece.first == piece.last) visit(whole);
  }
}

struct Fairest {
  double most = 0, least = 0;  ///< of the fair shares of nodes that take load
};
Fairest fair_range(const FairShares& shares, Resource r) {
  Fairest out;
  for (std::size_t n = 0; n < shares.fair.size(); ++n) {
    if (!shares.takes[n]) continue;
    out.most = std::max(out.most, shares.fair[n].*r);
    out.least = out.least > 0 ? std::min(out.least, shares.fair[n].*r) : shares.fair[n].*r;
  }
  return out;
}

// The largest atom lies on some node. Of N equal nodes one has two of the N + 1 largest, at least the two
// smallest of them.
double least_hottest(const std::vector<Piece>& pieces, const std::vector<KeyLoad>& keys,
                     const FairShares& shares, Resource r) {
  const Fairest fair = fair_range(shares, r);
  if (!(fair.most > 0)) return 0;
  std::vector<double> atoms;
  each_atom(pieces, keys, [&](const Atom& atom) {
    const auto& owners = atom.piece->owners;
    if (std::all_of(owners.begin(), owners.end(), [&](NodeIndex n) { return shares.takes[n]; }) &&
        !owners.empty())
      atoms.push_back(atom.load.*r);
  });
  const auto nodes = static_cast<std::size_t>(std::count(shares.takes.begin(), shares.takes.end(), true));
  std::sort(atoms.rbegin(), atoms.rend());
  double out = 1;
  if (!atoms.empty()) out = std::max(out, atoms[0] / fair.most);
  if (atoms.size() > nodes && fair.most <= fair.least * (1 + 1e-9) && r == &Load::requests)
    out = std::max(out, (atoms[nodes - 1] + atoms[nodes]) / fair.most);
  return out;
}

LoadCause cause_of(const ClusterMap& map, const RangeSearch& search, const std::vector<Piece>& pieces,
                   const std::vector<KeyLoad>& keys, NodeIndex node, Resource r) {
  LoadCause out;
  out.node = node;
  out.of_bytes = r == &Load::bytes;
  const double most = fair_range(search.shares(), r).most;
  Atom largest;
  each_atom(pieces, keys, [&](const Atom& atom) {
    const auto& owners = atom.piece->owners;
    const bool here = r == &Load::requests ? !owners.empty() && owners.front() == node
                                           : std::find(owners.begin(), owners.end(), node) != owners.end();
    if (here && (!largest.piece || atom.load.*r > largest.load.*r)) largest = atom;
  });
  if (largest.piece && largest.load.*r > search.limit() * most) {
    const Piece& piece = *largest.piece;
    const bool one_key = largest.key && largest.key->load.*r > search.limit() * most;
    out.kind = one_key ? LoadCause::Kind::one_key : LoadCause::Kind::one_unit;
    if (largest.key) out.key = largest.key->key;
    out.over_fair = (one_key ? largest.key->load.*r : largest.load.*r) / most;
    out.range = {{piece.first == 0 ? map.space().last : piece.first - 1}, {piece.last}};
  } else if (search.spent()) {
    out.kind = LoadCause::Kind::limits;
  }
  return out;
}

// A master takes its replicas along.
void expand_shards(const ClusterMap& map, std::vector<Piece>& pieces) {
  const auto& rows = map.placement().table;
  std::vector<const std::vector<NodeIndex>*> shard(map.nodes().size());
  for (const TableRow& row : rows)
    if (!row.owners.empty() && !shard[row.owners.front()]) shard[row.owners.front()] = &row.owners;
  std::size_t row = 0;
  for (Piece& piece : pieces) {
    while (rows[row].upto.value < piece.last) ++row;
    if (piece.owners == piece.was)
      piece.owners = rows[row].owners;
    else if (shard[piece.owners.front()])
      piece.owners = *shard[piece.owners.front()];
  }
}

Balancing::Hottest hottest_of(const Balancing& b, Resource r) {
  Balancing::Hottest out;
  for (NodeIndex n = 0; n < b.nodes.size(); ++n) {
    const auto& node = b.nodes[n];
    if (!(node.fair.*r > 0)) continue;
    const double before = node.before.*r / node.fair.*r, after = node.after.*r / node.fair.*r;
    if (before > out.before) out.before = before, out.node_before = n;
    if (after > out.after) out.after = after, out.node_after = n;
  }
  return out;
}

void set_loads(Balancing& out, const std::vector<Load>& before, const std::vector<Piece>& pieces,
               const std::vector<KeyLoad>& keys, const FairShares& shares) {
  const std::vector<Load> loads = node_loads(pieces, before.size());
  for (std::size_t n = 0; n < before.size(); ++n) out.nodes.push_back({before[n], loads[n], shares.fair[n]});
  for (Resource r : resources) {
    auto& hottest = r == &Load::requests ? out.requests : out.bytes;
    hottest = hottest_of(out, r);
    hottest.least = least_hottest(pieces, keys, shares, r);
  }
}

std::optional<Error> fault_of(const ClusterMap& map, const MeasuredLoad& load, const BalanceLimits& limits) {
  const auto fault = [](std::string what, std::string why, std::string advice) {
    return Error{ErrorKind::input, {}, std::move(what), std::move(why), std::move(advice)};
  };
  const RangeRules rules = range_rules(map);
  const std::string recipe(map.placement().recipe->name);
  if (!rules.moves) return may_not_change(map);
  if (!rules.splits &&
      (limits.max_range_bytes > 0 || limits.max_range_requests > 0 || limits.min_range_bytes > 0))
    return fault(recipe, "ranges are to be split or merged for their size: " + std::string(rules.why),
                 "leave those limits out: whole ones are moved");
  if (limits.min_range_bytes > 0 && limits.max_range_bytes > 0 &&
      limits.min_range_bytes > limits.max_range_bytes / 2)
    return fault("", "ranges are merged up to more than half of the size at which they are split",
                 "merge below half of it, else what was just split is merged again");
  double total = 0;
  for (const Load& unit : load.units) total += unit.requests + unit.bytes;
  for (const KeyLoad& key : load.keys) total += key.load.requests + key.load.bytes;
  if (!(total > 0))
    return fault("", "no load is measured: there is nothing to balance", "give requests or bytes");
  return std::nullopt;
}

Result<ClusterMap> map_after(const ClusterMap& map, const RangeRules& rules, std::vector<Piece> pieces,
                             bool changed) {
  if (!changed) return map;
  ClusterMap::Parts parts = map.parts();
  if (rules.shards) expand_shards(map, pieces);
  parts.placement.table = table_of(map, pieces);
  if (parts.epoch) ++*parts.epoch;
  return ClusterMap::build(std::move(parts));
}

}  // namespace

Load& Load::operator+=(const Load& o) {
  requests += o.requests;
  bytes += o.bytes;
  return *this;
}

Load& Load::operator-=(const Load& o) {
  requests -= o.requests;
  bytes -= o.bytes;
  return *this;
}

std::string_view to_string(RangeAction::Kind kind) {
  constexpr std::string_view names[] = {"split", "lead", "move", "merge"};
  return names[static_cast<std::size_t>(kind)];
}

Error may_not_change(const ClusterMap& map) {
  return {ErrorKind::input,
          {},
          std::string(map.placement().recipe->name),
          "the owners of this map's ranges cannot be chosen one by one: " + std::string(range_rules(map).why),
          "change its nodes instead: `arcwise allocate --relieve NODE`, `arcwise plan --weight`"};
}

void locate_keys(const Placement& placement, std::vector<KeyLoad>& keys) {
  for (KeyLoad& key : keys) key.position = placement.hash(key.key);
  std::stable_sort(keys.begin(), keys.end(),
                   [](const KeyLoad& a, const KeyLoad& b) { return a.position < b.position; });
}

Result<Balancing> balance_load(const ClusterMap& map, const MeasuredLoad& load, const BalanceLimits& limits) {
  if (auto error = fault_of(map, load, limits)) return *error;
  RangeSearch search(map, load, limits);
  const std::vector<Load> before = node_loads(search.pieces(), map.nodes().size());
  if (!std::count(search.shares().takes.begin(), search.shares().takes.end(), true))
    return Error{ErrorKind::input, {}, "", "no node may take load", "give one the state normal and a weight"};
  search.run();
  std::vector<Piece> pieces = rejoined(search.pieces(), limits);
  std::vector<RangeAction> actions =
      relieving_order(changes(map, pieces), before, search.shares(), search.limit());
  const double heat = limits.tolerance / 4 * fair_range(search.shares(), &Load::requests).least;
  const double half = limits.max_range_requests / 2;
  if (limits.min_range_bytes > 0)
    pieces = merged(map, pieces, limits, half > 0 ? std::min(half, heat) : heat, actions);
  auto after = map_after(map, search.rules(), pieces, !actions.empty());
  if (!after) return after.error();
  Balancing out(std::move(*after));
  out.actions = std::move(actions);
  for (const RangeAction& action : out.actions) out.moved_bytes += action.load.bytes;
  set_loads(out, before, pieces, load.keys, search.shares());
  out.reached = std::max(out.requests.after, out.bytes.after) <= search.limit() * (1 + 1e-9);
  if (out.reached) return out;
  const bool of_bytes = out.bytes.after > out.requests.after;
  const NodeIndex node = (of_bytes ? out.bytes : out.requests).node_after;
  out.cause = cause_of(map, search, pieces, load.keys, node, of_bytes ? &Load::bytes : &Load::requests);
  return out;
}

Balancing measure_change(const ClusterMap& map, const MeasuredLoad& load, const ClusterMap& after) {
  std::vector<Piece> pieces = pieces_of(map, load);
  const FairShares shares = fair_shares(map, pieces, NodeSet(0));
  const std::vector<Load> before = node_loads(pieces, map.nodes().size());
  const KeySums keys(load.keys);
  const auto& rows = after.placement().table;
  std::vector<Piece> cut;
  std::size_t row = 0;
  Balancing out(after);
  for (Piece& piece : pieces) {
    while (row < rows.size() && rows[row].upto.value < piece.first) ++row;
    for (; row < rows.size() && rows[row].upto.value < piece.last; ++row)
      cut.push_back(cut_off(piece, keys, rows[row].upto.value));
    cut.push_back(std::move(piece));
  }
  const Placement placed = compile(after);
  for (Piece& piece : cut) {
    piece.owners = rows[placed.region_at({piece.first})].owners;
    if (range_rules(map).shards && piece.owners.size() > 1) piece.owners.resize(1);
    for (NodeIndex n : piece.owners)
      if (std::find(piece.was.begin(), piece.was.end(), n) == piece.was.end())
        out.moved_bytes += piece.load.bytes;
  }
  set_loads(out, before, cut, load.keys, shares);
  return out;
}

}  // namespace arcwise
