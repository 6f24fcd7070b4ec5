#include "router/cascade.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace arcwise::router {
namespace {

constexpr std::chrono::seconds same_failure{1};  // noticed by several loops
constexpr std::size_t wanted_keys = 100, most_tries = 50'000;

// Where a server's keys go to all others alike, each takes 1/(n-1) of them: a large part is twice that, or
// half of them all where there are few.
double large_share(std::size_t nodes) noexcept {
  return std::min(0.5, 2.0 / static_cast<double>(std::max<std::size_t>(nodes, 2) - 1));
}

}  // namespace

double next_share(const Placement& placement, NodeIndex from, NodeIndex to) {
  NodeSet masked(placement.map().nodes().size());
  masked.insert(from);
  std::size_t found = 0, taken = 0;
  for (std::size_t i = 0; i < most_tries && found < wanted_keys; ++i) {
    const std::string key = "key" + std::to_string(i * 7919);
    if (placement.owner(key) != from) continue;
    ++found;
    std::array<NodeIndex, 1> next{no_node};
    const std::size_t count = placement.owners({key, placement.hash(key), NodeMask(masked)}, next);
    taken += count > 0 && next[0] == to;
  }
  return found == 0 ? 0 : static_cast<double>(taken) / static_cast<double>(found);
}

std::vector<NodeIndex> Cascade::failed(const Placement& placement, NodeIndex node, const Failing& settings,
                                       Time now) {
  for (const Failure& f : recent_)
    if (f.chain.back() == node && now - f.when < same_failure) return {};
  std::erase_if(recent_, [&](const Failure& f) {
    return now - f.when > settings.cascade_window || f.chain.back() == node;
  });
  if (settings.cascade == 0) return {};
  const double large = large_share(placement.map().nodes().size());
  Failure failure{now, {}};
  for (const Failure& before : recent_) {
    if (before.chain.size() < failure.chain.size()) continue;
    if (std::find(before.chain.begin(), before.chain.end(), node) != before.chain.end()) continue;
    if (next_share(placement, before.chain.back(), node) >= large) failure.chain = before.chain;
  }
  failure.chain.push_back(node);
  recent_.push_back(failure);
  return failure.chain.size() >= settings.cascade ? failure.chain : std::vector<NodeIndex>();
}

}  // namespace arcwise::router
