#include "place/weighted_rendezvous.hpp"

#include <algorithm>
#include <cmath>

#include "hash/log2.hpp"
#include "hash/splitmix.hpp"
#include "hash/xxh.hpp"
#include "place/rendezvous.hpp"

namespace arcwise {
namespace {

struct Draw {
  std::uint64_t wait;  ///< for a weight of 1
  std::uint64_t hash;  ///< decides between equal waits; larger ones would wait less
};

class WeightedRendezvous final : public Chooser {
 public:
  // In the order of names, which breaks the last ties.
  explicit WeightedRendezvous(const ClusterMap& map) : nodes_(owning_nodes(map)) {
    std::sort(nodes_.begin(), nodes_.end(),
              [&](NodeIndex a, NodeIndex b) { return map.nodes()[a].name < map.nodes()[b].name; });
    for (NodeIndex n : nodes_) {
      seeds_.push_back(xxh3_64(map.nodes()[n].label));
      weights_.push_back(fixed_weight(map.nodes()[n].weight));
    }
  }

  // Waits are compared as wait_a / weight_a < wait_b / weight_b without dividing: 54 bits times 62.
  void candidates(const Query& query, std::string_view, CandidateVisit visit) const noexcept override {
    const auto key = static_cast<std::uint64_t>(query.hash.value);
    const auto draw = [&](std::size_t i) {
      const std::uint64_t hash = mix64(key ^ seeds_[i]);
      return Draw{minus_log2(hash), hash};
    };
    const auto before = [&](const Draw& a, std::size_t i, const Draw& b, std::size_t j) {
      const u128 mine = u128{a.wait} * weights_[j], other = u128{b.wait} * weights_[i];
      if (mine != other) return mine < other;
      return a.hash != b.hash ? a.hash > b.hash : i < j;
    };
    best_first(nodes_, draw, before, visit);
  }

 private:
  std::vector<NodeIndex> nodes_;
  std::vector<std::uint64_t> seeds_, weights_;
};

}  // namespace

std::uint64_t fixed_weight(double weight) noexcept {
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::floor(weight * 1073741824.0 + 0.5)));
}

std::unique_ptr<const Chooser> weighted_rendezvous(const ClusterMap& map) {
  return std::make_unique<WeightedRendezvous>(map);
}

}  // namespace arcwise
