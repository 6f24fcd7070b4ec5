#include "study/range_pieces.hpp"

#include <algorithm>

namespace arcwise {
namespace {

using Unit = RangeRules::Unit;

// A range that holds a thousandth of its fair part of hash space or less, and still as much load as a whole
// one, has been halved ten times without losing any: that is one key, or a few at one position.
constexpr double narrow = 1024;

double as_double(u128 value) {
  return static_cast<double>(static_cast<std::uint64_t>(value >> 64)) * 0x1p64 +
         static_cast<double>(static_cast<std::uint64_t>(value));
}

double width(const Piece& piece) {
  return as_double(piece.last - piece.first) + 1;
}

std::size_t key_after(const std::vector<KeyLoad>& keys, u128 at) {
  return static_cast<std::size_t>(
      std::upper_bound(keys.begin(), keys.end(), KeyHash{at},
                       [](KeyHash h, const KeyLoad& key) { return h < key.position; }) -
      keys.begin());
}

// The part `fraction` of a span of positions, rounded down. A fraction is a multiple of 2^-53.
u128 part_of(u128 span, double fraction) {
  const auto units = static_cast<std::uint64_t>(std::clamp(fraction, 0.0, 1.0) * 0x1p53);
  constexpr u128 mask = (u128{1} << 53) - 1;
  return (span >> 53) * units + ((span & mask) * units >> 53);
}

std::vector<Piece> bare_pieces(const ClusterMap& map, const RangeRules& rules,
                               std::vector<std::size_t>& unit) {
  const auto& rows = map.placement().table;
  std::vector<Piece> out;
  const auto add = [&](u128 first, u128 last, std::size_t u, const std::vector<NodeIndex>& owners) {
    Piece piece;
    piece.first = first;
    piece.last = last;
    piece.owners = piece.was = owners;
    if (rules.shards && piece.owners.size() > 1) piece.owners.resize(1), piece.was = piece.owners;
    piece.whole = !rules.splits;
    out.push_back(std::move(piece));
    unit.push_back(u);
  };
  u128 first = 0;
  if (rules.unit == Unit::slot) {
    for (const TableRow& row : rows)
      for (; first <= row.upto.value; ++first) add(first, first, static_cast<std::size_t>(first), row.owners);
    return out;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    add(first, rows[i].upto.value, i, rows[i].owners);
    first = rows[i].upto.value + 1;
  }
  if (rows.back().upto.value < map.space().last) {
    add(first, map.space().last, 0, rows[0].owners);
    out.back().cut_here = true;
  }
  return out;
}

void mark_narrow(std::vector<Piece>& pieces) {
  double requests = 0, positions = 0;
  for (const Piece& piece : pieces) {
    requests += piece.load.requests;
    positions += width(piece);
  }
  for (Piece& piece : pieces)
    if (piece.key_begin == piece.key_end &&
        piece.load.requests * positions > narrow * requests * width(piece))
      piece.whole = true;
}

}  // namespace

std::vector<Piece> pieces_of(const ClusterMap& map, const MeasuredLoad& load) {
  const RangeRules rules = range_rules(map);
  std::vector<std::size_t> unit;
  std::vector<Piece> pieces = bare_pieces(map, rules, unit);
  std::vector<Load> in_keys(unit_count(map));
  std::vector<double> positions(in_keys.size());
  std::vector<Load> keys_of(pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    Piece& piece = pieces[i];
    piece.key_begin = i ? pieces[i - 1].key_end : 0;
    piece.key_end = key_after(load.keys, piece.last);
    for (std::size_t k = piece.key_begin; k < piece.key_end; ++k) keys_of[i] += load.keys[k].load;
    in_keys[unit[i]] += keys_of[i];
    positions[unit[i]] += width(piece);
  }
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    Piece& piece = pieces[i];
    piece.load = keys_of[i];
    if (load.units.empty()) continue;
    for (Resource r : resources) {
      const double rest = load.units[unit[i]].*r - in_keys[unit[i]].*r;
      piece.even.*r = std::max(0.0, rest) * (width(piece) / positions[unit[i]]);
    }
    piece.load += piece.even;
  }
  if (rules.splits) mark_narrow(pieces);
  return pieces;
}

KeySums::KeySums(const std::vector<KeyLoad>& keys) : keys_(keys), upto_(keys.size() + 1) {
  for (std::size_t k = 0; k < keys.size(); ++k) {
    upto_[k + 1] = upto_[k];
    upto_[k + 1] += keys[k].load;
  }
}

std::size_t KeySums::behind(u128 at) const {
  return key_after(keys_, at);
}

Load KeySums::between(std::size_t begin, std::size_t end) const {
  Load out = upto_[end];
  out -= upto_[begin];
  return out;
}

