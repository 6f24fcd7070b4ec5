// Any map that a ring recipe accepts, for property tests of ownership.
#pragma once

#include <rapidcheck/gtest.h>

#include <algorithm>

#include "study/testing_maps.hpp"

namespace arcwise::testing {

/// Up to 12 nodes with weights, states and places; any level, per-zone counts, both ways to be short.
inline ClusterMap any_map() {
  std::vector<Node> list = nodes(*rc::gen::inRange<std::size_t>(1, 13));
  for (Node& n : list) {
    n.weight = *rc::gen::element(0.3, 1.0, 1.0, 2.5, 7.0);
    n.rack = "r" + std::to_string(*rc::gen::inRange(0, 4));
    n.zone = "z" + std::to_string(*rc::gen::inRange(0, 2));
    n.host = "h" + std::to_string(*rc::gen::inRange(0, 7));
    n.state = *rc::gen::element(NodeState::normal, NodeState::normal, NodeState::leaving, NodeState::joining);
  }
  auto p = parts("ring", list, *rc::gen::inRange<std::uint32_t>(1, 5),
                 *rc::gen::element(Across::node, Across::host, Across::rack, Across::zone),
                 *rc::gen::inRange<std::uint32_t>(1, 20));
  p.replicas.when_short = *rc::gen::element(WhenShort::refuse, WhenShort::repeat);
  if (*rc::gen::inRange(0, 3) == 0)
    p.replicas.per_zone = {{"z0", *rc::gen::inRange<std::uint32_t>(1, 4)},
                           {"z1", *rc::gen::inRange<std::uint32_t>(0, 4)}};
  auto built = ClusterMap::build(std::move(p));
  RC_PRE(built.ok());
  return *built;
}

}  // namespace arcwise::testing
