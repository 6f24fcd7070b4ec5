// Causes: why two maps place keys differently, with the bytes that each of them hashes.
//
// Layer: study. Causes are found by comparing what the two methods say of themselves (what is hashed for a
// node, in which order, into how many points, …), never by knowing a pair of recipes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arcwise/change.hpp"
#include "arcwise/placement.hpp"

namespace arcwise {

/// In the order in which causes are named: a later one can hardly be judged before the earlier ones are gone.
enum class CauseKind : std::uint8_t {
  members,    ///< the lists do not hold the same servers
  identity,   ///< what is hashed for a server
  order,      ///< list order, or how the list is sorted
  points,     ///< how points are built, or that there are none
  weights,    ///< the servers' weights, or what is made of them
  hash,       ///< the key hash
  successor,  ///< which point answers for a hash
  hash_tag,   ///< the part of the key that is hashed
  key_prep,   ///< what else is done to the key before it is hashed: a prefix, a salt, a URI cut short
  replicas    ///< the replica policy, or the hosts, racks and zones it looks at
};
/// "identity string", "list order", …
std::string_view to_string(CauseKind kind);

struct Cause {
  CauseKind kind;
  std::string subject;                    ///< the server or key that the bytes are of; may be empty
  std::string before, after;              ///< what each side does
  std::string bytes_before, bytes_after;  ///< hashed for the subject; empty where that is not the matter
  std::string advice;                     ///< what to change so that the two agree in this
  /// Of hash space: what still differs once this cause and all before it are gone; nullopt: not known.
  std::optional<Share> remaining;
};

/// The causes of the difference `diff` between two maps, the first to mend first. Empty where they place
/// every key alike. What remains after each cause is measured with `effect_keys` keys where regions cannot be
/// listed; 0: not at all. Cost: a few compiled maps, and a comparison for each cause.
std::vector<Cause> causes(const Placement& before, const Placement& after, const Diff& diff,
                          std::uint64_t effect_keys = 50'000);

/// Where not one server has the same name in both maps but some have the same address: the second map with
/// the first one's names for them, so that the two can be compared. What is hashed stays as it is.
std::optional<ClusterMap> named_alike(const Placement& before, const Placement& after);

}  // namespace arcwise
