// Inside the study layer: tables of owners between two tables, so that each copy moves once.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "study/step_maps.hpp"
#include "study/tally.hpp"

namespace arcwise {

/// Each copy that changes its node does so in one step, straight to its node after the change: with the node
/// that it goes to, else with the one that it leaves, else in the last step. Rows whose copies would lie less
/// far apart in between, and those of masters with replicas, change as a whole.
class TableSteps {
 public:
  TableSteps(const ClusterMap& before, const ClusterMap& after);

  /// Nodes that gain copies from each other though neither is among `named`.
  std::set<std::string> other_receivers(const std::set<std::string>& named) const;
  void decide(const std::vector<std::vector<NodeChange>>& steps);
  /// The table after so many steps; owners are indices into `nodes`.
  std::vector<TableRow> rows(std::size_t steps_done, const std::vector<Node>& nodes) const;

 private:
  struct Piece {
    Token upto;
    bool in_both = false;         ///< both tables have a row that ends here
    std::uint32_t before, after;  ///< rows
    bool whole = false;
    std::vector<std::uint32_t> at;  ///< step of each place; one for a whole row; empty: nothing changes
  };
  using Numbers = std::vector<std::uint32_t>;

  void cut();
  Numbers owners_before(const Piece& piece) const;
  Numbers owners_after(const Piece& piece) const;
  std::uint32_t copy_step(std::uint32_t from, std::uint32_t to) const;
  std::uint32_t row_step(const Numbers& before, const Numbers& after) const;
  bool far_apart(const Numbers& before, const Numbers& after, const std::vector<std::uint32_t>& at) const;
  std::size_t groups(const Numbers& owners, Across level) const;

  const ClusterMap& before_;
  const ClusterMap& after_;
  NodeUnion nodes_;
  std::vector<Piece> pieces_;
  std::vector<const Node*> node_;                        ///< by number, as the map after has it where it does
  std::vector<std::uint32_t> changed_, joins_, leaves_;  ///< step, by number; 0: in none
  std::uint32_t last_ = 1;
};

}  // namespace arcwise
