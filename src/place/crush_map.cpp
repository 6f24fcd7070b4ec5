// Ceph's pools on a cluster map: objects to placement groups, nodes to a CRUSH tree, groups to devices.
#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string>

#include "hash/ceph.hpp"
#include "model/build.hpp"
#include "place/crush.hpp"
#include "place/key_types.hpp"
#include "place/partitions.hpp"

namespace arcwise {
namespace {

constexpr std::size_t most_failure_domains = max_replicas;

// An object of a namespace is hashed as namespace, 0x1f, name.
class CephObjects final : public KeyRule {
 public:
  explicit CephObjects(const ClusterMap& map)
      : namespace_(map.placement().text("namespace")),
        groups_(static_cast<std::uint32_t>(map.placement().slots)) {}

  u128 position(std::string_view name) const noexcept override {
    return ceph_stable_mod(hash(name), groups_);
  }
  bool reads(std::string_view name) const noexcept override {
    return namespace_.size() + name.size() < longest_name;
  }
  std::string hashed(std::string_view name) const override {
    return (namespace_.empty() ? "" : namespace_ + separator) + std::string(name);
  }

 private:
  static constexpr std::size_t longest_name = 4096;
  static constexpr char separator = '\x1f';

  std::uint32_t hash(std::string_view name) const noexcept {
    if (namespace_.empty() || !reads(name)) return ceph_rjenkins(name);
    std::array<char, longest_name> room;
    KeyBytes bytes(room);
    bytes.put(namespace_);
    bytes.put(separator);
    bytes.put(name);
    return ceph_rjenkins(bytes.view());
  }

  std::string namespace_;
  std::uint32_t groups_;
};

class TreeBuilder {
 public:
  explicit TreeBuilder(const ClusterMap& map) : map_(map) {
    const auto ids = named_values(map.placement().text("bucket_ids"));
    if (ids)
      for (const auto& [name, text] : *ids) {
        std::int32_t id = 0;
        std::from_chars(text.data(), text.data() + text.size(), id);
        ids_[name] = id;
        used_.insert(id);
      }
    reweights_ = named_values(map.placement().text("reweight")).value_or(decltype(reweights_){});
    tree_.buckets.push_back({CrushType::root, {}});
  }

  CrushTree build() {
    bool racks = false, zones = false;
    const std::vector<NodeIndex> nodes = owning_nodes(map_);
    for (NodeIndex n : nodes) {
      racks |= !map_.nodes()[n].rack.empty();
      zones |= !map_.nodes()[n].zone.empty();
    }
    for (NodeIndex n : nodes) {
      const Node& node = map_.nodes()[n];
      std::vector<std::uint32_t> path{0};
      if (zones) path.push_back(bucket(path.back(), CrushType::zone, node.zone));
      if (racks) path.push_back(bucket(path.back(), CrushType::rack, node.rack));
      path.push_back(bucket(path.back(), CrushType::host, node.host));
      add_device(n, path);
    }
    return std::move(tree_);
  }

 private:
  // The bucket of this name below another, which is made when it first appears.
  std::uint32_t bucket(std::uint32_t parent, CrushType type, const std::string& name) {
    const auto fresh = static_cast<std::uint32_t>(tree_.buckets.size());
    const auto [at, made] = numbers_.emplace(std::pair(parent, name), fresh);
    if (!made) return at->second;
    const auto known = ids_.find(name);
    while (known == ids_.end() && used_.count(next_id_)) --next_id_;
    const std::int32_t id = known == ids_.end() ? next_id_-- : known->second;
    tree_.buckets.push_back({type, {}});
    tree_.buckets[parent].items.push_back({id, 0, fresh, type});
    return fresh;
  }

  void add_device(NodeIndex n, const std::vector<std::uint32_t>& path) {
    const Node& node = map_.nodes()[n];
    const auto number = static_cast<std::uint32_t>(tree_.devices.size());
    const auto id = static_cast<std::int32_t>(osd_number(node, n));
    // As Ceph's own tools make 16.16 of a weight: single precision, cut off.
    const auto weight = static_cast<std::uint32_t>(static_cast<float>(node.weight) * 65536.0F);
    const auto changed = reweights_.find(node.name);
    const double in = changed == reweights_.end() ? 1 : std::strtod(changed->second.c_str(), nullptr);
    tree_.devices.push_back({n, id, static_cast<std::uint32_t>(static_cast<float>(in) * 65536.0F)});
    tree_.buckets[path.back()].items.push_back({id, weight, number, CrushType::osd});
    for (std::size_t depth = 1; depth < path.size(); ++depth)
      for (CrushItem& item : tree_.buckets[path[depth - 1]].items)
        if (item.type != CrushType::osd && item.child == path[depth]) item.weight += weight;
  }

