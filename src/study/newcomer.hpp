// Where a node that joins stands: its place among zones and racks, and its tokens as they are written.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "arcwise/change.hpp"

namespace arcwise {

/// Fills in a zone that was left out where only one can be meant, and says so in `findings`; warns of a rack
/// that is new where copies are spread by rack. An error where several zones can be meant and it matters, or
/// where the zone would hold no copy.
std::optional<Error> settle_place(const ClusterMap& map, NewNode& node, std::vector<Finding>& findings);

/// As the map's system writes tokens; hex with `0x` in front, or with a letter in it.
std::optional<Token> read_token(const TokenSpace& space, std::string_view text);

}  // namespace arcwise
