#include "place/crush.hpp"

#include <array>

#include "hash/ceph.hpp"

namespace arcwise {
namespace {

constexpr std::uint32_t tries = 51;  // choose_total_tries 50, and the first one

std::int64_t straw2_draw(const CrushItem& item, std::uint32_t x, std::uint32_t r) noexcept {
  if (item.weight == 0) return INT64_MIN;
  const std::uint32_t u = rjenkins1(x, static_cast<std::uint32_t>(item.id), r) & 0xffff;
  const std::int64_t ln = static_cast<std::int64_t>(crush_ln(u)) - (std::int64_t{1} << 48);
  return ln / static_cast<std::int64_t>(item.weight);  // towards zero, as in C
}

// Down from a bucket to an item of this type; nullptr: an empty bucket, or the type is not below.
const CrushItem* descend(const CrushTree& tree, std::uint32_t bucket, CrushType type, std::uint32_t x,
                         std::uint32_t r) noexcept {
  while (true) {
    const CrushBucket& at = tree.buckets[bucket];
    if (at.items.empty() || at.type <= type) return nullptr;
    const CrushItem& item = straw2_choose(at, x, r);
    if (item.type == type) return &item;
    if (item.type < type) return nullptr;
    bucket = item.child;
  }
}

bool is_out(const CrushDevice& device, std::uint32_t x) noexcept {
  if (device.reweight >= 0x10000) return false;
  return (rjenkins1(x, static_cast<std::uint32_t>(device.id)) & 0xffff) >= device.reweight;
}

bool has(std::span<const std::uint32_t> taken, std::uint32_t number) noexcept {
  for (std::uint32_t t : taken)
    if (t == number) return true;
  return false;
}

}  // namespace

const CrushItem& straw2_choose(const CrushBucket& bucket, std::uint32_t x, std::uint32_t r) noexcept {
  std::size_t best = 0;
  std::int64_t most = 0;
  for (std::size_t i = 0; i < bucket.items.size(); ++i) {
    const std::int64_t draw = straw2_draw(bucket.items[i], x, r);
    if (i > 0 && draw <= most) continue;
    best = i;
    most = draw;
  }
  return bucket.items[best];
}

std::size_t crush_firstn(const CrushTree& tree, std::uint32_t bucket, CrushType type, std::uint32_t x,
                         std::span<std::uint32_t> out) noexcept {
  std::array<std::uint32_t, max_replicas> taken;  // items of the type, by number; devices are in `out`
  std::size_t size = 0;
  const auto attempt = [&](std::uint32_t r) noexcept {
    const CrushItem* item = descend(tree, bucket, type, x, r);
    if (!item || has({taken.data(), size}, item->child)) return false;
    // vary_r 1 and stable 1: the leaf is looked for once, by the same r.
    const CrushItem* leaf = type == CrushType::osd ? item : descend(tree, item->child, CrushType::osd, x, r);
    if (!leaf || has(out.first(size), leaf->child) || is_out(tree.devices[leaf->child], x)) return false;
    taken[size] = item->child;
    out[size++] = leaf->child;
    return true;
  };
  for (std::uint32_t rep = 0; rep < out.size(); ++rep)
    for (std::uint32_t failures = 0; failures < tries; ++failures)
      if (attempt(rep + failures)) break;
  return size;
}

std::uint32_t ceph_stable_mod(std::uint32_t h, std::uint32_t count) noexcept {
  std::uint32_t mask = 0;
  while (mask < count - 1) mask = mask << 1 | 1;
  return (h & mask) < count ? h & mask : h & (mask >> 1);
}

}  // namespace arcwise
