#include <algorithm>

#include "format/nodetool_cluster.hpp"

namespace arcwise {
namespace {

std::string text_of(Token token) {
  return to_text(TokenSpace::signed_64(), token);
}

Error overlap(const SeenRange& range, const SeenRange& other) {
  return {ErrorKind::input, range.at, "(" + text_of(range.after) + ", " + text_of(range.upto) + "]",
          "this range overlaps (" + text_of(other.after) + ", " + text_of(other.upto) + "] on line " +
              std::to_string(other.at.line),
          "ranges of one keyspace do not overlap: save one output of `nodetool describering`"};
}

class TableBuilder {
 public:
  explicit TableBuilder(std::vector<Finding>& findings) : findings_(findings) {}

  void add_gap(Token after, Token upto) {
    rows_.push_back({upto, {}});
    findings_.push_back({Finding::Severity::error, "range-gap",
                         "(" + text_of(after) + ", " + text_of(upto) + "]",
                         "no range covers it: nobody owns these tokens",
                         "save the whole output; if it is whole, compare the nodes' views of the ring"});
  }
  void add(const SeenRange& range) { rows_.push_back({range.upto, range.endpoints}); }

  // A gap that wraps may end before all rows, where the first range starts at a low token.
  std::vector<TableRow> rows() && {
    std::sort(rows_.begin(), rows_.end(),
              [](const TableRow& a, const TableRow& b) { return a.upto < b.upto; });
    return std::move(rows_);
  }

 private:
  std::vector<TableRow> rows_;
  std::vector<Finding>& findings_;
};

// Is the gap behind `after` only the smallest token? Murmur3Partitioner never makes it, and tablets start
// there:
// ..., (x, 9223372036854775807] and (-9223372036854775808, a] leave nothing out.
bool only_smallest(Token after, Token upto) {
  return after.value == TokenSpace::signed_64().last && upto.value == 0;
}

}  // namespace

Result<std::vector<TableRow>> ring_of_ranges(std::vector<SeenRange> ranges, std::vector<Finding>& findings) {
  std::stable_sort(ranges.begin(), ranges.end(),
                   [](const SeenRange& a, const SeenRange& b) { return a.upto < b.upto; });
  TableBuilder table(findings);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const SeenRange& range = ranges[i];
    const SeenRange& before = i ? ranges[i - 1] : ranges.back();
    if (i && range.upto == before.upto) return overlap(range, before);
    // Only the first range in ring order may wrap, and then it starts at the last one's end or behind it:
    // ends 10, 20, 30: (30, 10] closes the circle, (40, 10] leaves (30, 40] out, (25, 10] overlaps (20, 30].
    const bool wraps = range.after >= range.upto;
    if (i ? wraps || range.after < before.upto : wraps && range.after < before.upto)
      return overlap(range, before);
    if (range.after != before.upto && !only_smallest(before.upto, range.after))
      table.add_gap(before.upto, range.after);
    table.add(range);
  }
  return std::move(table).rows();
}

}  // namespace arcwise
