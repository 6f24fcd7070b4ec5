#include "arcwise/risk.hpp"

#include <algorithm>

#include "study/risk_count.hpp"

namespace arcwise {
namespace {

constexpr std::uint32_t most_down = 3;
constexpr std::size_t example_count = 3;
constexpr std::uint32_t example_tries = 1'000'000;

std::uint32_t tolerated(const ReplicaSets& sets, const Breaks& breaks) {
  std::uint32_t first = max_replicas + 1;
  for (const auto& set : sets.sets) first = std::min(first, breaks[set.size]);
  return first == 0 || sets.sets.empty() ? 0 : first - 1;
}

void count_co_owners(const ReplicaSets& sets, Risk& out) {
  const std::vector<NodePair> pairs = co_owners(sets);
  out.co_owner_pairs = pairs.size();
  if (out.nodes >= 2) out.co_owner_fraction = static_cast<double>(pairs.size()) / choose(out.nodes, 2);
  std::vector<std::uint64_t> width(sets.nodes.empty() ? 0 : sets.nodes.back() + std::size_t{1});
  for (const auto& [a, b] : pairs) ++width[a], ++width[b];
  if (sets.nodes.empty()) return;
  out.scatter_width.min = out.scatter_width.max = width[sets.nodes.front()];
  for (NodeIndex n : sets.nodes) {
    out.scatter_width.min = std::min(out.scatter_width.min, width[n]);
    out.scatter_width.max = std::max(out.scatter_width.max, width[n]);
  }
  out.scatter_width.mean = 2 * static_cast<double>(pairs.size()) / static_cast<double>(out.nodes);
}

std::vector<std::string> short_keys(const Placement& placement, const Level& level, const NodeSet& down) {
  std::vector<std::string> keys;
  std::vector<NodeIndex> owners(placement.max_owners());
  for (std::uint32_t i = 0; i < example_tries && keys.size() < example_count; ++i) {
    std::string key = "key:" + std::to_string(i);
    const std::size_t count = placement.owners({key, placement.hash(key), {}}, owners);
    const auto alive = std::count_if(owners.begin(), owners.begin() + static_cast<std::ptrdiff_t>(count),
                                     [&](NodeIndex n) { return !down.contains(n); });
    if (static_cast<std::uint32_t>(alive) < level.needed(count)) keys.push_back(std::move(key));
  }
  return keys;
}

}  // namespace

std::uint32_t Level::needed(std::size_t owners) const {
  switch (kind) {
    case Kind::quorum:
      return static_cast<std::uint32_t>(owners / 2 + 1);
    case Kind::one:
      return 1;
    case Kind::all:
      return std::max(1u, static_cast<std::uint32_t>(owners));
    case Kind::count:
      return count;
  }
  return count;
}

std::optional<Level> find_level(std::string_view text) {
  if (text == "quorum") return Level{Level::Kind::quorum, 0};
  if (text == "one") return Level{Level::Kind::one, 0};
  if (text == "all") return Level{Level::Kind::all, 0};
  Level level{Level::Kind::count, 0};
  for (char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    level.count = level.count * 10 + static_cast<std::uint32_t>(c - '0');
    if (level.count > max_replicas) return std::nullopt;
  }
  return level.count ? std::optional(level) : std::nullopt;
}

Level serving_level(const ClusterMap& map) {
  return map.placement().recipe->promotes ? Level{Level::Kind::one, 0} : Level{};
}

Risk risk(const Placement& placement, const Level& level) {
  const ReplicaSets sets = replica_sets(placement);
  const Breaks quorum = breaks_quorum(level);
  Risk out;
  out.nodes = sets.nodes.size();
  out.sampled = sets.sampled;
  out.replica_sets = static_cast<std::uint64_t>(
      std::count_if(sets.sets.begin(), sets.sets.end(), [](const auto& set) { return set.size > 0; }));
  out.tolerated = tolerated(sets, quorum);
  count_co_owners(sets, out);

  const Breakers quorum_breakers(sets, quorum), data_breakers(sets, breaks_data());
  const bool countable = out.nodes <= max_counted_nodes;
  for (std::uint32_t down = 1; down <= std::min<std::uint64_t>(countable ? most_down : 2, out.nodes); ++down)
    out.failures.push_back({down, quorum_breakers.any_broken(down), data_breakers.any_broken(down),
                            expected_broken(sets, quorum, down), expected_broken(sets, breaks_data(), down)});
  if (out.nodes < 2) return out;
  out.mean_pair_loss = expected_broken(sets, quorum, 2);
  if (!countable) return out;
  PairLosses losses = pair_losses(sets, quorum, placement.map());
  out.pair_losses = std::move(losses.losses);
  out.worst_pair.a = placement.map().nodes()[losses.worst.first].name;
  out.worst_pair.b = placement.map().nodes()[losses.worst.second].name;
  out.worst_pair.share = losses.worst_share;
  return out;
}

DownRisk risk_down(const Placement& placement, const Level& level, const NodeSet& down) {
  DownRisk out;
  for (std::size_t n = 0; n < placement.map().nodes().size(); ++n)
    if (down.contains(static_cast<NodeIndex>(n))) out.down.push_back(placement.map().nodes()[n].name);
  std::sort(out.down.begin(), out.down.end());
  const ReplicaSets sets = replica_sets(placement);
  out.sampled = sets.sampled;
  for (const auto& set : sets.sets) {
    const auto owners = sets.owners(set);
    const auto alive =
        std::count_if(owners.begin(), owners.end(), [&](NodeIndex n) { return !down.contains(n); });
    if (static_cast<std::uint32_t>(alive) < level.needed(owners.size())) out.below_quorum += set.share;
    if (alive == 0) out.lost += set.share;
  }
  if (out.below_quorum.units) out.example_keys = short_keys(placement, level, down);
  return out;
}

}  // namespace arcwise
