#include "study/tally.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace arcwise {
namespace {

constexpr std::size_t unmerged_pairs = std::size_t{1} << 16;

// What is in `list` and not in `other`, in the order of `list`.
void missing_from(std::span<const std::uint32_t> list, std::span<const std::uint32_t> other,
                  std::vector<std::uint32_t>& out) {
  out.clear();
  for (std::uint32_t n : list)
    if (std::find(other.begin(), other.end(), n) == other.end()) out.push_back(n);
}

}  // namespace

NodeUnion::NodeUnion(const ClusterMap& map_before, const ClusterMap& map_after) : names{""} {
  for (const ClusterMap* map : {&map_before, &map_after})
    for (const Node& node : map->nodes()) names.push_back(node.name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const auto number = [&](const Node& node) {
    return static_cast<std::uint32_t>(std::lower_bound(names.begin(), names.end(), node.name) -
                                      names.begin());
  };
  for (const Node& node : map_before.nodes()) before.push_back(number(node));
  for (const Node& node : map_after.nodes()) after.push_back(number(node));
}

void Tally::add(std::span<const std::uint32_t> before, std::span<const std::uint32_t> after, Share share,
                std::uint32_t ranges) {
  for (std::uint32_t n : before) nodes_[n].before += share;
  for (std::uint32_t n : after) nodes_[n].after += share;
  if (std::equal(before.begin(), before.end(), after.begin(), after.end())) return;
  differs_ += share;
  const std::uint32_t was_first = before.empty() ? 0 : before[0], is_first = after.empty() ? 0 : after[0];
  if (was_first != is_first) primary_moved_ += share;
  if (was_first != is_first && std::find(before.begin(), before.end(), is_first) != before.end())
    promotions_.add(was_first, is_first, share);
  missing_from(after, before, gained_);
  missing_from(before, after, lost_);
  // Owners A,B,C become N,A,D,B: N takes the copy that C gives up; D copies from A, the first owner before.
  for (std::size_t i = 0; i < gained_.size(); ++i) {
    const std::uint32_t from = i < lost_.size() ? lost_[i] : was_first;
    nodes_[gained_[i]].gained += share;
    nodes_[from].given += share;
    nodes_[gained_[i]].ranges_gained += ranges;
    nodes_[from].ranges_given += ranges;
    moved_ += share;
    transfers_.add(from, gained_[i], share);
  }
  moved_squares_ += static_cast<double>(gained_.size() * gained_.size()) * share.value();
}

void Tally::Pairs::add(std::uint32_t from, std::uint32_t to, Share share) {
  list.emplace_back(std::uint64_t{from} << 32 | to, share);
  if (list.size() > 2 * merged + unmerged_pairs) merge();
}

void Tally::Pairs::merge() {
  const auto fresh = list.begin() + static_cast<std::ptrdiff_t>(merged);
  std::sort(fresh, list.end());
  std::inplace_merge(list.begin(), fresh, list.end());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (kept > 0 && list[kept - 1].first == list[i].first)
      list[kept - 1].second += list[i].second;
    else
      list[kept++] = list[i];
  }
  list.resize(kept);
  merged = kept;
}

void Tally::fill(const NodeUnion& nodes, Diff& out) {
  const auto listed = [&](Pairs& pairs) {
    std::vector<Transfer> found;
    pairs.merge();
    for (const auto& [pair, share] : pairs.list)
      if (share.units) found.push_back({nodes.names[pair >> 32], nodes.names[pair & 0xffffffff], share});
    return found;
  };
  out.differs = differs_;
  out.primary_moved = primary_moved_;
  out.moved = moved_;
  out.transfers = listed(transfers_);
  out.promotions = listed(promotions_);
  for (const Transfer& t : out.transfers)
    if (!t.from.empty() && (out.donors.empty() || out.donors.back() != t.from)) out.donors.push_back(t.from);
  for (std::size_t n = 1; n < nodes_.size(); ++n) {
    const PerNode& node = nodes_[n];
    out.nodes.push_back({nodes.names[n], node.before, node.after, node.gained, node.given, node.ranges_gained,
                         node.ranges_given});
    if (node.after > node.before) out.least += node.after - node.before;
  }
}

double Tally::error_95(std::uint64_t keys) const {
  const double n = static_cast<double>(keys);
  const double mean = moved_.value();
  const double variance = moved_squares_ - mean * mean;
  // No variance seen (nothing moved, or everything): the rule of three bounds what n keys can miss.
  return std::max(1.96 * std::sqrt(std::max(0.0, variance) / n), 3 / n);
}

}  // namespace arcwise
