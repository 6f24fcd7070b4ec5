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
      return fault(marks.node_at(i).name, parts.nodes[i].name,
                   "this node lists buckets, and recipe '" + recipe + "' has none", "drop `buckets`");
  if (parts.placement.removed.empty()) return std::nullopt;
  return fault(marks.whole, "removed", "recipe '" + recipe + "' has no buckets that could be removed",
               "drop `removed`");
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

std::optional<Error> claim(std::map<std::uint32_t, std::size_t>& holder, std::uint32_t bucket,
                           std::size_t who, const ClusterMap::Parts& parts, const BuildMarks& marks) {
  const auto [at, fresh] = holder.emplace(bucket, who);
  if (fresh) return std::nullopt;
  const auto name = [&](std::size_t i) {
    return i == removed_holder ? std::string("`removed`") : "node '" + parts.nodes[i].name + "'";
  };
  return fault(who == removed_holder ? marks.whole : marks.node_at(who).name, std::to_string(bucket),
               at->second == who ? "bucket " + std::to_string(bucket) + " is listed twice by " + name(who)
                                 : "bucket " + std::to_string(bucket) + " is listed by " + name(at->second) +
                                       " and by " + name(who),
               "a bucket has one holder, or is removed");
}

// With buckets 0…n-1 each held or removed, the largest is one less than how many there are.
std::optional<Error> check_gap(const std::map<std::uint32_t, std::size_t>& holder, const Recipe& recipe,
                               const BuildMarks& marks) {
  if (holder.rbegin()->first + 1 == holder.size()) return std::nullopt;
  std::uint32_t missing = 0;
  for (const auto& [bucket, who] : holder) missing += bucket == missing;
  return fault(marks.whole, std::to_string(missing),
               "nobody holds bucket " + std::to_string(missing) + ", and bucket " +
                   std::to_string(holder.rbegin()->first) + " is held",
               recipe.keeps_removals
                   ? "list it under `removed`, in the order in which buckets went"
                   : "this algorithm has no gaps: only its last buckets can go, so hand this "
                     "one to another node, or use anchor or memento");
}

}  // namespace

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
      if (auto error = claim(holder, bucket, i, parts, marks)) return error;
  }
  if (!recipe.keeps_removals && !parts.placement.removed.empty())
    return fault(marks.whole, "removed",
                 "this algorithm cannot remember removals: only its last buckets can go",
                 "use anchor or memento");
  for (std::uint32_t bucket : parts.placement.removed)
    if (auto error = claim(holder, bucket, removed_holder, parts, marks)) return error;
  if (auto error = check_gap(holder, recipe, marks)) return error;
  const std::string_view capacity = parts.placement.text("capacity");
  if (!capacity.empty() && holder.size() > static_cast<std::size_t>(parts.placement.integer("capacity")))
    return fault(marks.whole, std::string(capacity),
                 "there are " + std::to_string(holder.size()) + " buckets, more than the capacity",
                 "a larger capacity moves most keys: choose one for the years to come");
  return std::nullopt;
}

}  // namespace arcwise