Load head_load(const Piece& piece, const KeySums& keys, u128 at) {
  Load out = ((as_double(at - piece.first) + 1) / width(piece)) * piece.even;
  out += keys.between(piece.key_begin, std::min(keys.behind(at), piece.key_end));
  return out;
}

namespace {

// The first position up to which a piece has so much, or the last of all.
u128 crossing(const Piece& piece, const KeySums& keys, Resource r, double value) {
  const double even = piece.even.*r, whole = width(piece);
  const auto before = [&](std::size_t k) {
    const double positions = as_double(keys.keys()[k].position.value - piece.first);
    return keys.between(piece.key_begin, k).*r + even * (positions / whole);
  };
  // Up to which key there is less: `low` of them.
  std::size_t low = piece.key_begin, high = piece.key_end;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (before(middle) < value)
      low = middle + 1;
    else
      high = middle;
  }
  const double in_keys = keys.between(piece.key_begin, low).*r;
  const bool at_key =
      low > piece.key_begin &&
      in_keys + even * (as_double(keys.keys()[low - 1].position.value - piece.first) / whole) >= value;
  if (at_key) return keys.keys()[low - 1].position.value;
  if (!(even > 0)) return piece.last;
  return piece.first + part_of(piece.last - piece.first, (value - in_keys) / even);
}

bool divides(const Piece& piece, Resource r, u128 at, double head) {
  const double all = piece.load.*r;
  return at < piece.last && head > 1e-9 * all && all - head > 1e-9 * all;
}

bool one_position(const Piece& piece, Resource r) {
  return piece.whole || piece.first == piece.last || !(piece.load.*r > 0);
}

// Of the cuts beside the places where a piece has so much from its front, and from its back, the one whose
// part is nearest to that and not above `most`.
std::optional<Cut> nearest_cut(const Piece& piece, const KeySums& keys, Resource r, double wanted,
                               double most) {
  if (one_position(piece, r)) return std::nullopt;
  std::optional<Cut> out;
  double distance = 0;
  for (bool tail : {false, true}) {
    const u128 at = crossing(piece, keys, r, tail ? piece.load.*r - wanted : wanted);
    for (u128 back = 0; back < 2 && back <= at - piece.first; ++back) {
      const double head = head_load(piece, keys, at - back).*r;
      const double part = tail ? piece.load.*r - head : head;
      const double off = part > wanted ? part - wanted : wanted - part;
      if (part > most * (1 + 1e-9) || !divides(piece, r, at - back, head)) continue;
      if (out && off >= distance * (1 - 1e-9)) continue;
      distance = off;
      out = Cut{at - back, tail};
    }
  }
  return out;
}

}  // namespace

std::optional<Cut> halving(const Piece& piece, const KeySums& keys, Resource r) {
  return nearest_cut(piece, keys, r, piece.load.*r / 2, piece.load.*r);
}

std::optional<Cut> carving(const Piece& piece, const KeySums& keys, Resource r, double wanted, double most) {
  return nearest_cut(piece, keys, r, wanted, most);
}

Piece cut_off(Piece& piece, const KeySums& keys, u128 at) {
  const double part = (as_double(at - piece.first) + 1) / width(piece);
  Piece head = piece;
  head.last = at;
  head.cut_here = true;
  head.key_end = std::min(keys.behind(at), piece.key_end);
  head.even = part * piece.even;
  piece.first = at + 1;
  piece.key_begin = head.key_end;
  piece.even = (1 - part) * piece.even;
  for (Piece* p : {&head, &piece}) {
    p->load = p->even;
    for (std::size_t k = p->key_begin; k < p->key_end; ++k) p->load += keys.keys()[k].load;
  }
  return head;
}

void join(Piece& piece, const Piece& next) {
  piece.last = next.last;
  piece.key_end = next.key_end;
  piece.even += next.even;
  piece.load += next.load;
  piece.whole = piece.whole || next.whole;
  piece.cut_here = next.cut_here;
}

std::vector<TableRow> table_of(const ClusterMap& map, const std::vector<Piece>& pieces) {
  const RangeRules rules = range_rules(map);
  std::vector<TableRow> rows;
  for (const Piece& piece : pieces) {
    const bool same = rules.unit == Unit::slot && !rows.empty() && rows.back().owners == piece.owners;
    if (same)
      rows.back().upto = Token{piece.last};
    else
      rows.push_back({Token{piece.last}, piece.owners});
  }
  // A table whose first range lies over the top of the circle goes on doing so.
  const bool wraps = map.placement().table.back().upto.value < map.space().last;
  if (wraps && rows.size() > 1 && pieces.back().cut_here && rows.back().owners == rows.front().owners)
    rows.pop_back();
  return rows;
}

}  // namespace arcwise
