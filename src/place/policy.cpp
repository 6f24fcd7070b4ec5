#include "place/policy.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "model/build.hpp"

namespace arcwise {

ReplicaRule ReplicaRule::of(const ClusterMap& map) {
  ReplicaPolicy policy = map.replicas();
  if (map.placement().recipe->points == PointRule::table) {
    // Owners are listed, not chosen: two on one rack are a fault for check() to name, not one owner.
    policy.across = Across::node;
    policy.per_zone.clear();
  }
  ReplicaRule rule;
  rule.count = policy.count;
  rule.repeat = policy.when_short == WhenShort::repeat;
  rule.distinct_nodes_only = policy.across == Across::node && policy.per_zone.empty();
  if (policy.per_zone.empty()) rule.want.push_back(policy.count);
  for (const ZoneCount& zone : policy.per_zone) rule.want.push_back(zone.count);

  // Where owners differ in nothing but themselves, names need not be looked at.
  const bool groups_are_nodes = rule.distinct_nodes_only;
  std::map<std::string, std::uint32_t> groups;
  for (std::size_t n = 0; n < map.nodes().size(); ++n) {
    const Node& node = map.nodes()[n];
    std::uint8_t bucket = 0;
    if (!policy.per_zone.empty()) {
      const auto at = std::find_if(policy.per_zone.begin(), policy.per_zone.end(),
                                   [&](const ZoneCount& z) { return z.zone == node.zone; });
      bucket =
          at == policy.per_zone.end() ? unlisted : static_cast<std::uint8_t>(at - policy.per_zone.begin());
    }
    // Counts are kept zone by zone, so a host that claims two zones is two groups.
    const auto next = static_cast<std::uint32_t>(rule.members.size());
    const std::uint32_t group =
        groups_are_nodes
            ? next
            : groups.emplace(std::to_string(bucket) + '\n' + group_name(node, policy.across), next)
                  .first->second;
    if (group == next) {
      rule.members.emplace_back();
      rule.group_bucket.push_back(bucket);
    }
    rule.group.push_back(group);
    rule.bucket.push_back(bucket);
    if (node.state == NodeState::joining) continue;
    rule.members[group].push_back(static_cast<NodeIndex>(n));
  }
  for (std::size_t b = 0; b < rule.want.size(); ++b)
    rule.repeats.push_back(rule.repeats_with(static_cast<std::uint8_t>(b), {}));
  rule.reachable = rule.reachable_with({});
  return rule;
}

std::uint32_t ReplicaRule::groups_alive(std::uint8_t bucket_number, const NodeMask& mask,
                                        std::uint32_t enough) const noexcept {
  std::uint32_t alive = 0;
  for (std::size_t g = 0; g < members.size() && alive < enough; ++g)
    if (group_bucket[g] == bucket_number &&
        std::any_of(members[g].begin(), members[g].end(), [&](NodeIndex n) { return !mask.skips(n); }))
      ++alive;
  return alive;
}

std::uint32_t ReplicaRule::nodes_alive(std::uint8_t bucket_number, const NodeMask& mask,
                                       std::uint32_t enough) const noexcept {
  std::uint32_t alive = 0;
  for (std::size_t g = 0; g < members.size() && alive < enough; ++g)
    if (group_bucket[g] == bucket_number)
      for (NodeIndex n : members[g]) alive += !mask.skips(n);
  return std::min(alive, enough);
}

std::uint32_t ReplicaRule::reachable_with(const NodeMask& mask) const noexcept {
  std::uint32_t owners = 0;
  for (std::size_t b = 0; b < want.size(); ++b) {
    const auto number = static_cast<std::uint8_t>(b);
    owners += repeat ? nodes_alive(number, mask, want[b]) : groups_alive(number, mask, want[b]);
  }
  return owners;
}

// Two racks, three copies: one rack may repeat. With rack r2 masked whole, only r1 is counted, so two may.
std::uint32_t ReplicaRule::repeats_with(std::uint8_t bucket_number, const NodeMask& mask) const noexcept {
  if (!repeat) return 0;
  return want[bucket_number] - groups_alive(bucket_number, mask, want[bucket_number]);
}

Selector::Selector(const ReplicaRule& rule, const NodeMask& mask, std::span<NodeIndex> out,
                   Limit limit) noexcept
    : rule_(rule),
      mask_(mask),
      out_(out),
      limit_(std::min<std::size_t>(rule.reachable, out.size())),
      masked_(!mask.words.empty()) {
  if (limit == Limit::at_once) learn_limit();
}

// A rack down whole leaves fewer owners to find; without this, the walk would go round for the missing ones.
void Selector::learn_limit() noexcept {
  if (masked_) limit_ = std::min<std::size_t>(limit_, rule_.reachable_with(mask_));
}

bool Selector::may_repeat(std::uint8_t bucket) noexcept {
  if (!rule_.repeat) return false;
  if (!repeats_known_)
    for (std::size_t b = 0; b < rule_.want.size(); ++b)
      repeats_left_[b] = masked_ ? rule_.repeats_with(static_cast<std::uint8_t>(b), mask_) : rule_.repeats[b];
  repeats_known_ = true;
  if (repeats_left_[bucket] == 0) return false;
  --repeats_left_[bucket];
  return true;
}

bool Selector::has(NodeIndex node) const noexcept {
  for (std::size_t i = 0; i < size_; ++i)
    if (out_[i] == node) return true;
  return false;
}

Verdict Selector::offer(NodeIndex node) noexcept {
  const Verdict verdict = judge(node);
  if (verdict != Verdict::taken && verdict != Verdict::taken_repeat && ++refused_ == patience) learn_limit();
  return verdict;
}

Verdict Selector::judge(NodeIndex node) noexcept {
  if (masked_ && mask_.skips(node)) return Verdict::masked;
  if (has(node)) return Verdict::already_owner;
  if (rule_.distinct_nodes_only) {
    out_[size_++] = node;
    return Verdict::taken;
  }
  const std::uint8_t bucket = rule_.bucket[node];
  if (bucket == ReplicaRule::unlisted) return Verdict::zone_unlisted;
  std::uint32_t in_bucket = 0;
  bool group_used = false;
  for (std::size_t i = 0; i < size_; ++i) {
    in_bucket += rule_.bucket[out_[i]] == bucket;
    group_used |= rule_.group[out_[i]] == rule_.group[node];
  }
  if (in_bucket == rule_.want[bucket]) return Verdict::zone_full;
  if (group_used && !may_repeat(bucket)) return Verdict::group_used;
  out_[size_++] = node;
  return group_used ? Verdict::taken_repeat : Verdict::taken;
}

}  // namespace arcwise
