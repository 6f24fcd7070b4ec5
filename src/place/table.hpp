// The owner table: ranges whose owners are listed one by one (describering, slot maps, partitions).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "arcwise/placement.hpp"

namespace arcwise {

class OwnerTable {
 public:
  /// `slots`: their number where positions are numbered slots, else 0.
  OwnerTable(const std::vector<TableRow>& rows, std::uint64_t slots) {
    starts_.push_back(0);
    for (const TableRow& row : rows) {
      upto_.push_back(row.upto);
      owners_.insert(owners_.end(), row.owners.begin(), row.owners.end());
      starts_.push_back(static_cast<std::uint32_t>(owners_.size()));
    }
    if (slots > most_indexed) return;
    for (std::size_t row = 0; row_of_slot_.size() < slots; ++row) {
      row_of_slot_.resize(static_cast<std::size_t>(rows[row].upto.value) + 1,
                          static_cast<std::uint32_t>(row));
      first_of_slot_.resize(row_of_slot_.size(), first_of(row));
    }
  }

  std::size_t locate(KeyHash hash) const noexcept {
    if (hash.value < row_of_slot_.size()) return row_of_slot_[static_cast<std::size_t>(hash.value)];
    const auto at = std::lower_bound(upto_.begin(), upto_.end(), Token{hash.value});
    return at == upto_.end() ? 0 : static_cast<std::size_t>(at - upto_.begin());
  }

  std::size_t locate(const Query& query) const noexcept { return locate(query.hash); }

  template <class Visit>
  void candidates(std::size_t row, const Query&, Visit&& visit) const
      noexcept(noexcept(visit(Token{}, NodeIndex{}))) {
    for (std::uint32_t i = starts_[row]; i < starts_[row + 1]; ++i)
      if (!visit(upto_[row], owners_[i])) return;
  }

  NodeIndex first(KeyHash hash) const noexcept {
    if (hash.value < first_of_slot_.size()) return first_of_slot_[static_cast<std::size_t>(hash.value)];
    return first_of(locate(hash));
  }

  std::size_t entry_count() const noexcept { return upto_.size(); }
  Placement::Entry entry(std::size_t i) const noexcept { return {upto_[i], first_of(i)}; }

  std::size_t region_count() const noexcept { return upto_.size(); }
  Region region(std::size_t i) const noexcept { return {upto_[i == 0 ? upto_.size() - 1 : i - 1], upto_[i]}; }
  std::size_t region_entry(std::size_t i) const noexcept { return i; }
  std::size_t region_at(KeyHash hash) const noexcept { return locate(hash); }

 private:
  NodeIndex first_of(std::size_t row) const noexcept {
    return starts_[row] == starts_[row + 1] ? no_node : owners_[starts_[row]];
  }

  static constexpr std::uint64_t most_indexed = std::uint64_t{1} << 20;  ///< slots; 8 MiB

  std::vector<Token> upto_;
  std::vector<std::uint32_t> starts_;  ///< into owners_, one more than rows
  std::vector<NodeIndex> owners_;
  std::vector<std::uint32_t> row_of_slot_;  ///< of numbered slots, where they are not too many
  std::vector<NodeIndex> first_of_slot_;    ///< the first owner too: one load for the commonest question
};

}  // namespace arcwise
