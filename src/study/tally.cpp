#include "study/tally.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace arcwise {
namespace {

constexpr std::size_t unmerged_transfers = std::size_t{1} << 16;

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
  if ((before.empty() ? 0 : before[0]) != (after.empty() ? 0 : after[0])) primary_moved_ += share;
  missing_from(after, before, gained_);
  missing_from(before, after, lost_);
  // Owners A,B,C become N,A,D,B: N takes the copy that C gives up; D copies from A, the first owner before.
  const std::uint32_t source = before.empty() ? 0 : before[0];
  for (std::size_t i = 0; i < gained_.size(); ++i) {
    const std::uint32_t from = i < lost_.size() ? lost_[i] : source;
    nodes_[gained_[i]].gained += share;
    nodes_[from].given += share;
    nodes_[gained_[i]].ranges_gained += ranges;
    nodes_[from].ranges_given += ranges;
    moved_ += share;
    add_transfer(from, gained_[i], share);
  }
  moved_squares_ += static_cast<double>(gained_.size() * gained_.size()) * share.value();
}

void Tally::add_transfer(std::uint32_t from, std::uint32_t to, Share share) {
  transfers_.emplace_back(std::uint64_t{from} << 32 | to, share);
  if (transfers_.size() > 2 * merged_ + unmerged_transfers) merge_transfers();
}

void Tally::merge_transfers() {
  const auto fresh = transfers_.begin() + static_cast<std::ptrdiff_t>(merged_);
  std::sort(fresh, transfers_.end());
  std::inplace_merge(transfers_.begin(), fresh, transfers_.end());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < transfers_.size(); ++i) {
    if (kept > 0 && transfers_[kept - 1].first == transfers_[i].first)
      transfers_[kept - 1].second += transfers_[i].second;
    else
      transfers_[kept++] = transfers_[i];
  }
  transfers_.resize(kept);
  merged_ = kept;
}

void Tally::fill(const NodeUnion& nodes, Diff& out) {
  merge_transfers();
  out.differs = differs_;
  out.primary_moved = primary_moved_;
  out.moved = moved_;
  for (const auto& [pair, share] : transfers_) {
    const std::string& from = nodes.names[pair >> 32];
    if (share.units == 0) continue;
    out.transfers.push_back({from, nodes.names[pair & 0xffffffff], share});
    if (!from.empty() && (out.donors.empty() || out.donors.back() != from)) out.donors.push_back(from);
  }
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
