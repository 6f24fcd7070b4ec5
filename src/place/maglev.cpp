#include "place/maglev.hpp"

#include <algorithm>
#include <queue>

#include "hash/xxh.hpp"
#include "place/weighted_rendezvous.hpp"

namespace arcwise {
namespace {

struct Filler {
  NodeIndex node;
  std::uint64_t next, skip, weight;
  std::uint64_t quota = 0;  ///< entries that it gets in all
  std::uint64_t turns = 1;  ///< the turn it takes next
};

// Entries in proportion to the weights, whole ones first; those left over go to the largest remainders, of
// equal ones to the smaller names. Worked example, weights 1 (a), 2 (b) and 4 (c) of 10 entries: 1 3/7, 2 6/7
// and 5 5/7 make 1, 2 and 5, and the two left over go to b and c.
void share_out(std::uint64_t entries, std::vector<Filler>& fillers) {
  u128 all = 0;
  for (const Filler& filler : fillers) all += filler.weight;
  std::vector<u128> remainder;
  std::vector<std::size_t> order;
  std::uint64_t left = entries;
  for (Filler& filler : fillers) {
    const u128 part = u128{entries} * filler.weight;
    filler.quota = static_cast<std::uint64_t>(part / all);
    left -= filler.quota;
    remainder.push_back(part % all);
    order.push_back(order.size());
  }
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    return remainder[i] != remainder[j] ? remainder[i] > remainder[j] : i < j;
  });
  for (std::size_t i = 0; i < left; ++i) ++fillers[order[i]].quota;
}

// A node's k-th turn is due at k/weight, until its quota is full; of equal ones the node whose name is
// smaller comes first. Worked example, weights 1 (a) and 2 (b): b at 1/2, then a and b at 1, b at 3/2, …:
// twice as many for b.
class Turns {
 public:
  explicit Turns(std::vector<Filler> fillers) : fillers_(std::move(fillers)) {
    for (std::size_t i = 0; i < fillers_.size(); ++i)
      if (fillers_[i].quota) heap_.push_back(i);
    std::make_heap(heap_.begin(), heap_.end(), later_);
  }
  Filler& take() {
    std::pop_heap(heap_.begin(), heap_.end(), later_);
    return fillers_[heap_.back()];
  }
  void give_back() {
    Filler& filler = fillers_[heap_.back()];
    if (filler.turns++ == filler.quota)
      heap_.pop_back();
    else
      std::push_heap(heap_.begin(), heap_.end(), later_);
  }

 private:
  struct Later {
    const Turns* turns;
    bool operator()(std::size_t i, std::size_t j) const {
      const Filler& a = turns->fillers_[i];
      const Filler& b = turns->fillers_[j];
      const u128 mine = u128{a.turns} * b.weight, other = u128{b.turns} * a.weight;
      return mine != other ? mine > other : i > j;
    }
  };
  std::vector<Filler> fillers_;
  std::vector<std::size_t> heap_;
  Later later_{this};
};

}  // namespace

void maglev_slots(const ClusterMap& map, std::vector<NodeIndex>& owner_of_slot) {
  const auto size = static_cast<std::uint64_t>(map.placement().integer("table_size"));
  std::vector<NodeIndex> nodes = owning_nodes(map);
  std::sort(nodes.begin(), nodes.end(),
            [&](NodeIndex a, NodeIndex b) { return map.nodes()[a].name < map.nodes()[b].name; });
  std::vector<Filler> fillers;
  for (NodeIndex n : nodes) {
    const Node& node = map.nodes()[n];
    fillers.push_back(
        {n, xxh64(node.label, 1) % size, xxh64(node.label, 2) % (size - 1) + 1, fixed_weight(node.weight)});
  }
  owner_of_slot.assign(static_cast<std::size_t>(size), no_node);
  share_out(size, fillers);
  Turns turns(std::move(fillers));
  for (std::uint64_t filled = 0; filled < size; ++filled) {
    Filler& filler = turns.take();
    while (owner_of_slot[static_cast<std::size_t>(filler.next)] != no_node)
      filler.next = (filler.next + filler.skip) % size;
    owner_of_slot[static_cast<std::size_t>(filler.next)] = filler.node;
    turns.give_back();
  }
}

}  // namespace arcwise
