// Inside the model layer: build() with the place of every field, so that its errors can name line and column.
#pragma once

#include "arcwise/map.hpp"

namespace arcwise {

struct NodeMarks {
  Mark name, weight, tokens;
};

struct BuildMarks {
  Mark whole;
  Mark replicas;
  std::vector<NodeMarks> nodes;  ///< empty, or one a node
  bool strict = false;  ///< a written map: more replicas than nodes is an error whatever when_short says
  NodeMarks node_at(std::size_t i) const {
    return i < nodes.size() ? nodes[i] : NodeMarks{whole, whole, whole};
  }
};

Result<ClusterMap> build_marked(ClusterMap::Parts parts, const BuildMarks& marks);

/// The identity at a level: a rack is (zone, rack).
std::string group_name(const Node& node, Across across);

/// What is hashed for a node of this name under this rule.
std::string label_of(LabelRule rule, const std::string& name);

/// nullopt: the recipe has the setting and takes the value.
std::optional<Error> check_setting(const Recipe& recipe, const std::string& name, const std::string& value,
                                   const Mark& at);

struct ClusterMapAccess {
  static ClusterMap make(ClusterMap::Parts parts) {
    return ClusterMap(std::make_shared<const ClusterMap::Parts>(std::move(parts)));
  }
};

}  // namespace arcwise
