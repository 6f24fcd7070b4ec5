#include "arcwise/keys.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "arcwise/ownership.hpp"
#include "place/methods.hpp"
#include "study/rng.hpp"

namespace arcwise {
namespace {

constexpr std::size_t most_distinct = std::size_t{1} << 18;
constexpr std::size_t most_frequent = std::size_t{1} << 12;
constexpr std::size_t most_hottest = 10;
constexpr std::uint32_t most_parts = 256;

// Mixed again, so that no recipe's own hash decides which keys are sampled.
std::uint64_t print_of(std::string_view key) {
  return Splitmix64(key_hash(KeyHashId::xxh3, key)).next();
}

std::vector<double> targets(const ClusterMap& map) {
  std::vector<bool> serves(map.nodes().size(), map.placement().table.empty());
  for (const TableRow& row : map.placement().table)
    if (!row.owners.empty()) serves[row.owners.front()] = true;
  std::vector<double> out(map.nodes().size());
  double total = 0;
  for (std::size_t n = 0; n < out.size(); ++n) {
    if (serves[n] && map.nodes()[n].state != NodeState::joining) out[n] = map.nodes()[n].weight;
    total += out[n];
  }
  for (double& target : out) target = total > 0 ? target / total : 0;
  return out;
}

bool is_ring(const ClusterMap& map) {
  return map.placement().given || find_method(map.placement().recipe->method)->is_ring();
}

double ratio(double part, double whole) {
  return whole > 0 ? part / whole : 1;
}

}  // namespace

KeyTally::KeyTally(const Placement& placement)
    : placement_(placement), keys_of_(placement.map().nodes().size()) {
  if (!placement.traits().enumerable) return;
  const u128 last = placement.map().domain().last;
  part_hit_.resize(last < most_parts ? static_cast<std::size_t>(last) + 1 : most_parts);
}

void KeyTally::add(std::string_view key) {
  std::array<NodeIndex, max_replicas> owners;
  const KeyHash hash = placement_.hash(key);
  ++keys_;
  if (placement_.owners({key, hash, {}}, owners) == 0) {
    ++unowned_;
    return;
  }
  ++keys_of_[owners[0]];
  const std::uint64_t print = print_of(key);
  count_distinct(print, hash, owners[0]);
  count_frequent(print, key);
}

// A key is in the sample or not, however often it comes: what stays has been counted from its first time on.
void KeyTally::count_distinct(std::uint64_t print, KeyHash hash, NodeIndex node) {
  const auto sampled = [&](std::uint64_t p) { return (p & ((std::uint64_t{1} << level_) - 1)) == 0; };
  if (!sampled(print)) return;
  Distinct& entry = distinct_[print];
  if (entry.count++ > 0) return;
  entry.node = node;
  note_part(hash);
  if (distinct_.size() <= most_distinct) return;
  ++level_;
  std::erase_if(distinct_, [&](const auto& item) { return !sampled(item.first); });
}

void KeyTally::note_part(KeyHash hash) {
  if (part_hit_.empty()) return;
  const u128 last = placement_.map().domain().last;
  const u128 width = last / part_hit_.size() + (part_hit_.size() == most_parts ? 1 : 0);
  const u128 part = part_hit_.size() < most_parts ? hash.value : hash.value / width;
  if (part < part_hit_.size()) part_hit_[static_cast<std::size_t>(part)] = true;
}

// When all counters are taken, every one is lowered; whoever has more than a 4,096th of all keys stays.
void KeyTally::count_frequent(std::uint64_t print, std::string_view key) {
  if (const auto at = frequent_.find(print); at != frequent_.end()) {
    ++at->second.count;
    return;
  }
  if (frequent_.size() < most_frequent) {
    frequent_.emplace(print, Frequent{std::string(key), 1});
    return;
  }
  for (auto& [other, frequent] : frequent_) --frequent.count;
  std::erase_if(frequent_, [](const auto& item) { return item.second.count == 0; });
}

KeySpread KeyTally::spread() const {
  KeySpread out;
  out.keys = keys_;
  out.unowned = unowned_;
  out.sampled = level_ > 0;
  out.distinct = static_cast<std::uint64_t>(distinct_.size()) << level_;
  out.parts = static_cast<std::uint32_t>(part_hit_.size());
  out.parts_hit = static_cast<std::uint32_t>(std::count(part_hit_.begin(), part_hit_.end(), true));
  count_nodes(out);
  explain(out);
  list_hottest(out);
  return out;
}

void KeyTally::count_nodes(KeySpread& out) const {
  const ClusterMap& map = placement_.map();
  const Ownership held = ownership(placement_);
  const std::vector<double> target = targets(map);
  std::vector<std::uint64_t> distinct(keys_of_.size());
  for (const auto& [print, entry] : distinct_) ++distinct[entry.node];
  const bool points = is_ring(map);
  for (std::size_t n = 0; n < keys_of_.size(); ++n) {
    KeySpread::Node node;
    node.keys = keys_of_[n];
    node.share = ratio(static_cast<double>(keys_of_[n]), static_cast<double>(keys_ - unowned_));
    node.distinct_share = ratio(static_cast<double>(distinct[n]), static_cast<double>(distinct_.size()));
    node.hash_share = held.nodes[n].share.value();
    node.target = target[n];
    // Slots and choices follow weights as they do; listed ranges are arcs and nothing else.
    node.point_share =
        points ? static_cast<double>(held.nodes[n].tokens) / static_cast<double>(held.ring_entries)
        : map.placement().table.empty() ? node.hash_share
                                        : node.target;
    out.nodes.push_back(node);
  }
}

void KeyTally::explain(KeySpread& out) const {
  for (std::size_t n = 0; n < out.nodes.size(); ++n)
    if (out.nodes[n].target > 0 &&
        (out.fullest == no_node || out.nodes[n].ratio() > out.nodes[out.fullest].ratio()))
      out.fullest = static_cast<NodeIndex>(n);
  if (out.fullest == no_node || distinct_.empty()) return;
  const KeySpread::Node& node = out.nodes[out.fullest];
  out.factors = {ratio(node.point_share, node.target), ratio(node.hash_share, node.point_share),
                 ratio(node.distinct_share, node.hash_share), ratio(node.share, node.distinct_share)};
  double chi_square = 0;
  int owning = 0;
  const auto keys = static_cast<double>(distinct_.size());
  for (const KeySpread::Node& each : out.nodes) {
    if (each.hash_share <= 0) continue;
    const double off = keys * (each.distinct_share - each.hash_share);
    chi_square += off * off / (keys * each.hash_share);
    ++owning;
  }
  if (owning < 2) return;
  const double freedom = owning - 1, spread = 2 / (9 * freedom);
  out.pattern_sigma = (std::cbrt(chi_square / freedom) - (1 - spread)) / std::sqrt(spread);
}

void KeyTally::list_hottest(KeySpread& out) const {
  for (const auto& [print, frequent] : frequent_) {
    const auto exact = distinct_.find(print);
    const std::uint64_t count = exact == distinct_.end() ? frequent.count : exact->second.count;
    if (count > 1) out.hottest.push_back({frequent.key, count, no_node});
  }
  std::sort(out.hottest.begin(), out.hottest.end(), [](const auto& a, const auto& b) {
    return a.count != b.count ? a.count > b.count : a.key < b.key;
  });
  if (out.hottest.size() > most_hottest) out.hottest.resize(most_hottest);
  std::array<NodeIndex, max_replicas> owners;
  for (KeySpread::HotKey& hot : out.hottest)
    if (placement_.owners({hot.key, placement_.hash(hot.key), {}}, owners) > 0) hot.node = owners[0];
}

}  // namespace arcwise
