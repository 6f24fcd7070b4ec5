#include "study/apply_buckets.hpp"

#include <algorithm>

namespace arcwise {
namespace {

// Held and removed together are 0…n-1.
std::uint32_t bucket_count(const ClusterMap::Parts& parts) {
  std::size_t count = parts.placement.removed.size();
  for (const Node& node : parts.nodes) count += node.buckets.size();
  return static_cast<std::uint32_t>(count);
}

}  // namespace

void give_buckets(ClusterMap::Parts& parts, Node& node, std::uint64_t count) {
  std::vector<std::uint32_t>& removed = parts.placement.removed;
  while (node.buckets.size() < count) {
    if (removed.empty()) {
      node.buckets.push_back(bucket_count(parts));
    } else {
      node.buckets.push_back(removed.back());
      removed.pop_back();
    }
  }
  std::sort(node.buckets.begin(), node.buckets.end());
}

std::optional<Error> take_buckets(ClusterMap::Parts& parts, Node& node, std::uint64_t count) {
  std::vector<std::uint32_t>& removed = parts.placement.removed;
  while (node.buckets.size() > count) {
    const std::uint32_t bucket = node.buckets.back(), last = bucket_count(parts) - 1;
    if (!parts.placement.recipe->keeps_removals && bucket != last)
      return Error{
          ErrorKind::input,
          {},
          node.name,
          "it holds bucket " + std::to_string(bucket) + ", and this algorithm can only let the last one, " +
              std::to_string(last) + ", go",
          "replace the node under another name, or use anchor or memento, whose buckets go in any order"};
    node.buckets.pop_back();
    if (bucket != last || !removed.empty()) removed.push_back(bucket);
  }
  return std::nullopt;
}

}  // namespace arcwise
