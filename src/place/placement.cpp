// compile(): points or table, key hasher and replica rule put together behind one type-erased handle.
#include "arcwise/placement.hpp"

#include <array>

#include "place/key_position.hpp"
#include "place/points.hpp"
#include "place/policy.hpp"
#include "place/ring.hpp"
#include "place/table.hpp"

namespace arcwise {

struct Placement::Model {
  virtual ~Model() = default;
  virtual std::size_t owners(std::size_t at, const NodeMask& mask,
                             std::span<NodeIndex> out) const noexcept = 0;
  virtual std::size_t locate(KeyHash hash) const noexcept = 0;
  virtual NodeIndex primary(KeyHash hash) const noexcept = 0;
  virtual void primary(std::span<const std::uint64_t> hashes, std::span<NodeIndex> out) const noexcept = 0;
  virtual void trace(const Query& query, const Trace& trace) const = 0;
  virtual std::size_t region_count() const noexcept = 0;
  virtual Region region(std::size_t i) const noexcept = 0;
  virtual std::size_t region_entry(std::size_t i) const noexcept = 0;
  virtual std::size_t region_at(KeyHash hash) const noexcept = 0;
  virtual std::size_t entry_count() const noexcept = 0;
  virtual Entry entry(std::size_t i) const noexcept = 0;

  Model(ClusterMap m, Traits t) : map(std::move(m)), position(map), rule(ReplicaRule::of(map)), traits(t) {}

  ClusterMap map;
  KeyPosition position;
  ReplicaRule rule;
  Traits traits;
};

namespace {

// A candidate stream with the replica policy applied. Every algorithm gets owners, masks and traces from
// here.
template <class Algorithm>
struct Replicated final : Placement::Model {
  Replicated(const ClusterMap& m, Traits t, Algorithm a) : Model(m, t), algorithm(std::move(a)) {}

  std::size_t owners(std::size_t at, const NodeMask& mask, std::span<NodeIndex> out) const noexcept override {
    Selector selector(rule, mask, out);
    if (selector.full()) return 0;
    algorithm.candidates(at, [&](Token, NodeIndex node) noexcept {
      selector.offer(node);
      return !selector.full();
    });
    return selector.size();
  }
  void trace(const Query& query, const Trace& report) const override {
    std::array<NodeIndex, max_replicas> out;
    Selector selector(rule, query.mask, out);
    if (selector.full()) return;
    algorithm.candidates(algorithm.locate(query.hash), [&](Token token, NodeIndex node) {
      report(token, node, selector.offer(node));
      return !selector.full();
    });
  }
  NodeIndex primary(KeyHash hash) const noexcept override { return algorithm.first(algorithm.locate(hash)); }
  void primary(std::span<const std::uint64_t> hashes, std::span<NodeIndex> out) const noexcept override {
    for (std::size_t i = 0; i < hashes.size(); ++i) out[i] = algorithm.first(algorithm.locate({hashes[i]}));
  }
  std::size_t locate(KeyHash hash) const noexcept override { return algorithm.locate(hash); }
  std::size_t region_count() const noexcept override { return algorithm.region_count(); }
  Region region(std::size_t i) const noexcept override { return algorithm.region(i); }
  std::size_t region_entry(std::size_t i) const noexcept override { return algorithm.region_entry(i); }
  std::size_t region_at(KeyHash hash) const noexcept override { return algorithm.region_at(hash); }
  std::size_t entry_count() const noexcept override { return algorithm.entry_count(); }
  Placement::Entry entry(std::size_t i) const noexcept override { return algorithm.entry(i); }

