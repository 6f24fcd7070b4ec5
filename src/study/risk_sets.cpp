#include "study/risk_sets.hpp"

#include <algorithm>
#include <cmath>

#include "study/sample_keys.hpp"

namespace arcwise {
namespace {

constexpr std::size_t merge_from = std::size_t{1} << 20;
constexpr std::int64_t sample_count = std::int64_t{1}
                                      << 18;  // a power of two, so that the shares add up to 1
constexpr std::uint64_t sample_seed = 1;

// Sorts the sets and joins equal ones; members keep only what is still referred to.
void merge(ReplicaSets& all) {
  std::sort(all.sets.begin(), all.sets.end(), [&](const auto& a, const auto& b) {
    const auto x = all.owners(a), y = all.owners(b);
    return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
  });
  ReplicaSets merged;
  for (const auto& set : all.sets) {
    const auto owners = all.owners(set);
    if (!merged.sets.empty()) {
      const auto last = merged.owners(merged.sets.back());
      if (std::equal(last.begin(), last.end(), owners.begin(), owners.end())) {
        merged.sets.back().share += set.share;
        continue;
      }
    }
    merged.sets.push_back({static_cast<std::uint32_t>(merged.members.size()), set.size, set.share});
    merged.members.insert(merged.members.end(), owners.begin(), owners.end());
  }
  all.members = std::move(merged.members);
  all.sets = std::move(merged.sets);
}

// Takes in one range or key after the other.
class Collector {
 public:
  explicit Collector(const ClusterMap& map) : can_fail_(map.nodes().size()) {
    for (std::size_t n = 0; n < can_fail_.size(); ++n)
      can_fail_[n] = map.nodes()[n].state != NodeState::joining;
  }

  void add(std::span<NodeIndex> owners, Share share) {
    std::sort(owners.begin(), owners.end());
    all_.sets.push_back(
        {static_cast<std::uint32_t>(all_.members.size()), static_cast<std::uint32_t>(owners.size()), share});
    all_.members.insert(all_.members.end(), owners.begin(), owners.end());
    for (NodeIndex n : owners) can_fail_[n] = true;
    // A ring of many tokens and few nodes makes the same sets over and over: joining them as we go bounds the
    // memory.
    if (all_.sets.size() < merge_at_) return;
    merge(all_);
    merge_at_ = std::max(merge_from, 2 * all_.sets.size());
  }

  ReplicaSets take() {
    merge(all_);
    for (std::size_t n = 0; n < can_fail_.size(); ++n)
      if (can_fail_[n]) all_.nodes.push_back(static_cast<NodeIndex>(n));
    return std::move(all_);
  }

 private:
  ReplicaSets all_;
  std::vector<bool> can_fail_;
  std::size_t merge_at_ = merge_from;
};

}  // namespace

ReplicaSets replica_sets(const Placement& placement) {
  Collector collector(placement.map());
  std::vector<NodeIndex> owners(placement.max_owners());
  const std::span<NodeIndex> buffer(owners);
  if (placement.traits().enumerable) {
    for (std::size_t i = 0; i < placement.region_count(); ++i)
      collector.add(buffer.first(placement.region_owners(i, {}, buffer)),
                    share_of(placement.map().domain(), placement.region(i)));
    return collector.take();
  }
  SampleKeys keys(sample_seed);
  for (std::int64_t i = 0; i < sample_count; ++i) {
    const std::string_view key = keys.next();
    collector.add(buffer.first(placement.owners({key, placement.hash(key), {}}, buffer)),
                  {Share::one / sample_count});
  }
  ReplicaSets sets = collector.take();
  // Half the 95 % interval of a share of one half, the widest there is.
  sets.sampled = Sampled{sample_count, 0.98 / std::sqrt(static_cast<double>(sample_count))};
  return sets;
}

Breaks breaks_quorum(const Level& level) {
  Breaks breaks{};
  for (std::uint32_t owners = 0; owners < breaks.size(); ++owners) {
    const std::uint32_t needed = level.needed(owners);
    breaks[owners] = needed > owners ? 0 : owners - needed + 1;
  }
  return breaks;
}

Breaks breaks_data() {
  Breaks breaks{};
  for (std::uint32_t owners = 0; owners < breaks.size(); ++owners) breaks[owners] = owners;
  return breaks;
}

}  // namespace arcwise
