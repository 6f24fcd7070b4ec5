#include "study/plan_safety.hpp"

#include <algorithm>
#include <map>

#include "model/build.hpp"

namespace arcwise {
namespace {

std::vector<bool> numbered(const NodeUnion& nodes, const std::set<std::string>& names) {
  std::vector<bool> out(nodes.names.size());
  for (std::size_t n = 1; n < out.size(); ++n) out[n] = names.count(nodes.names[n]) > 0;
  return out;
}

// Numbers for the groups of a level, by node number.
std::vector<std::uint32_t> group_numbers(const NodeUnion& nodes, const ClusterMap& map,
                                         const std::vector<std::uint32_t>& numbers, Across level) {
  std::map<std::string, std::uint32_t> known;
  std::vector<std::uint32_t> out(nodes.names.size());
  for (NodeIndex n = 0; n < map.nodes().size(); ++n)
    out[numbers[n]] =
        known.emplace(group_name(map.nodes()[n], level), static_cast<std::uint32_t>(known.size()))
            .first->second;
  return out;
}

bool holds(std::span<const std::uint32_t> owners, std::uint32_t node) {
  return std::find(owners.begin(), owners.end(), node) != owners.end();
}

std::size_t distinct(const std::vector<std::uint32_t>& holders, std::span<const std::uint32_t> group) {
  std::size_t count = 0;
  for (auto h = holders.begin(); h != holders.end(); ++h)
    count += std::none_of(holders.begin(), h, [&](std::uint32_t o) { return group[o] == group[*h]; });
  return count;
}

}  // namespace

SafetyTally::SafetyTally(const NodeUnion& nodes, const ClusterMap& before, const ClusterMap& after,
                         const std::set<std::string>& gone, const std::set<std::string>& down)
    : nodes_(nodes),
      level_(serving_level(before)),
      gone_(numbered(nodes, gone)),
      down_(numbered(nodes, down)),
      racks_before_(group_numbers(nodes, before, nodes.before, Across::rack)),
      racks_after_(group_numbers(nodes, after, nodes.after, Across::rack)),
      hosts_before_(group_numbers(nodes, before, nodes.before, Across::host)),
      hosts_after_(group_numbers(nodes, after, nodes.after, Across::host)),
      first_before_(nodes.names.size()),
      first_after_(nodes.names.size()) {
  for (Phase* phase : {&before_, &during_, &after_}) phase->breaks.resize(nodes.names.size());
}

void SafetyTally::count(Phase& phase, std::size_t owners, const Numbers& holders,
                        std::span<const std::uint32_t> racks, std::span<const std::uint32_t> hosts,
                        Share share) {
  const auto have = static_cast<std::uint32_t>(holders.size());
  phase.seen.fewest = phase.any ? std::min(phase.seen.fewest, have) : have;
  phase.any = true;
  if (have == 0) phase.seen.without += share;
  const std::uint32_t needed = level_.needed(owners);
  if (have < needed) phase.seen.below_quorum += share;
  if (have == needed)
    for (std::uint32_t n : holders) phase.breaks[n] += share;
  if (distinct(holders, racks) < racks_had_) phase.seen.fewer_racks += share;
  if (distinct(holders, hosts) < hosts_had_) phase.seen.fewer_hosts += share;
}

// Worked example: A, B, C become A, B, N, and C is replaced by N. Before, the three hold the range; during, A
// and B; after, A, B and N. Had N been added instead, C would hold it during the step, too. Were A and B
// down, nobody could fill N.
void SafetyTally::add(std::span<const std::uint32_t> before, std::span<const std::uint32_t> after,
                      Share share) {
  if (share.units == 0) return;
  held_before_.clear();
  held_during_.clear();
  held_after_.clear();
  for (std::uint32_t n : before) {
    if (down_[n]) continue;
    held_before_.push_back(n);
    if (!gone_[n]) held_during_.push_back(n);
  }
  const bool fillable = before.empty() || !held_during_.empty();
  for (std::uint32_t n : after)
    if (!down_[n] && fillable) held_after_.push_back(n);
  racks_had_ = distinct(held_before_, racks_before_);
  hosts_had_ = distinct(held_before_, hosts_before_);
  count(before_, before.size(), held_before_, racks_before_, hosts_before_, share);
  count(during_, before.size(), held_during_, racks_before_, hosts_before_, share);
  count(after_, after.size(), held_after_, racks_after_, hosts_after_, share);
  const bool dead = !before.empty() && held_before_.empty();
  if (dead && std::any_of(after.begin(), after.end(), [&](std::uint32_t n) { return !holds(before, n); }))
    unfillable_ += share;
  if (!held_before_.empty() && (held_during_.empty() || held_after_.empty())) lost_ += share;
  if (!before.empty()) first_before_[before[0]] += share;
  if (after.empty()) return;
  first_after_[after[0]] += share;
  if (!holds(before, after[0]) || gone_[after[0]]) cold_ += share;
}

SafetyPhase SafetyTally::judged(const Phase& phase) const {
  constexpr Share rounding{Share::one >> 40};  // of equally bad ones the first by name
  SafetyPhase out = phase.seen;
  Share most;
  for (std::size_t n = 1; n < phase.breaks.size(); ++n)
    if (phase.breaks[n] > most + (out.worst.empty() ? Share{} : rounding)) {
      most = phase.breaks[n];
      out.worst = nodes_.names[n];
    }
  out.worst_share = out.below_quorum + most;
  return out;
}

StepSafety SafetyTally::take() const {
  return {judged(before_), judged(during_), judged(after_), lost_, unfillable_};
}

}  // namespace arcwise
