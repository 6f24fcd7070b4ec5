// For tests and fuzzers: are two maps the same, field by field?
#pragma once

#include <string>

#include "arcwise/map.hpp"

namespace arcwise::testing {

inline bool same_node(const Node& a, const Node& b) {
  return a.name == b.name && a.label == b.label && a.address == b.address && a.host == b.host &&
         a.weight == b.weight && a.rack == b.rack && a.zone == b.zone && a.state == b.state &&
         a.tokens == b.tokens && a.bucket == b.bucket && a.buckets == b.buckets;
}

inline bool same_placement(const PlacementSettings& a, const PlacementSettings& b) {
  const auto same_row = [](const TableRow& x, const TableRow& y) {
    return x.upto == y.upto && x.owners == y.owners;
  };
  if (a.table.size() != b.table.size()) return false;
  for (std::size_t i = 0; i < a.table.size(); ++i)
    if (!same_row(a.table[i], b.table[i])) return false;
  return a.recipe == b.recipe && a.hash == b.hash && a.tokens == b.tokens && a.given == b.given &&
         a.hash_tag == b.hash_tag && a.slots == b.slots && a.settings == b.settings && a.removed == b.removed;
}

inline bool same_policy(const ReplicaPolicy& a, const ReplicaPolicy& b) {
  if (a.per_zone.size() != b.per_zone.size()) return false;
  for (std::size_t i = 0; i < a.per_zone.size(); ++i)
    if (a.per_zone[i].zone != b.per_zone[i].zone || a.per_zone[i].count != b.per_zone[i].count) return false;
  return a.count == b.count && a.across == b.across && a.when_short == b.when_short;
}

inline bool same_map(const ClusterMap& a, const ClusterMap& b) {
  if (a.nodes().size() != b.nodes().size()) return false;
  for (std::size_t i = 0; i < a.nodes().size(); ++i)
    if (!same_node(a.nodes()[i], b.nodes()[i])) return false;
  return a.cluster() == b.cluster() && a.epoch() == b.epoch() &&
         same_placement(a.placement(), b.placement()) && same_policy(a.replicas(), b.replicas()) &&
         a.space() == b.space() && a.domain() == b.domain();
}

}  // namespace arcwise::testing
