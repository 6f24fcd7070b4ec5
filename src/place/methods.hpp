// Methods: from the nodes of a map to an answer, one function a rule, named by the recipe's row.
//
// A method has one of four forms:
//   ring        points on the circle; the recipe's lookup and tie rules do the rest
//   slots       the owner of every slot 0…space.last
//   partitions  the copies of every partition 0…space.last, and who stands in for them
//   chooser     candidates computed from the key itself (rendezvous, jump and kin), where no region is
//               constant
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "arcwise/placement.hpp"

namespace arcwise {

struct RingPoint {
  Token token;
  NodeIndex node;
};

/// Gives candidates in preference order until told to stop. A plain function pointer with context, so that a
/// walk allocates nothing.
class CandidateVisit {
 public:
  template <class F>
  CandidateVisit(F& f) noexcept
      : context_(&f), call_([](void* c, NodeIndex n) noexcept { return (*static_cast<F*>(c))(n); }) {}
  bool operator()(NodeIndex node) const noexcept { return call_(context_, node); }

 private:
  void* context_;
  bool (*call_)(void*, NodeIndex) noexcept;
};

/// Immutable; safe to share between threads.
class Chooser {
 public:
  virtual ~Chooser() = default;
  /// Calls `visit` with candidates (repeats allowed, every owning node at some point) until it returns false.
  /// `routing_key` is the part of the key that is hashed; query.hash its hash. No allocation.
  virtual void candidates(const Query& query, std::string_view routing_key,
                          CandidateVisit visit) const noexcept = 0;
};

/// Immutable; safe to share between threads; allocates nothing.
class Partitioner {
 public:
  virtual ~Partitioner() = default;
  /// The nodes where a partition's copies belong, distinct, in preference order, up to out.size().
  virtual std::size_t own(std::size_t partition, std::span<NodeIndex> out) const noexcept = 0;
  /// Calls `visit` with nodes that stand in for masked ones (repeats allowed) until it returns false.
  virtual void substitutes(std::size_t partition, std::span<const NodeIndex> own,
                           CandidateVisit visit) const noexcept = 0;
};

struct Method {
  std::string_view name;
  Traits traits;
  /// Later candidates are drawn again from another hash of the key. A bucket that leaves is then replaced by
  /// others wherever it stood, also where its node was passed over for its rack; so nothing is monotone where
  /// copies are spread over groups of nodes.
  bool draws_again = false;
  void (*ring)(const ClusterMap& map, std::vector<RingPoint>& points) = nullptr;
  /// A ring where each node's points depend on that node alone.
  void (*node_points)(const ClusterMap& map, NodeIndex node, std::vector<RingPoint>& points) = nullptr;
  void (*slots)(const ClusterMap& map, std::vector<NodeIndex>& owner_of_slot) = nullptr;
  std::unique_ptr<const Partitioner> (*partitions)(const ClusterMap& map) = nullptr;
  std::unique_ptr<const Chooser> (*chooser)(const ClusterMap& map) = nullptr;

  bool is_ring() const noexcept { return ring || node_points; }
};

/// Every method of every family. nullptr: no such name; a test holds every row of the recipe table against
/// it.
const Method* find_method(std::string_view name);

std::span<const Method> own_placement_methods();
std::span<const Method> ketama_methods();
std::span<const Method> proxy_methods();
std::span<const Method> chooser_methods();
std::span<const Method> store_methods();

/// What the method promises under a replica policy, where a map lists each node's buckets.
Traits traits_of(const Method& method, const ReplicaPolicy& policy);
/// The same of a map as it stands: where buckets are numbered by the list, another list is another placement.
Traits traits_of(const Method& method, const ClusterMap& map);

/// Nodes that own something, in list order.
std::vector<NodeIndex> owning_nodes(const ClusterMap& map);

}  // namespace arcwise
