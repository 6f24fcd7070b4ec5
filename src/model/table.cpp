// Tables of owners: ranges in order, or equal parts, each with distinct nodes that may own something.
#include <set>

#include "model/build.hpp"

namespace arcwise {
namespace {

class TableCheck {
 public:
  TableCheck(const ClusterMap::Parts& parts, const BuildMarks& marks)
      : parts_(parts), marks_(marks), equal_parts_(has_equal_parts(*parts.placement.recipe)) {}

  std::optional<Error> whole() const {
    const auto& table = parts_.placement.table;
    const std::string recipe(parts_.placement.recipe->name);
    if (table.empty())
      return equal_parts_
                 ? fault(marks_.recipe, recipe,
                         "this recipe needs a list of partitions, and the map has none",
                         "name the nodes under `holders` and list each part's owners under `partitions`")
                 : fault(marks_.recipe, recipe, "this recipe needs a list of ranges, and the map has none",
                         "list every range with its owners under `ranges`");
    if (equal_parts_ && table.size() > most_parts)
      return at_row(most_parts, "more than 1,048,576 partitions", "list fewer: a hundred a node are plenty");
    if (equal_parts_ && parts_.placement.slots)
      return fault(marks_.recipe, recipe, "partitions are parts of hash space, and the map has slots instead",
                   "drop `slots`, or use recipe ranges");
    return std::nullopt;
  }

  std::optional<Error> row(std::size_t i) const {
    const auto& table = parts_.placement.table;
    if (equal_parts_ && table[i].upto != part_end(parts_.space, table.size(), i))
      return at_row(i, "the ranges are not equal parts of hash space",
                    "list them under `partitions`, without their ends, or use recipe ranges");
    if (i && !(table[i - 1].upto < table[i].upto))
      return at_row(i, "ranges are not in ascending order of `upto`, or one is listed twice",
                    "list each range once, in ring order");
    if (auto error = owners(i)) return error;
    if (table[i].owners.size() > max_replicas)
      return at_row(i, "a " + row_name() + " has more than 64 owners", "list at most 64");
    return std::nullopt;
  }

  std::optional<Error> end() const {
    const Token last = parts_.placement.table.back().upto;
    const std::size_t i = parts_.placement.table.size() - 1;
    if (last.value > parts_.space.last)
      return at_row(i, "a range ends beyond the last position",
                    "the last is " + to_text(parts_.space, {parts_.space.last}));
    if (parts_.placement.slots && last.value != parts_.space.last)
      return at_row(i, "the slots end before the last one",
                    "let the last range end at slot " + to_text(parts_.space, {parts_.space.last}));
    return std::nullopt;
  }

 private:
  std::string row_name() const { return equal_parts_ ? "partition" : "range"; }

  Error at_row(std::size_t i, std::string why, std::string advice) const {
    const bool known = i < marks_.rows.size();
    return fault(known ? marks_.rows[i].at : marks_.whole,
                 known ? marks_.rows[i].value : to_text(parts_.space, parts_.placement.table[i].upto),
                 std::move(why), std::move(advice));
  }
  Error at_owner(std::size_t i, std::string owner, std::string why, std::string advice) const {
    Error error = at_row(i, std::move(why), std::move(advice));
    error.what = std::move(owner);
    return error;
  }

  std::optional<Error> owners(std::size_t i) const {
    const std::vector<Node>& nodes = parts_.nodes;
    std::set<NodeIndex> seen;
    for (const NodeIndex n : parts_.placement.table[i].owners) {
      if (n >= nodes.size())
        return at_owner(i, std::to_string(n),
                        "a " + row_name() + " names a node by a number that none of the " +
                            std::to_string(nodes.size()) + " nodes has",
                        "owners are places in the list of nodes, from 0 on");
      if (!seen.insert(n).second)
        return at_owner(i, nodes[n].name, "a " + row_name() + " lists an owner twice",
                        "owners of a " + row_name() + " are distinct nodes");
      if (nodes[n].state == NodeState::joining)
        return at_owner(i, nodes[n].name,
                        "a " + row_name() + " lists an owner that is joining, and so owns nothing yet",
                        "drop it from the " + row_name() + ", or give it the state normal");
    }
    return std::nullopt;
  }

  const ClusterMap::Parts& parts_;
  const BuildMarks& marks_;
  bool equal_parts_;
};

}  // namespace

std::optional<Error> check_table(const ClusterMap::Parts& parts, const BuildMarks& marks) {
  const TableCheck check(parts, marks);
  if (auto error = check.whole()) return error;
  for (std::size_t i = 0; i < parts.placement.table.size(); ++i)
    if (auto error = check.row(i)) return error;
  return check.end();
}

}  // namespace arcwise
