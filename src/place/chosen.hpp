// Placements that compute candidates from the key itself. No region of hash space has constant owners, so
// there are no regions and no entries; studies sample keys.
#pragma once

#include <memory>

#include "place/key_position.hpp"
#include "place/methods.hpp"

namespace arcwise {

class Chosen {
 public:
  Chosen(const ClusterMap& map, std::unique_ptr<const Chooser> chooser)
      : position_(map), chooser_(std::move(chooser)) {}

  std::size_t locate(const Query&) const noexcept { return 0; }

  template <class Visit>
  void candidates(std::size_t, const Query& query, Visit&& visit) const {
    auto plain = [&visit](NodeIndex n) { return visit(Token{}, n); };
    chooser_->candidates(query, position_.routing_key(query.key), CandidateVisit(plain));
  }

  std::size_t entry_count() const noexcept { return 0; }
  Placement::Entry entry(std::size_t) const noexcept { return {Token{}, no_node}; }
  std::size_t region_count() const noexcept { return 0; }
  Region region(std::size_t) const noexcept { return {}; }
  std::size_t region_entry(std::size_t) const noexcept { return 0; }
  std::size_t region_at(KeyHash) const noexcept { return 0; }

 private:
  KeyPosition position_;
  std::unique_ptr<const Chooser> chooser_;
};

}  // namespace arcwise
