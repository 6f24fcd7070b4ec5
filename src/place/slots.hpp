// Numbered slots, one owner each: modulo, Maglev, partitions. Later candidates are the next slots.
#pragma once

#include <cstdint>
#include <vector>

#include "arcwise/placement.hpp"
#include "place/slot_of.hpp"

namespace arcwise {

class SlotArray {
 public:
  /// Nodes that could hold keys and have no slot, for there are few, come after all others.
  SlotArray(std::vector<NodeIndex> owner_of_slot, std::vector<NodeIndex> without_slot)
      : owner_(std::move(owner_of_slot)), without_slot_(std::move(without_slot)) {}

  std::size_t locate(const Query& query) const noexcept { return region_at(query.hash); }

  template <class Visit>
  void candidates(std::size_t from, const Query&, Visit&& visit) const
      noexcept(noexcept(visit(Token{}, NodeIndex{}))) {
    for (std::size_t k = 0; k < owner_.size(); ++k) {
      const std::size_t slot = from + k < owner_.size() ? from + k : from + k - owner_.size();
      if (!visit(Token{slot}, owner_[slot])) return;
    }
    for (const NodeIndex node : without_slot_)
      if (!visit(Token{from}, node)) return;
  }

  NodeIndex first(KeyHash hash) const noexcept { return owner_[region_at(hash)]; }
  std::size_t slot_count() const noexcept { return owner_.size(); }
  /// Of a slot below slot_count().
  NodeIndex first_of_slot(std::size_t slot) const noexcept { return owner_[slot]; }

  std::size_t entry_count() const noexcept { return owner_.size(); }
  Placement::Entry entry(std::size_t i) const noexcept { return {Token{i}, owner_[i]}; }
  std::size_t region_count() const noexcept { return owner_.size(); }
  Region region(std::size_t i) const noexcept {
    return {Token{i == 0 ? owner_.size() - 1 : i - 1}, Token{i}};
  }
  std::size_t region_entry(std::size_t i) const noexcept { return i; }
  std::size_t region_at(KeyHash hash) const noexcept { return slot_of(hash, owner_.size()); }

 private:
  std::vector<NodeIndex> owner_;
  std::vector<NodeIndex> without_slot_;
};

}  // namespace arcwise
