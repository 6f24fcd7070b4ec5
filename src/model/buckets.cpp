// Numbered buckets: who holds which, and which are out.
#include <algorithm>
#include <map>

#include "model/build.hpp"

namespace arcwise {
namespace {

std::optional<Error> check_absent(const ClusterMap::Parts& parts, const BuildMarks& marks) {
  const std::string recipe(parts.placement.recipe->name);
  for (std::size_t i = 0; i < parts.nodes.size(); ++i)
    if (!parts.nodes[i].buckets.empty())
      return fault(marks.held_at(static_cast<NodeIndex>(i), parts.nodes[i].buckets.front()),
                   std::to_string(parts.nodes[i].buckets.front()),
                   "node '" + parts.nodes[i].name + "' lists buckets, and recipe '" + recipe + "' has none",
                   "drop `buckets`");
  if (parts.placement.removed.empty()) return std::nullopt;
  return fault(marks.removed_at(0), std::to_string(parts.placement.removed.front()),
               "recipe '" + recipe + "' has no buckets that could be removed", "drop `removed`");
}

// In list order, from 0 on.
void number_in_list_order(ClusterMap::Parts& parts) {
  std::uint32_t next = 0;
  for (Node& node : parts.nodes) {
    if (node.state == NodeState::joining) continue;
    const std::uint64_t count = token_count(node.weight, parts.placement.tokens);
    for (std::uint64_t i = 0; i < count; ++i) node.buckets.push_back(next++);
  }
}

constexpr std::size_t removed_holder = ~std::size_t{0};

// `at`: where `who` lists the bucket.
std::optional<Error> claim(std::map<std::uint32_t, std::size_t>& holder, std::uint32_t bucket,
                           std::size_t who, const ClusterMap::Parts& parts, const Mark& where) {
  const auto [at, fresh] = holder.emplace(bucket, who);
  if (fresh) return std::nullopt;
  const auto name = [&](std::size_t i) {
    return i == removed_holder ? std::string("`removed`") : "node '" + parts.nodes[i].name + "'";
  };
  return fault(where, std::to_string(bucket),
               at->second == who ? "bucket " + std::to_string(bucket) + " is listed twice by " + name(who)
                                 : "bucket " + std::to_string(bucket) + " is listed by " + name(at->second) +
                                       " and by " + name(who),
               "a bucket has one holder, or is removed");
}

// With buckets 0…n-1 each held or removed, the largest is one less than how many there are.
std::optional<Error> check_gap(const std::map<std::uint32_t, std::size_t>& holder,
                               const ClusterMap::Parts& parts, const BuildMarks& marks) {
  const auto [largest, who] = *holder.rbegin();
  if (largest + 1 == holder.size()) return std::nullopt;
  const std::vector<std::uint32_t>& removed = parts.placement.removed;
  const Mark at = who == removed_holder
                      ? marks.removed_at(static_cast<std::size_t>(
                            std::find(removed.begin(), removed.end(), largest) - removed.begin()))
                      : marks.held_at(static_cast<NodeIndex>(who), largest);
  std::uint32_t missing = 0;
  for (const auto& [bucket, holding] : holder) missing += bucket == missing;
  return fault(
      at, std::to_string(largest),
      "nobody holds bucket " + std::to_string(missing) + ", and bucket " + std::to_string(largest) +
          (who == removed_holder ? " is removed" : " is held"),
      parts.placement.recipe->keeps_removals
          ? "list " + std::to_string(missing) + " under `removed`, in the order in which buckets went"
          : "this algorithm has no gaps: only its last buckets can go, so hand this "
            "one to another node, or use anchor or memento");
}

// What the algorithm itself can take of the buckets.
std::optional<Error> check_buckets(const std::map<std::uint32_t, std::size_t>& holder,
                                   const ClusterMap::Parts& parts, const BuildMarks& marks) {
  if (auto error = check_gap(holder, parts, marks)) return error;
  const std::string_view capacity = parts.placement.text("capacity");
  if (!capacity.empty() && holder.size() > static_cast<std::size_t>(parts.placement.integer("capacity")))
    return fault(marks.setting_at("capacity"), std::string(capacity),
                 "there are " + std::to_string(holder.size()) + " buckets, more than the capacity",
                 "a larger capacity moves most keys: choose one for the years to come");
  return std::nullopt;
}

}  // namespace

bool numbered_by_list(const std::vector<Node>& nodes, const PlacementSettings& placement) {
  std::uint32_t next = 0;
  for (const Node& node : nodes)
    for (const std::uint32_t bucket : node.buckets)
      if (bucket != next++) return false;
  return placement.removed.empty();
}

std::optional<Error> number_buckets(ClusterMap::Parts& parts, const BuildMarks& marks) {
  const Recipe& recipe = *parts.placement.recipe;
  if (recipe.points != PointRule::buckets) return check_absent(parts, marks);
  const bool listed =
      std::any_of(parts.nodes.begin(), parts.nodes.end(), [](const Node& n) { return !n.buckets.empty(); });
  if (!listed && parts.placement.removed.empty()) number_in_list_order(parts);
  std::map<std::uint32_t, std::size_t> holder;
  for (std::size_t i = 0; i < parts.nodes.size(); ++i) {
    Node& node = parts.nodes[i];
    std::sort(node.buckets.begin(), node.buckets.end());
    if (node.buckets.empty() == (node.state != NodeState::joining))
      return fault(marks.node_at(i).name, node.name,
                   node.buckets.empty() ? "other nodes list their buckets, and this one none"
                                        : "a node that is joining holds no bucket yet",
                   "list the buckets of every node that is not joining, or of none");
    for (std::uint32_t bucket : node.buckets)
      if (auto error = claim(holder, bucket, i, parts, marks.held_at(static_cast<NodeIndex>(i), bucket)))
        return error;
  }
  if (!recipe.keeps_removals && !parts.placement.removed.empty())
    return fault(marks.removed_at(0), std::to_string(parts.placement.removed.front()),
                 "this algorithm cannot remember removals: only its last buckets can go",
                 "use anchor or memento");
  for (std::size_t i = 0; i < parts.placement.removed.size(); ++i)
    if (auto error = claim(holder, parts.placement.removed[i], removed_holder, parts, marks.removed_at(i)))
      return error;
  return check_buckets(holder, parts, marks);
}

}  // namespace arcwise
