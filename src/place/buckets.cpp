#include "place/buckets.hpp"

#include "hash/splitmix.hpp"
#include "place/anchor.hpp"
#include "place/jump.hpp"
#include "place/jump_back.hpp"
#include "place/memento.hpp"

namespace arcwise {
namespace {

std::vector<NodeIndex> holders(const ClusterMap& map) {
  std::vector<NodeIndex> out;
  for (NodeIndex n : owning_nodes(map))
    for (std::uint32_t bucket : map.nodes()[n].buckets) {
      if (bucket >= out.size()) out.resize(bucket + 1, no_node);
      out[bucket] = n;
    }
  for (std::uint32_t bucket : map.placement().removed)
    if (bucket >= out.size()) out.resize(bucket + 1, no_node);
  return out;
}

template <class Algorithm>
class Bucketed final : public Chooser {
 public:
  Bucketed(std::vector<NodeIndex> holders, Algorithm algorithm)
      : holder_(std::move(holders)), algorithm_(std::move(algorithm)) {}

  void candidates(const Query& query, std::string_view, CandidateVisit visit) const noexcept override {
    const auto key = static_cast<std::uint64_t>(query.hash.value);
    const std::uint32_t first = algorithm_(key);
    if (!visit(holder_[first])) return;
    const std::size_t tries = 64 + 2 * holder_.size();
    for (std::size_t i = 1; i <= tries; ++i)
      if (!visit(holder_[algorithm_(mix64(key + i * 0x9e3779b97f4a7c15u))])) return;
    for (std::size_t i = 0; i < holder_.size(); ++i) {
      const NodeIndex node = holder_[(first + i) % holder_.size()];
      if (node != no_node && !visit(node)) return;
    }
  }

 private:
  std::vector<NodeIndex> holder_;  ///< of each bucket; no_node: it is out
  Algorithm algorithm_;
};

template <class Make>
std::unique_ptr<const Chooser> bucketed(const ClusterMap& map, const Make& make) {
  std::vector<NodeIndex> holder = holders(map);
  auto algorithm = make(static_cast<std::uint32_t>(holder.size()));
  return std::make_unique<Bucketed<decltype(algorithm)>>(std::move(holder), std::move(algorithm));
}

}  // namespace

std::unique_ptr<const Chooser> jump_buckets(const ClusterMap& map) {
  return bucketed(map, [](std::uint32_t count) {
    return [count](std::uint64_t key) noexcept { return jump(key, count); };
  });
}

std::unique_ptr<const Chooser> jump_back_buckets(const ClusterMap& map) {
  return bucketed(map, [](std::uint32_t count) {
    return [count](std::uint64_t key) noexcept { return jump_back(key, count); };
  });
}

std::unique_ptr<const Chooser> anchor_buckets(const ClusterMap& map) {
  const auto capacity = static_cast<std::uint32_t>(map.placement().integer("capacity"));
  return bucketed(map, [&](std::uint32_t count) { return Anchor(capacity, count, map.placement().removed); });
}

std::unique_ptr<const Chooser> memento_buckets(const ClusterMap& map) {
  return bucketed(map, [&](std::uint32_t count) { return Memento(count, map.placement().removed); });
}

}  // namespace arcwise
