// A cascade: servers that fail one after the other because each gets the load of the one before.
//
// Its signature is the order: each that fails is the next owner of a large part of the keys of one that has
// failed shortly before. Independent failures rarely come in that order.
//
// Layer: router. Pure.
#pragma once

#include <optional>
#include <vector>

#include "router/pool.hpp"

namespace arcwise::router {

/// Of `from`'s keys, the part (0…1) whose next owner is `to`. By a sample of keys, the same every time.
double next_share(const Placement& placement, NodeIndex from, NodeIndex to);

class Cascade {
 public:
  /// A node has failed. Returns the nodes of the chain that it ends, itself last, where there are at least as
  /// many as the settings say; nothing otherwise.
  std::vector<NodeIndex> failed(const Placement& placement, NodeIndex node, const Failing& settings,
                                Time now);
  /// Nodes have other numbers now.
  void forget() noexcept { recent_.clear(); }

 private:
  struct Failure {
    Time when{};
    std::vector<NodeIndex> chain;  ///< it is the last
    /// Of some of its keys each one's next owner; nullopt: not looked for yet.
    std::optional<std::vector<NodeIndex>> next;
  };
  std::vector<Failure> recent_;
};

}  // namespace arcwise::router
