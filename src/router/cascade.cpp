#include "router/cascade.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace arcwise::router {
namespace {

constexpr std::chrono::seconds same_failure{1};  // noticed by several loops
constexpr std::size_t wanted_keys = 100, most_tries = 50'000;
// So many that fail within a second fail together, and none for what another left to it. To look for an order
// among them would also hold clients up: of 200 nodes, each costs a few milliseconds.
constexpr std::size_t crowd = 8;
constexpr std::chrono::seconds together{1};

// Where a server's keys go to all others alike, each takes 1/(n-1) of them: a large part is twice that, or
// half of them all where there are few; and never so little that chance would bring it about, as it does
// where each of 200 nodes has 64 tokens.
double large_share(std::size_t nodes) noexcept {
  return std::clamp(2.0 / static_cast<double>(std::max<std::size_t>(nodes, 2) - 1), 0.1, 0.5);
}

// Of some of the node's keys each one's next owner.
std::vector<NodeIndex> next_owners(const Placement& placement, NodeIndex from) {
  NodeSet masked(placement.map().nodes().size());
  masked.insert(from);
  std::vector<NodeIndex> found;
  for (std::size_t i = 0; i < most_tries && found.size() < wanted_keys; ++i) {
    const std::string key = "key" + std::to_string(i * 7919);
    if (placement.owner(key) != from) continue;
    std::array<NodeIndex, 1> next{no_node};
    placement.owners({key, placement.hash(key), NodeMask(masked)}, next);
    found.push_back(next[0]);
  }
  return found;
}

double share_of(NodeIndex to, const std::vector<NodeIndex>& owners) {
  const auto taken = static_cast<double>(std::count(owners.begin(), owners.end(), to));
  return owners.empty() ? 0 : taken / static_cast<double>(owners.size());
}

}  // namespace

double next_share(const Placement& placement, NodeIndex from, NodeIndex to) {
  return share_of(to, next_owners(placement, from));
}

std::vector<NodeIndex> Cascade::failed(const Placement& placement, NodeIndex node, const Failing& settings,
                                       Time now) {
  for (const Failure& f : recent_)
    if (f.chain.back() == node && now - f.when < same_failure) return {};
  std::erase_if(recent_, [&](const Failure& f) {
    return now - f.when > settings.cascade_window || f.chain.back() == node;
  });
  if (settings.cascade == 0) return {};
  const auto just_now = std::count_if(recent_.begin(), recent_.end(),
                                      [&](const Failure& f) { return now - f.when < together; });
  if (static_cast<std::size_t>(just_now) >= crowd) {
    recent_.push_back({now, {node}, std::vector<NodeIndex>()});
    return {};
  }
  const double large = large_share(placement.map().nodes().size());
  Failure failure{now, {}, {}};
  for (Failure& before : recent_) {
    if (before.chain.size() < failure.chain.size()) continue;
    if (std::find(before.chain.begin(), before.chain.end(), node) != before.chain.end()) continue;
    if (!before.next) before.next = next_owners(placement, before.chain.back());
    if (share_of(node, *before.next) >= large) failure.chain = before.chain;
  }
  failure.chain.push_back(node);
  recent_.push_back(failure);
  return failure.chain.size() >= settings.cascade ? failure.chain : std::vector<NodeIndex>();
}

}  // namespace arcwise::router
