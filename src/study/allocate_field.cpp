#include "study/allocate_field.hpp"

#include <algorithm>

namespace arcwise {

TokenField::TokenField(const AllocationRing& ring, std::uint32_t joiner_group)
    : replicas_(ring.replicas),
      joiner_(ring.units()),
      joiner_group_(joiner_group),
      ring_tokens_(static_cast<std::uint32_t>(ring.tokens.size())),
      held_(held_by_unit(ring)),
      rows_(ring.tokens.size()) {
  held_.push_back(0);
  places_.reserve(ring_tokens_ + 64);
  for (Id i = 0; i < ring_tokens_; ++i)
    places_.push_back({ring.tokens[i].at, ring.tokens[i].unit, ring.group[ring.tokens[i].unit],
                       (i + ring_tokens_ - 1) % ring_tokens_, (i + 1) % ring_tokens_});
  for (Id i = 0; i < ring_tokens_; ++i) roughness_ += length(i) * length(i);
}

double TokenField::length(Id id) const {
  const Place& p = places_[id];
  if (p.previous == id) return 1;
  return static_cast<double>(p.at - places_[p.previous].at) * 0x1p-64;
}

void TokenField::add(Row& row, std::uint32_t unit, double fixed, double per_length) const {
  Effect* const first = effects_.data() + row.first;
  Effect* const last = first + row.count;
  Effect* const found = std::find_if(first, last, [&](const Effect& e) { return e.unit == unit; });
  if (found == last) {
    *found = {unit, fixed, per_length};
    ++row.count;
  } else {
    found->fixed += fixed;
    found->per_length += per_length;
  }
}

// The units of the first distinct groups from `id` on, as many as there are copies, or up to the joiner's own
// group, which no walk for the joiner passes.
void TokenField::walk_ahead(Walk& walk, Id id) const {
  for (Id at = id;;) {
    const Place& p = places_[at];
    bool met = false;
    for (std::uint32_t i = 0; i < walk.ahead_count; ++i) met |= walk.ahead[i].group == p.group;
    if (!met) walk.ahead[walk.ahead_count++] = {p.unit, p.group};
    at = p.next;
    if (p.group == joiner_group_ || walk.ahead_count == replicas_ || at == id) return;
  }
}

// Who gives up a range whose walk meets the groups behind, then the joiner, then those ahead: the one of the
// joiner's own group, else the last of as many groups as there are copies.
std::uint32_t TokenField::loser(const Walk& walk) const {
  std::uint32_t have = walk.behind_count;
  for (std::uint32_t i = 0; i < walk.ahead_count; ++i) {
    const Met& met = walk.ahead[i];
    bool counted = false;
    for (std::uint32_t b = 0; b < walk.behind_count; ++b) counted |= walk.behind[b] == met.group;
    if (!counted && (met.group == joiner_group_ || ++have == replicas_)) return met.unit;
  }
  return none;
}

// The new token takes part of the range it stands in, and the whole of each range before it whose walk still
// comes this far: with three copies on distinct nodes P, Q | A, B, C a token before A takes part of a range
// from C, the range before from B, and the one before that from A.
void TokenField::find_effects(Id id) const {
  Walk walk;
  walk_ahead(walk, id);
  Row& row = rows_[id];
  if (row.first == none) {
    row.first = static_cast<std::uint32_t>(effects_.size());
    effects_.resize(effects_.size() + replicas_ + 1);  // the joiner, and no more losers than copies
  }
  add(row, joiner_, 0, 1);
  if (const std::uint32_t unit = loser(walk); unit != none) add(row, unit, 0, -1);
  for (Id at = places_[id].previous;; at = places_[at].previous) {
    const std::uint32_t group = places_[at].group;
    if (group == joiner_group_) break;
    bool met = false;
    for (std::uint32_t b = 0; b < walk.behind_count; ++b) met |= walk.behind[b] == group;
    if (!met) walk.behind[walk.behind_count++] = group;
    if (walk.behind_count == replicas_) break;
    const double whole = length(at);
    if (at ==
        id) {  // once round: fewer groups than copies, so the joiner holds what is left of this range too
      add(row, joiner_, whole, -1);
      break;
    }
    add(row, joiner_, whole, 0);
    if (const std::uint32_t unit = loser(walk); unit != none) add(row, unit, -whole, 0);
  }
}

std::span<const TokenField::Effect> TokenField::effects(Id id) const {
  if (rows_[id].count == 0) find_effects(id);
  return {effects_.data() + rows_[id].first, rows_[id].count};
}

// Effects are found by walks that end at the last of as many groups as there are copies, so no walk from
// beyond it comes here.
void TokenField::forget_around(Id id) {
  const auto forget = [&](auto step) {
    std::array<std::uint32_t, max_replicas> met;
    std::uint32_t count = 0;
    rows_[id].count = 0;
    for (Id at = step(places_[id]); at != id && count < replicas_; at = step(places_[at])) {
      rows_[at].count = 0;
      const std::uint32_t group = places_[at].group;
      if (std::find(met.begin(), met.begin() + count, group) == met.begin() + count) met[count++] = group;
    }
  };
  forget([](const Place& p) { return p.next; });
  forget([](const Place& p) { return p.previous; });
}

void TokenField::change(Id id, double part, double sign) {
  for (const Effect& e : effects(id)) held_[e.unit] += sign * (e.fixed + e.per_length * part);
  const double whole = length(id), rest = whole - part;
  roughness_ += sign * (part * part + rest * rest - whole * whole);
}

TokenField::Id TokenField::link(Id id, std::uint64_t at) {
  const Id previous = places_[id].previous;
  Id fresh = static_cast<Id>(places_.size());
  if (free_.empty()) {
    places_.push_back({at, joiner_, joiner_group_, previous, id});
    rows_.emplace_back();
  } else {
    fresh = free_.back();
    free_.pop_back();
    places_[fresh] = {at, joiner_, joiner_group_, previous, id};
  }
  places_[previous].next = fresh;
  places_[id].previous = fresh;
  placed_.push_back(fresh);
  forget_around(fresh);
  return fresh;
}

TokenField::Id TokenField::place(Id id, double part) {
  const std::uint64_t before = places_[places_[id].previous].at, room = places_[id].at - before - 1;
  const double wanted = part * 0x1p64;
  const std::uint64_t step = wanted < 1                            ? 1
                             : wanted >= static_cast<double>(room) ? room
                                                                   : static_cast<std::uint64_t>(wanted);
  change(id, static_cast<double>(step) * 0x1p-64, 1);
  return link(id, before + step);
}

TokenField::Id TokenField::place_at(std::uint64_t at) {
  const auto first = places_.begin(), last = first + ring_tokens_;
  const auto found =
      std::lower_bound(first, last, at, [](const Place& p, std::uint64_t x) { return p.at < x; });
  Id id = found == last ? 0 : static_cast<Id>(found - first);
  const auto covers = [&](Id i) {  // at lies in the range that ends at i
    const std::uint64_t from = places_[places_[i].previous].at;
    return places_[i].previous == i || at - from <= places_[i].at - from;
  };
  while (!covers(id)) id = places_[id].previous;
  const std::uint64_t from = places_[places_[id].previous].at;
  change(id, static_cast<double>(at - from) * 0x1p-64, 1);
  return link(id, at);
}

void TokenField::remove(Id id) {
  forget_around(id);
  const Place gone = places_[id];
  places_[gone.previous].next = gone.next;
  places_[gone.next].previous = gone.previous;
  change(gone.next, static_cast<double>(gone.at - places_[gone.previous].at) * 0x1p-64, -1);
  placed_.erase(std::find(placed_.begin(), placed_.end(), id));
  free_.push_back(id);
}

}  // namespace arcwise
