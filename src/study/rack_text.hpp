// Inside the study layer: racks as people know them.
#pragma once

#include <string>

#include "arcwise/map.hpp"

namespace arcwise {

/// "r1", or "eu/r1" where zones are used.
inline std::string rack_text(const Node& node) {
  return node.zone.empty() ? node.rack : node.zone + '/' + node.rack;
}

}  // namespace arcwise
