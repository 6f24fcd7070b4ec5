// compile(): points or table, key hasher and replica rule put together behind one type-erased handle.
#include "arcwise/placement.hpp"

#include <algorithm>
#include <array>

#include "hash/xxh_inline.hpp"
#include "model/build.hpp"
#include "place/chosen.hpp"
#include "place/key_position.hpp"
#include "place/methods.hpp"
#include "place/partitions.hpp"
#include "place/policy.hpp"
#include "place/ring.hpp"
#include "place/slots.hpp"
#include "place/table.hpp"

namespace arcwise {

struct Placement::Model {
  virtual ~Model() = default;
  virtual std::size_t owners(const Query& query, std::span<NodeIndex> out) const noexcept = 0;
  virtual std::size_t region_owners(std::size_t i, const NodeMask& mask,
                                    std::span<NodeIndex> out) const noexcept = 0;
  virtual void walk(const Query& query, CandidateVisit visit) const noexcept = 0;
  virtual NodeIndex primary(KeyHash hash) const noexcept = 0;
  virtual void primary(std::span<const std::uint64_t> hashes, std::span<NodeIndex> out) const noexcept = 0;
  virtual void trace(const Query& query, const Trace& trace) const = 0;
  virtual std::size_t region_count() const noexcept = 0;
  virtual Region region(std::size_t i) const noexcept = 0;
  virtual std::size_t region_at(KeyHash hash) const noexcept = 0;
  virtual std::size_t entry_count() const noexcept = 0;
  virtual Entry entry(std::size_t i) const noexcept = 0;
  /// The model of a map that differs from this one in some nodes; nullptr where it is no cheaper than
  /// compile().
  virtual std::shared_ptr<const Model> changed(const ClusterMap& to, const Method& method) const = 0;

  Model(ClusterMap m, Traits t)
      : map(std::move(m)),
        position(map),
        rule(ReplicaRule::of(map)),
        traits(t),
        any_may_own(std::find(rule.bucket.begin(), rule.bucket.end(), ReplicaRule::unlisted) ==
                    rule.bucket.end()) {}

  ClusterMap map;
  KeyPosition position;
  ReplicaRule rule;
  Traits traits;
  bool any_may_own;  ///< the first candidate is the first owner
  using OwnerOfKey = NodeIndex (*)(const Model&, std::string_view) noexcept;
  OwnerOfKey owner = nullptr;
};

namespace {

// A candidate stream with the replica policy applied. Every algorithm gets owners, masks and traces from
// here.
template <class Algorithm>
struct Replicated final : Placement::Model {
  Replicated(const ClusterMap& m, Traits t, Algorithm a) : Model(m, t), algorithm(std::move(a)) {
    owner = shortest();
  }

