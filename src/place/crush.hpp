// CRUSH: Ceph's choice of devices for a placement group: straw2 buckets and the replicated rule
// "take root; chooseleaf firstn n type T; emit" with the tunables of jewel and later.
//
// Layer: place. Choosing is pure, noexcept and allocates nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "place/key_rules.hpp"
#include "place/methods.hpp"

namespace arcwise {

/// Levels of the tree, lowest first. A level that no node names is not in the tree.
enum class CrushType : std::uint8_t { osd, host, rack, zone, root };

struct CrushItem {
  std::int32_t id;       ///< of a device 0 or more, of a bucket negative
  std::uint32_t weight;  ///< 16.16 fixed point
  std::uint32_t child;   ///< which bucket, or which device
  CrushType type;
};

struct CrushBucket {
  CrushType type;
  std::vector<CrushItem> items;
};

struct CrushDevice {
  NodeIndex node;
  std::int32_t id;
  std::uint32_t reweight;  ///< 0x10000 in, 0 out, between: in for that part of the inputs
};

struct CrushTree {
  std::vector<CrushBucket> buckets;  ///< the root first
  std::vector<CrushDevice> devices;
};

/// The item of a bucket with the largest draw for input x and attempt r; the earlier one on a tie.
const CrushItem& straw2_choose(const CrushBucket& bucket, std::uint32_t x, std::uint32_t r) noexcept;

/// chooseleaf firstn of out.size() items of a type below a bucket, each with a device in it: devices by
/// number. Fewer where 51 attempts do not find another. out.size() is at most max_replicas.
std::size_t crush_firstn(const CrushTree& tree, std::uint32_t bucket, CrushType type, std::uint32_t x,
                         std::span<std::uint32_t> out) noexcept;

/// (h & mask) where that is below `count`, else one bit less of it; mask is the next power of two less one.
/// Doubling the count splits each group in two and moves nothing else.
std::uint32_t ceph_stable_mod(std::uint32_t h, std::uint32_t count) noexcept;

/// Of the nodes that own something: zone, rack, host and device, in list order. Ids of buckets from the
/// setting bucket_ids; others get -2, -3, … in the order in which they first appear.
CrushTree crush_tree(const ClusterMap& map);

extern const KeyRuleInfo ceph_key_rule;

std::unique_ptr<const Partitioner> ceph_placement_groups(const ClusterMap& map);

}  // namespace arcwise
