#include <algorithm>
#include <array>
#include <cmath>

#include "arcwise/ownership.hpp"

namespace arcwise {

std::string_view to_string(ImbalanceCause cause) {
  static constexpr std::array<std::string_view, 5> names{"none", "tokens", "data", "both", "unknown-data"};
  return names[static_cast<std::size_t>(cause)];
}

Judgement judge(const Placement&, const Ownership& ownership, const std::optional<ByChance>& chance,
                const Observed&) {
  Judgement j;
  j.tokens_beyond_chance = chance && ownership.balance.max_over_target > chance->p99;
  return j;
}

}  // namespace arcwise