  const ClusterMap& map_;
  CrushTree tree_;
  std::map<std::string, std::int32_t, std::less<>> ids_;
  std::map<std::string, std::string, std::less<>> reweights_;
  std::set<std::int32_t> used_;
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> numbers_;
  std::int32_t next_id_ = -2;  // -1 is the root's, which is never hashed
};

CrushType type_of(Across across) {
  constexpr std::array types{CrushType::osd, CrushType::host, CrushType::rack, CrushType::zone};
  return types[static_cast<std::size_t>(across)];
}

// The rule: firstn from the root; with per_zone one take a zone, in the order of the zones' names.
class PlacementGroups final : public Partitioner {
 public:
  explicit PlacementGroups(const ClusterMap& map)
      : tree_(crush_tree(map)),
        type_(type_of(map.replicas().across)),
        pool_(static_cast<std::uint32_t>(map.placement().integer("pool"))),
        groups_(static_cast<std::uint32_t>(map.placement().integer("pgp_num"))) {
    if (groups_ == 0) groups_ = static_cast<std::uint32_t>(map.placement().slots);
    const ReplicaPolicy& policy = map.replicas();
    if (policy.per_zone.empty()) takes_.push_back({0, policy.count});
    for (const ZoneCount& zone : policy.per_zone) takes_.push_back({zone_bucket(map, zone.zone), zone.count});
  }

  std::size_t own(std::size_t group, std::span<NodeIndex> out) const noexcept override {
    std::size_t size = 0;
    for (const Take& take : takes_)
      choose(group, take, std::min<std::size_t>(take.count, out.size() - size), [&](NodeIndex node) {
        add_distinct(out, size, node);
        return size < out.size();
      });
    return size;
  }

  // The same rule asked for more copies: the first ones stay what they are.
  void substitutes(std::size_t group, std::span<const NodeIndex>,
                   CandidateVisit visit) const noexcept override {
    bool more = true;
    for (const Take& take : takes_)
      if (more) choose(group, take, most_failure_domains, [&](NodeIndex node) { return more = visit(node); });
  }

 private:
  struct Take {
    std::uint32_t bucket;
    std::uint32_t count;
  };

  std::uint32_t zone_bucket(const ClusterMap& map, const std::string& zone) const {
    for (const CrushItem& item : tree_.buckets[0].items)
      if (item.type == CrushType::zone && any_node_in(map, item.child, zone)) return item.child;
    return 0;
  }
  bool any_node_in(const ClusterMap& map, std::uint32_t bucket, const std::string& zone) const {
    for (const CrushItem& item : tree_.buckets[bucket].items)
      if (item.type == CrushType::osd ? map.nodes()[tree_.devices[item.child].node].zone == zone
                                      : any_node_in(map, item.child, zone))
        return true;
    return false;
  }

  template <class Visit>
  void choose(std::size_t group, const Take& take, std::size_t most, Visit&& visit) const noexcept {
    const std::uint32_t x = rjenkins1(ceph_stable_mod(static_cast<std::uint32_t>(group), groups_), pool_);
    std::array<std::uint32_t, max_replicas> devices;
    const std::size_t n = crush_firstn(tree_, take.bucket, type_, x, std::span(devices).first(most));
    for (std::size_t i = 0; i < n; ++i)
      if (!visit(tree_.devices[devices[i]].node)) return;
  }

  CrushTree tree_;
  CrushType type_;
  std::uint32_t pool_;
  std::uint32_t groups_;
  std::vector<Take> takes_;
};

}  // namespace

CrushTree crush_tree(const ClusterMap& map) {
  return TreeBuilder(map).build();
}

const KeyRuleInfo ceph_key_rule{"ceph", "namespace",
                                [](const ClusterMap& map) -> std::unique_ptr<const KeyRule> {
                                  return std::make_unique<CephObjects>(map);
                                }};

std::unique_ptr<const Partitioner> ceph_placement_groups(const ClusterMap& map) {
  return std::make_unique<PlacementGroups>(map);
}

}  // namespace arcwise
