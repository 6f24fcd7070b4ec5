// What a plan's file says of the maps it was made for, read back.
#pragma once

#include <string>
#include <vector>

#include "arcwise/check.hpp"
#include "arcwise/format.hpp"

namespace arcwise {

struct PlanFile {
  struct State {
    std::string fingerprint, membership;
    std::optional<std::uint64_t> epoch;
  };
  std::vector<State> states;         ///< one more than there are steps
  std::vector<std::string> actions;  ///< of each step
  std::vector<std::string> change;   ///< the words of the command line; empty: planned from two maps

  /// The state that a map is in: equal fingerprint and membership, of several the one of equal epoch, else
  /// the first; else the only one of equal fingerprint.
  std::optional<std::size_t> state_of(const Fingerprints& prints) const;
};
Result<PlanFile> parse_plan(const Source& source);

}  // namespace arcwise
