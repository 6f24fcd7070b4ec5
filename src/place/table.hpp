// Owner tables: ranges whose owners are listed one by one (describering, slot maps, partitions). How a
// position finds its row differs: a search, or one load where positions are slots or rows are equal parts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "arcwise/placement.hpp"
#include "place/slot_of.hpp"

namespace arcwise {

/// The rows themselves.
class OwnerRows {
 public:
  explicit OwnerRows(const std::vector<TableRow>& rows) {
    starts_.push_back(0);
    for (const TableRow& row : rows) {
      upto_.push_back(row.upto);
      owners_.insert(owners_.end(), row.owners.begin(), row.owners.end());
      starts_.push_back(static_cast<std::uint32_t>(owners_.size()));
    }
  }

  template <class Visit>
  void candidates(std::size_t row, const Query&, Visit&& visit) const
      noexcept(noexcept(visit(Token{}, NodeIndex{}))) {
    for (std::uint32_t i = starts_[row]; i < starts_[row + 1]; ++i)
      if (!visit(upto_[row], owners_[i])) return;
  }

  std::size_t entry_count() const noexcept { return upto_.size(); }
  Placement::Entry entry(std::size_t i) const noexcept { return {upto_[i], first_of(i)}; }
  std::size_t region_count() const noexcept { return upto_.size(); }
  Region region(std::size_t i) const noexcept { return {upto_[i == 0 ? upto_.size() - 1 : i - 1], upto_[i]}; }
  std::size_t region_entry(std::size_t i) const noexcept { return i; }

 protected:
  NodeIndex first_of(std::size_t row) const noexcept {
    return starts_[row] == starts_[row + 1] ? no_node : owners_[starts_[row]];
  }

  std::vector<Token> upto_;

 private:
  std::vector<std::uint32_t> starts_;  ///< into owners_, one more than rows
  std::vector<NodeIndex> owners_;
};

/// Any ranges: binary search.
class OwnerTable : public OwnerRows {
 public:
  using OwnerRows::OwnerRows;

  std::size_t region_at(KeyHash hash) const noexcept {
    const auto at = std::lower_bound(upto_.begin(), upto_.end(), Token{hash.value});
    return at == upto_.end() ? 0 : static_cast<std::size_t>(at - upto_.begin());
  }
  std::size_t locate(const Query& query) const noexcept { return region_at(query.hash); }
  NodeIndex first(KeyHash hash) const noexcept { return first_of(region_at(hash)); }
};

inline constexpr std::uint64_t most_direct_slots = std::uint64_t{1} << 20;

/// Ranges of slots that end with the last slot.
class SlotTable : public OwnerRows {
 public:
  explicit SlotTable(const std::vector<TableRow>& rows) : OwnerRows(rows) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const auto slots = static_cast<std::size_t>(rows[row].upto.value) + 1;
      row_.resize(slots, static_cast<std::uint32_t>(row));
      first_.resize(slots, first_of(row));
    }
  }

  std::size_t region_at(KeyHash hash) const noexcept { return row_[slot_of(hash, row_.size())]; }
  std::size_t locate(const Query& query) const noexcept { return region_at(query.hash); }
  NodeIndex first(KeyHash hash) const noexcept { return first_[slot_of(hash, first_.size())]; }
  std::size_t slot_count() const noexcept { return first_.size(); }
  /// Of a slot below slot_count().
  NodeIndex first_of_slot(std::size_t slot) const noexcept { return first_[slot]; }

 private:
  std::vector<std::uint32_t> row_;  ///< of each slot
  std::vector<NodeIndex> first_;
};

/// Q equal parts of a space of 2^bits positions, at most 64 bits: row ⌊hash · Q / 2^bits⌋. A position that no
/// key has, of more bits, is answered as its lowest ones.
class EqualParts : public OwnerRows {
 public:
  EqualParts(const std::vector<TableRow>& rows, const TokenSpace& space)
      : OwnerRows(rows), parts_(rows.size()), shift_(64 - space.bits) {
    for (std::size_t row = 0; row < rows.size(); ++row) first_.push_back(first_of(row));
  }

  std::size_t region_at(KeyHash hash) const noexcept {
    const std::uint64_t stretched = static_cast<std::uint64_t>(hash.value) << shift_;
    return static_cast<std::size_t>(u128{stretched} * parts_ >> 64);
  }
  std::size_t locate(const Query& query) const noexcept { return region_at(query.hash); }
  NodeIndex first(KeyHash hash) const noexcept { return first_[region_at(hash)]; }

 private:
  std::vector<NodeIndex> first_;
  std::uint64_t parts_;
  unsigned shift_;  ///< from a position to 64 bits
};

}  // namespace arcwise