  std::size_t owners(const Query& query, std::span<NodeIndex> out) const noexcept override {
    if constexpr (requires { algorithm.near(query.hash); }) {
      // Nearly always the ring's line shows all the candidates there need be.
      const auto near = algorithm.near(query.hash);
      Selector selector(rule, query.mask, out);
      for (NodeIndex node : near.nodes) {
        if (selector.full()) return selector.size();
        selector.offer(node);
      }
      if (!selector.full()) walk_on(algorithm.behind(near, query.hash), query, selector);
      return selector.size();
    } else {
      return select(algorithm.locate(query), query, out);
    }
  }
  void walk_on(std::size_t entry, const Query& query, Selector& selector) const noexcept {
    while (entry >= algorithm.entry_count()) entry -= algorithm.entry_count();
    algorithm.candidates(entry, query, [&](Token, NodeIndex node) noexcept {
      selector.offer(node);
      return !selector.full();
    });
  }
  std::size_t region_owners(std::size_t i, const NodeMask& mask,
                            std::span<NodeIndex> out) const noexcept override {
    return select(algorithm.region_entry(i), Query{{}, {}, mask}, out);
  }
  std::size_t select(std::size_t at, const Query& query, std::span<NodeIndex> out) const noexcept {
    Selector selector(rule, query.mask, out);
    feed(at, query, selector, [&](Token, NodeIndex node) noexcept {
      selector.offer(node);
      return !selector.full();
    });
    return selector.size();
  }
  template <class Visit>
  void feed(std::size_t at, const Query& query, Selector& selector, Visit&& visit) const {
    if constexpr (requires(std::span<NodeIndex> own) { algorithm.own(at, own); }) {
      std::array<NodeIndex, max_replicas> buffer;
      const auto own =
          std::span<NodeIndex>(buffer).first(algorithm.own(at, std::span(buffer).first(rule.count)));
      selector.limit(own.size());
      if (selector.full()) return;
      for (NodeIndex node : own)
        if (!visit(Token{at}, node)) return;
      algorithm.substitutes(at, own, visit);
    } else if (!selector.full()) {
      algorithm.candidates(at, query, visit);
    }
  }
  void walk(const Query& query, CandidateVisit visit) const noexcept override {
    const auto plain = [&](Token, NodeIndex node) noexcept { return visit(node); };
    const std::size_t at = algorithm.locate(query);
    if constexpr (requires(std::span<NodeIndex> own) { algorithm.own(at, own); }) {
      std::array<NodeIndex, max_replicas> buffer;
      const auto own =
          std::span<NodeIndex>(buffer).first(algorithm.own(at, std::span(buffer).first(rule.count)));
      for (NodeIndex node : own)
        if (!visit(node)) return;
      algorithm.substitutes(at, own, plain);
    } else {
      algorithm.candidates(at, query, plain);
    }
  }
  void trace(const Query& query, const Trace& report) const override {
    std::array<NodeIndex, max_replicas> out;
    Selector selector(rule, query.mask, out, Selector::Limit::at_once);
    feed(algorithm.locate(query), query, selector, [&](Token token, NodeIndex node) {
      report(token, node, selector.offer(node));
      return !selector.full();
    });
  }
  // From a key's bytes to its node, by the shortest way there is.
  static NodeIndex owner_by_policy(const Model& model, std::string_view key) noexcept {
    return static_cast<const Replicated&>(model).first_owner({key, model.position.of(key), {}});
  }
  [[gnu::noinline]] static NodeIndex owner_by_hash(const Model& model, std::string_view key) noexcept {
    return static_cast<const Replicated&>(model).algorithm.first(model.position.of(key));
  }
  // Without a call. A long key's hash is one, for which the registers of the short way would have to be kept.
  [[gnu::flatten]] static NodeIndex owner_by_xxh3(const Model& model, std::string_view key) noexcept {
    if (key.size() > usual_key) return owner_by_hash(model, key);
    return static_cast<const Replicated&>(model).algorithm.first({XXH3_64bits(key.data(), key.size())});
  }
  // The same of slots, none of which is beyond the table.
  [[gnu::flatten]] static NodeIndex owner_by_xxh3_slot(const Model& model, std::string_view key) noexcept {
    if (key.size() > usual_key) return owner_by_hash(model, key);
    const std::uint64_t slot = model.position.slot(XXH3_64bits(key.data(), key.size()));
    return static_cast<const Replicated&>(model).algorithm.first_of_slot(static_cast<std::size_t>(slot));
  }
  OwnerOfKey shortest() const noexcept {
    if constexpr (requires { algorithm.first(KeyHash{}); }) {
      if (!any_may_own) return owner_by_policy;
      if (position.way() == KeyPosition::Way::xxh3) return owner_by_xxh3;
      if constexpr (requires { algorithm.slot_count(); })
        if (position.way() == KeyPosition::Way::xxh3_slot && position.remainder() <= algorithm.slot_count())
          return owner_by_xxh3_slot;
      return owner_by_hash;
    } else {
      return owner_by_policy;
    }
  }
  // Out of line, so that the common path saves no registers.
  [[gnu::noinline]] NodeIndex first_owner(const Query& query) const noexcept {
    NodeIndex first = no_node;
    owners(query, {&first, 1});
    return first;
  }
  NodeIndex primary(KeyHash hash) const noexcept override {
    if constexpr (requires { algorithm.first(hash); })
      return any_may_own ? algorithm.first(hash) : first_owner({{}, hash, {}});
    else
      return no_node;
  }
  void primary(std::span<const std::uint64_t> hashes, std::span<NodeIndex> out) const noexcept override {
    if constexpr (requires { algorithm.first(hashes, out); })
      if (any_may_own) return algorithm.first(hashes, out);
    for (std::size_t i = 0; i < hashes.size(); ++i) out[i] = primary({hashes[i]});
  }
  std::size_t region_count() const noexcept override { return algorithm.region_count(); }
  Region region(std::size_t i) const noexcept override { return algorithm.region(i); }
  std::size_t region_at(KeyHash hash) const noexcept override { return algorithm.region_at(hash); }
  std::size_t entry_count() const noexcept override { return algorithm.entry_count(); }
  Placement::Entry entry(std::size_t i) const noexcept override { return algorithm.entry(i); }
  std::shared_ptr<const Model> changed(const ClusterMap& to, const Method& method) const override {
    if constexpr (requires(const RingChange& c) { Algorithm(algorithm, c); }) {
      if (const auto change = ring_change(map, to, method))
        return std::make_shared<const Replicated>(to, traits_of(method, to), Algorithm(algorithm, *change));
    }
    return nullptr;
  }