  Algorithm algorithm;
};

template <class Algorithm>
Placement placed(const ClusterMap& map, Traits traits, Algorithm algorithm) {
  return Placement(std::make_shared<const Replicated<Algorithm>>(map, traits, std::move(algorithm)));
}

// ketama's counts depend on the total weight, so a change of one node moves points of the others: nothing is
// monotone.
Traits traits_of(PointRule rule) {
  switch (rule) {
    case PointRule::hashed_name:
      return {.enumerable = true,
              .monotone_add = true,
              .monotone_remove = true,
              .any_order_removal = true,
              .weighted = true,
              .order_free = true,
              .mask_is_removal = true};
    case PointRule::given:
      return {.enumerable = true,
              .monotone_add = true,
              .monotone_remove = true,
              .any_order_removal = true,
              .weighted = false,
              .order_free = true,
              .mask_is_removal = true};
    case PointRule::ketama_weighted:
      return {.enumerable = true,
              .monotone_add = false,
              .monotone_remove = false,
              .any_order_removal = false,
              .weighted = true,
              .order_free = true,
              .mask_is_removal = false};
    case PointRule::list_index:
      return {.enumerable = true,
              .monotone_add = false,
              .monotone_remove = false,
              .any_order_removal = false,
              .weighted = true,
              .order_free = false,
              .mask_is_removal = false};
    case PointRule::table:
      return {.enumerable = true,
              .monotone_add = true,
              .monotone_remove = true,
              .any_order_removal = true,
              .weighted = false,
              .order_free = true,
              .mask_is_removal = true};
  }
  return {};
}

}  // namespace

Placement compile(const ClusterMap& map) {
  const PointRule rule = map.placement().given ? PointRule::given : map.placement().recipe->points;
  const Traits traits = traits_of(rule);
  if (rule == PointRule::table) return placed(map, traits, OwnerTable(map.placement().table));
  const std::vector<RingPoint> points = ring_points(map);
  if (map.space().last > ~std::uint64_t{0}) return placed(map, traits, TokenRing<u128>(points));
  return placed(map, traits, TokenRing<std::uint64_t>(points));
}

KeyHash Placement::hash(std::string_view key) const noexcept {
  return model_->position.of(key);
}
std::string_view Placement::routing_key(std::string_view key) const noexcept {
  return model_->position.routing_key(key);
}
std::size_t Placement::owners(const Query& query, std::span<NodeIndex> out) const noexcept {
  return model_->owners(model_->locate(query.hash), query.mask, out);
}
NodeIndex Placement::primary(KeyHash hash) const noexcept {
  return model_->primary(hash);
}
void Placement::primary(std::span<const std::uint64_t> hashes, std::span<NodeIndex> out) const noexcept {
  model_->primary(hashes, out);
}
std::size_t Placement::max_owners() const noexcept {
  return model_->rule.count;
}
const Traits& Placement::traits() const noexcept {
  return model_->traits;
}
const ClusterMap& Placement::map() const noexcept {
  return model_->map;
}
std::size_t Placement::region_count() const noexcept {
  return model_->region_count();
}
Region Placement::region(std::size_t i) const noexcept {
  return model_->region(i);
}
std::size_t Placement::region_owners(std::size_t i, const NodeMask& mask,
                                     std::span<NodeIndex> out) const noexcept {
  return model_->owners(model_->region_entry(i), mask, out);
}
std::size_t Placement::region_at(KeyHash hash) const noexcept {
  return model_->region_at(hash);
}
std::size_t Placement::entry_count() const noexcept {
  return model_->entry_count();
}
Placement::Entry Placement::entry(std::size_t i) const noexcept {
  return model_->entry(i);
}
void Placement::trace(const Query& query, const Trace& trace) const {
  model_->trace(query, trace);
}

std::string_view to_string(Verdict verdict) {
  static constexpr std::array<std::string_view, 7> names{"taken",
                                                         "taken: a repeat, fewer groups than replicas",
                                                         "skipped: down",
                                                         "skipped: already an owner",
                                                         "skipped: its host, rack or zone has a copy",
                                                         "skipped: its zone has all its copies",
                                                         "skipped: its zone holds none"};
  return names[static_cast<std::size_t>(verdict)];
}

}  // namespace arcwise
