#include "place/methods.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string>

#include "hash/xxh.hpp"
#include "model/build.hpp"

namespace arcwise {
namespace {

// The label is NAME:INDEX. The index is digits only and follows the last colon, so no two (name, index) pairs
// make the same label: "a:1" with index 2 is "a:1:2", and "a" would need the index "1:2".
void hashed_name_points(const ClusterMap& map, NodeIndex n, std::vector<RingPoint>& out) {
  const unsigned drop = 64u - std::min<unsigned>(64, map.space().bits);
  const Node& node = map.nodes()[n];
  const std::uint64_t count = token_count(node.weight, map.placement().tokens);
  std::string label = node.label + ':';
  const std::size_t stem = label.size();
  label.resize(stem + std::numeric_limits<std::uint64_t>::digits10 + 1);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto end = std::to_chars(label.data() + stem, label.data() + label.size(), i).ptr;
    const std::string_view text(label.data(), static_cast<std::size_t>(end - label.data()));
    out.push_back({{xxh3_64(text) >> drop}, n});
  }
}

void given_points(const ClusterMap& map, NodeIndex n, std::vector<RingPoint>& out) {
  for (Token t : map.nodes()[n].tokens) out.push_back({t, n});
}

// Node i of the list is slot i; a weight repeats it.
void list_index_slots(const ClusterMap& map, std::vector<NodeIndex>& out) {
  for (NodeIndex n : owning_nodes(map)) out.insert(out.end(), token_count(map.nodes()[n].weight, 1), n);
}

constexpr Traits pure_ring{.enumerable = true,
                           .monotone_add = true,
                           .monotone_remove = true,
                           .any_order_removal = true,
                           .weighted = true,
                           .order_free = true,
                           .mask_is_removal = true};

constexpr Traits stored() {
  Traits t = pure_ring;
  t.weighted = false;
  return t;
}

constexpr std::array<Method, 5> own_methods{{
    {.name = "hashed-name", .traits = pure_ring, .node_points = hashed_name_points},
    {.name = "given", .traits = stored(), .node_points = given_points},
    {.name = "list-index", .traits = {.enumerable = true, .weighted = true}, .slots = list_index_slots},
    {.name = "table", .traits = stored()},
    {.name = "partitions", .traits = stored()},
}};

}  // namespace

const Method* find_method(std::string_view name) {
  for (const auto family : {std::span<const Method>(own_methods), own_placement_methods(), ketama_methods(),
                            proxy_methods(), chooser_methods(), store_methods()})
    for (const Method& m : family)
      if (m.name == name) return &m;
  return nullptr;
}

Traits traits_of(const Method& method, const ReplicaPolicy& policy) {
  Traits traits = method.traits;
  const bool grouped = policy.across != Across::node || !policy.per_zone.empty();
  if (method.draws_again && grouped)
    traits.monotone_add = traits.monotone_remove = traits.any_order_removal = false;
  return traits;
}

Traits traits_of(const Method& method, const ClusterMap& map) {
  Traits traits = traits_of(method, map.replicas());
  if (map.placement().recipe->points == PointRule::buckets && numbered_by_list(map.nodes(), map.placement()))
    traits.order_free = traits.any_order_removal = false;
  return traits;
}

std::vector<NodeIndex> owning_nodes(const ClusterMap& map) {
  std::vector<NodeIndex> out;
  for (std::size_t n = 0; n < map.nodes().size(); ++n)
    if (map.nodes()[n].state != NodeState::joining) out.push_back(static_cast<NodeIndex>(n));
  return out;
}

}  // namespace arcwise