  Algorithm algorithm;
};

template <class Algorithm>
Placement placed(const ClusterMap& map, Traits traits, Algorithm algorithm) {
  return Placement(std::make_shared<const Replicated<Algorithm>>(map, traits, std::move(algorithm)));
}

const Method& method_of(const ClusterMap& map) {
  return *find_method(map.placement().given ? "given" : map.placement().recipe->method);
}

// By name: their order must not be the list's.
std::vector<NodeIndex> nodes_without(const ClusterMap& map, const std::vector<NodeIndex>& owner_of_slot) {
  std::vector<bool> has(map.nodes().size());
  for (const NodeIndex node : owner_of_slot)
    if (node != no_node) has[node] = true;
  std::vector<NodeIndex> without;
  for (std::size_t n = 0; n < has.size(); ++n)
    if (!has[n] && map.nodes()[n].state != NodeState::joining) without.push_back(static_cast<NodeIndex>(n));
  std::sort(without.begin(), without.end(),
            [&](NodeIndex a, NodeIndex b) { return map.nodes()[a].name < map.nodes()[b].name; });
  return without;
}

constexpr std::size_t most_line_nodes = 65536;

template <class Word, class Line>
Placement ring_of(const ClusterMap& map, const Method& method, Traits traits) {
  return placed(
      map, traits,
      TokenRing<Word, Line>(ring_order<Word>(map, method), map.placement().recipe->lookup, map.space().last));
}

template <class Line>
Placement ring(const ClusterMap& map, const Method& method, Traits traits) {
  return map.space().last > ~std::uint64_t{0} ? ring_of<u128, Line>(map, method, traits)
                                              : ring_of<std::uint64_t, Line>(map, method, traits);
}

}  // namespace

Placement compile(const ClusterMap& map, const Placement& previous) {
  // Node numbers must fit the lines that there are.
  const bool fits =
      (map.nodes().size() <= most_line_nodes) == (previous.map().nodes().size() <= most_line_nodes);
  if (auto model = fits ? previous.model_->changed(map, method_of(map)) : nullptr)
    return Placement(std::move(model));
  return compile(map);
}

Placement compile(const ClusterMap& map) {
  const PlacementSettings& placement = map.placement();
  const Method& method = method_of(map);
  const Traits traits = traits_of(method, map);
  if (method.partitions)
    return placed(map, traits,
                  Partitions(static_cast<std::size_t>(map.space().last) + 1, method.partitions(map)));
  if (has_equal_parts(*placement.recipe))
    return placed(map, traits, EqualParts(placement.table, map.space()));
  if (placement.recipe->points == PointRule::table && placement.slots && placement.slots <= most_direct_slots)
    return placed(map, traits, SlotTable(placement.table));
  if (placement.recipe->points == PointRule::table) return placed(map, traits, OwnerTable(placement.table));
  if (method.chooser) return placed(map, traits, Chosen(map, method.chooser(map)));
  if (method.slots) {
    std::vector<NodeIndex> owner_of_slot;
    method.slots(map, owner_of_slot);
    std::vector<NodeIndex> without = nodes_without(map, owner_of_slot);
    return placed(map, traits, SlotArray(std::move(owner_of_slot), std::move(without)));
  }
  return map.nodes().size() <= most_line_nodes ? ring<RingLine>(map, method, traits)
                                               : ring<RingPlaces>(map, method, traits);
}

KeyHash Placement::hash(std::string_view key) const noexcept {
  return model_->position.of(key);
}
void Placement::hash(std::span<const std::string_view> keys,
                     std::span<std::uint64_t> positions) const noexcept {
  model_->position.of(keys, positions);
}
std::string_view Placement::routing_key(std::string_view key) const noexcept {
  return model_->position.routing_key(key);
}
bool Placement::hashes_alike(const Placement& other) const noexcept {
  return model_->position.hashes_alike(other.model_->position);
}
std::uint64_t Placement::remainder() const noexcept {
  return model_->position.remainder();
}
std::string Placement::hashed_bytes(std::string_view key) const {
  return model_->position.hashed(key);
}
bool Placement::reads(std::string_view key) const noexcept {
  return model_->position.reads(key);
}
std::size_t Placement::owners(const Query& query, std::span<NodeIndex> out) const noexcept {
  return model_->owners(query, out);
}
NodeIndex Placement::owner(std::string_view key) const noexcept {
  return model_->owner(*model_, key);
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
  return model_->region_owners(i, mask, out);
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
void Placement::walk(const Query& query, bool (*visit)(void*, NodeIndex) noexcept,
                     void* context) const noexcept {
  auto call = [=](NodeIndex node) noexcept { return visit(context, node); };
  model_->walk(query, CandidateVisit(call));
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
