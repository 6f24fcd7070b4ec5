#include "arcwise/repair.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "model/build.hpp"

namespace arcwise {
namespace {

/// A part of the circle on which no stage's owners change.
struct Piece {
  Token upto;
  std::size_t region = 0;  ///< of the last stage
  std::vector<NodeIndex> owners, gained;
  bool needed() const { return !gained.empty(); }
};

// A name that has moved to another address stands for a machine that has nothing yet.
bool same_machine(const Node& before, const Node& after) {
  return before.address.empty() || after.address.empty() || before.address == after.address;
}

/// A stage, answering in the numbers of the last one; no_node for a machine that is not there then.
class View {
 public:
  View(const Placement& placement, const ClusterMap& last) : placement_(placement) {
    for (const Node& node : placement.map().nodes()) {
      const auto there = last.find(node.name);
      numbers_.push_back(there && same_machine(node, last.nodes()[*there]) ? *there : no_node);
    }
  }
  void owners(std::size_t region, std::vector<NodeIndex>& out) const {
    std::array<NodeIndex, max_replicas> found;
    const std::size_t n = placement_.region_owners(region, {}, found);
    out.clear();
    for (std::size_t i = 0; i < n; ++i) out.push_back(numbers_[found[i]]);
  }
  std::size_t region(Token at) const { return placement_.region_at({at.value}); }

 private:
  const Placement& placement_;
  std::vector<NodeIndex> numbers_;
};

bool has(const std::vector<NodeIndex>& list, NodeIndex node) {
  return std::find(list.begin(), list.end(), node) != list.end();
}

Piece piece_upto(Token upto, const std::vector<View>& stages) {
  Piece piece{upto, stages.back().region(upto), {}, {}};
  stages.back().owners(piece.region, piece.owners);
  std::vector<NodeIndex> had;
  for (std::size_t s = 0; s + 1 < stages.size(); ++s) {
    stages[s].owners(stages[s].region(upto), had);
    for (NodeIndex owner : piece.owners)
      if (!has(had, owner) && !has(piece.gained, owner)) piece.gained.push_back(owner);
  }
  return piece;
}

std::vector<Piece> pieces_of(const std::vector<Placement>& stages) {
  const ClusterMap& last = stages.back().map();
  std::vector<View> views;
  std::set<Token> ends;
  for (const Placement& placement : stages) {
    views.emplace_back(placement, last);
    for (std::size_t i = 0; i < placement.region_count(); ++i) ends.insert(placement.region(i).upto);
  }
  std::vector<Piece> out;
  for (Token end : ends) out.push_back(piece_upto(end, views));
  return out;
}

bool joins(const Piece& before, const Piece& piece) {
  return before.needed() && piece.needed() && before.region == piece.region;
}

void take(RepairRange& range, const Piece& piece) {
  range.region.upto = piece.upto;
  for (NodeIndex node : piece.gained)
    if (!has(range.gained, node)) range.gained.push_back(node);
  range.node = piece.owners[0];
  for (std::size_t i = piece.owners.size(); i > 0; --i)
    if (!has(range.gained, piece.owners[i - 1])) range.node = piece.owners[i - 1];
}

// Letters that no shell reads as anything else.
std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
           c == ':' || c == '_' || c == '-';
  });
  if (plain) return word;
  std::string out = "'";
  for (char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

bool repairs_ranges(const ClusterMap& map) {
  constexpr std::string_view names[] = {"cassandra-murmur3", "cassandra-random", "cassandra-ranges",
                                        "scylladb-murmur3"};
  return std::find(std::begin(names), std::end(names), map.placement().recipe->name) != std::end(names);
}

std::vector<RepairRange> repair_ranges(const std::vector<Placement>& stages) {
  for (const Placement& stage : stages)
    if (!repairs_ranges(stage.map()) || stage.map().space() != stages.back().map().space()) return {};
  const std::vector<Piece> pieces = pieces_of(stages);
  const std::size_t count = pieces.size();
  const auto before = [&](std::size_t i) { return i == 0 ? count - 1 : i - 1; };
  // Begins where no range of the answer goes on. Where there is no such place, all of the circle is one.
  std::size_t first = 0;
  while (first < count && joins(pieces[before(first)], pieces[first])) ++first;
  std::vector<RepairRange> out;
  bool open = false;
  for (std::size_t step = 0; step < count; ++step) {
    const std::size_t i = (first + step) % count;
    const Piece& piece = pieces[i];
    open = open && joins(pieces[before(i)], piece);
    if (!piece.needed()) continue;
    if (!open) out.push_back({{pieces[before(i)].upto, piece.upto}, no_node, {}});
    open = true;
    take(out.back(), piece);
  }
  for (RepairRange& range : out) std::sort(range.gained.begin(), range.gained.end());
  std::sort(out.begin(), out.end(),
            [](const RepairRange& a, const RepairRange& b) { return a.region.upto < b.region.upto; });
  return out;
}

// No key has Murmur3Partitioner's minimum, position 0 here; RandomPartitioner's is -1, one below position 0.
std::vector<RepairCommand> repair_commands(const ClusterMap& map, const std::vector<RepairRange>& ranges,
                                           const std::string& keyspace) {
  const TokenSpace& space = map.space();
  const bool murmur = space.notation == TokenSpace::Notation::signed_decimal;
  const std::string bottom = murmur ? to_text(space, {0}) : "-1", top = to_text(space, {space.last});
  std::vector<RepairCommand> out;
  for (const RepairRange& range : ranges) {
    const Node& node = map.nodes()[range.node];
    const auto add = [&](const std::string& after, const std::string& upto) {
      out.push_back({after, upto, node.name,
                     "nodetool -h " + quoted(default_host(node)) + " repair -full -st " + after + " -et " +
                         upto + " -- " + (keyspace.empty() ? "\"$KEYSPACE\"" : quoted(keyspace))});
    };
    const auto [after, upto] = range.region;
    if (after < upto) {
      add(to_text(space, after), to_text(space, upto));
      continue;
    }
    if (!murmur || upto.value > 0) add(bottom, to_text(space, upto));
    if (after.value < space.last) add(to_text(space, after), top);
  }
  return out;
}

std::vector<RangesHeld> ranges_held(const Placement& placement) {
  std::vector<RangesHeld> out(placement.map().nodes().size());
  std::array<NodeIndex, max_replicas> found;
  for (std::size_t i = 0; i < placement.region_count(); ++i) {
    const std::size_t n = placement.region_owners(i, {}, found);
    if (n > 0) ++out[found[0]].primary;
    for (std::size_t k = 0; k < n; ++k) ++out[found[k]].all;
  }
  return out;
}

}  // namespace arcwise
