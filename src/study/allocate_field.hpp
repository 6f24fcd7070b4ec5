// A ring with the share that every unit holds, kept up to date while a joiner's tokens come and go.
//
// Layer: study.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "arcwise/map.hpp"
#include "study/allocate_ring.hpp"

namespace arcwise {

class TokenField {
 public:
  /// A token, and the range that ends at it. Those of the ring are numbered in ring order; they keep their
  /// numbers.
  using Id = std::uint32_t;

  /// What a unit gains from a new token of the joiner: fixed + per_length × the length of the range that the
  /// token takes over.
  struct Effect {
    std::uint32_t unit;
    double fixed, per_length;
  };

  /// The ring has at least one token. The joiner is unit ring.units().
  TokenField(const AllocationRing& ring, std::uint32_t joiner_group);

  std::uint32_t joiner() const { return joiner_; }
  double held(std::uint32_t unit) const { return held_[unit]; }
  std::span<const double> held() const { return held_; }
  double length(Id id) const;
  /// Σ length² over all ranges.
  double roughness() const { return roughness_; }

  /// Of a token in the range that ends at `id`; the joiner comes first. Kept from call to call, and valid
  /// until the next token comes or goes.
  std::span<const Effect> effects(Id id) const;

  /// A token of the joiner that takes over `length` of the range that ends at `id`, which has room for it.
  Id place(Id id, double length);
  /// The same at a position that the ring does not have.
  Id place_at(std::uint64_t at);
  void remove(Id id);

  static constexpr Id none = ~Id{0};
  std::uint32_t ring_tokens() const { return ring_tokens_; }
  /// The joiner's tokens, in the order in which they came.
  std::span<const Id> placed() const { return placed_; }
  std::uint64_t at(Id id) const { return places_[id].at; }

 private:
  struct Place {
    std::uint64_t at;
    std::uint32_t unit, group;
    Id previous, next;
  };
  struct Met {
    std::uint32_t unit, group;
  };
  /// What the walk forwards meets, and the groups that the walk backwards has met.
  struct Walk {
    std::array<Met, max_replicas> ahead;
    std::array<std::uint32_t, max_replicas> behind;
    std::uint32_t ahead_count = 0, behind_count = 0;
  };
  struct Row {
    std::uint32_t first = none;  ///< among effects_, once there was need
    std::uint32_t count = 0;     ///< 0: not known
  };

  Id link(Id id, std::uint64_t at);
  void change(Id id, double length, double sign);
  void find_effects(Id id) const;
  void add(Row& row, std::uint32_t unit, double fixed, double per_length) const;
  void forget_around(Id id);
  void walk_ahead(Walk& walk, Id id) const;
  std::uint32_t loser(const Walk& walk) const;

  std::uint32_t replicas_, joiner_, joiner_group_, ring_tokens_;
  std::vector<double> held_;
  std::vector<Place> places_;
  std::vector<Id> placed_, free_;
  double roughness_ = 0;
  mutable std::vector<Row> rows_;  ///< by id
  mutable std::vector<Effect> effects_;
};

}  // namespace arcwise
