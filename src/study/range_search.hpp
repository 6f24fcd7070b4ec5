// The search for moves, leads, swaps and cuts that bring every node within the tolerance.
//
// Layer: study.
#pragma once

#include <vector>

#include "study/range_copies.hpp"
#include "study/range_fair.hpp"

namespace arcwise {

class RangeSearch {
 public:
  RangeSearch(const ClusterMap& map, const MeasuredLoad& load, const BalanceLimits& limits);

  void run();
  /// In ring order once run() is through.
  const std::vector<Piece>& pieces() const { return pieces_; }
  const FairShares& shares() const { return shares_; }
  const RangeRules& rules() const { return rules_; }
  bool spent() const { return spent_; }  ///< a move was passed over because of the limits on moves or bytes

  double over(NodeIndex n, Resource r) const;
  double limit() const { return 1 + limits_.tolerance; }

 private:
  /// A copy of a part of a piece goes from the node at `place` to `to`, or becomes first there where `to`
  /// holds the piece already; a swap does two at once.
  struct Step {
    std::size_t piece = 0, place = 0;
    NodeIndex to = no_node;
    std::optional<Cut> cut = {};  ///< where only a part of it goes
  };
  struct Plan {
    Step give, take;  ///< take.to == no_node: no swap
    double score = 0;
  };
  struct Hot {
    NodeIndex node = no_node;
    std::size_t resource = 0;
    Resource r() const { return resources[resource]; }
    Resource other() const { return resources[1 - resource]; }
  };
  struct Pair {
    Load here, there;  ///< loads of the hot node and of the other
  };

  void split_large();
  std::size_t settle(double level, std::size_t steps);
  void try_all_again();
  bool force();
  double total_excess() const;
  void relieve(Hot hot, double level);
  bool all_hot_are_atoms() const;
  std::optional<Hot> hottest(double above, bool movable) const;
  double excess(NodeIndex n, const Load& load) const;
  double room(NodeIndex n, Resource r, double bound) const;
  static Load change_of(const Load& load, std::size_t place, bool lead);
  std::size_t place_of(std::size_t piece, NodeIndex n) const;
  bool divisible(std::size_t piece, Hot hot) const;
  bool keeps_below(NodeIndex n, const Load& after, Hot hot, bool divisible) const;
  double score_of(Hot hot, NodeIndex to, const Load& given, const Load& taken, double price, bool divisible);
  double best_possible(const Load& change) const;
  void consider(Hot hot, std::size_t piece, NodeIndex to, Plan& best);
  void consider_swap(Hot hot, std::size_t give, std::size_t take, NodeIndex to, Plan& best);
  bool move(Hot hot);
  bool swap(Hot hot);
  void carry_out(const Plan& plan);
  std::optional<Cut> carve(std::size_t piece, Resource r, double wanted, double most) const;
  Load part_load(std::size_t piece, const Cut& cut) const;
  std::size_t cut(std::size_t piece, const Cut& at);
  bool halve(std::size_t piece, Resource r);
  bool halve_largest(Hot hot);
  void apply(std::size_t piece, std::size_t place, NodeIndex to);
  bool put(Piece& piece, const std::vector<NodeIndex>& owners);
  void take_back();
  void tidy();
  std::vector<std::size_t> relevant(Hot hot) const;
  std::vector<NodeIndex> coolest(Resource r) const;

  KeySums keys_;
  const BalanceLimits& limits_;
  RangeRules rules_;
  CopyRules copies_;
  std::vector<Piece> pieces_;
  FairShares shares_;
  std::vector<Load> loads_;
  Load mean_;                   ///< of nodes that take load
  double peak_[2] = {0, 0};     ///< the hottest load over its fair share at first, by resource
  std::vector<bool> stuck_;     ///< [node * 2 + resource]: nothing helps as things stand
  std::vector<bool> swapless_;  ///< the same: no swap does, before ranges are cut smaller
  std::vector<NodeIndex> takers_;
  std::vector<std::vector<std::size_t>> held_;  ///< pieces by node
  bool limited_;                                ///< in the number of moves
  std::uint64_t moves_ = 0;
  double moved_bytes_ = 0;
  double aim_ = 1;       ///< what a hot node is brought to, and others are filled to, over their fair shares
  double too_much_ = 0;  ///< the excess of the node that is relieved
  std::size_t effort_ = 2000;  ///< steps that may still be tried by force
  bool spent_ = false;
};

}  // namespace arcwise
