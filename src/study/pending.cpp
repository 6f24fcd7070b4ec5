// How Cassandra computes pending ranges, in this order: what leaving nodes will have been replaced by; what
// each joining node will hold, alone; what each moving node changes, one after another. "The others" are the
// nodes of the ring without the leaving ones.
#include "arcwise/pending.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

namespace arcwise {
namespace {

using Owners = std::vector<NodeIndex>;

Error fault(std::string what, std::string why, std::string advice) {
  return {ErrorKind::input, {}, std::move(what), std::move(why), std::move(advice)};
}

/// A ring with some nodes taken out or moved; answers in the numbers of the first map.
class Ring {
 public:
  /// `tokens` by node; no tokens: not in the ring. Nothing where nobody is.
  static std::optional<Ring> of(const ClusterMap& map, const std::vector<std::vector<Token>>& tokens) {
    ClusterMap::Parts parts = map.parts();
    parts.nodes.clear();
    // While nodes leave, a rack may lack its copies: the ring to come is what it is.
    parts.replicas.when_short = WhenShort::repeat;
    Ring ring;
    for (NodeIndex n = 0; n < tokens.size(); ++n) {
      if (tokens[n].empty()) continue;
      Node node = map.nodes()[n];
      node.tokens = tokens[n];
      node.state = NodeState::normal;
      parts.nodes.push_back(std::move(node));
      ring.numbers_.push_back(n);
    }
    auto built = ClusterMap::build(std::move(parts));
    if (!built) return std::nullopt;
    ring.placement_.emplace(compile(*built));
    return ring;
  }

  Owners at(Token position) const {
    std::array<NodeIndex, max_replicas> found;
    const std::size_t n = placement_->owners({{}, {position.value}, {}}, found);
    Owners out;
    for (std::size_t i = 0; i < n; ++i) out.push_back(numbers_[found[i]]);
    return out;
  }

 private:
  std::vector<NodeIndex> numbers_;  ///< by number within the ring
  std::optional<Placement> placement_;
};

bool has(const Owners& owners, NodeIndex node) {
  return std::find(owners.begin(), owners.end(), node) != owners.end();
}

class Study {
 public:
  Study(const ClusterMap& map, const std::vector<NodeMove>& moves) : map_(map), others_(map.nodes().size()) {
    std::set<Token> ends;
    for (NodeIndex n = 0; n < map.nodes().size(); ++n) {
      const Node& node = map.nodes()[n];
      ends.insert(node.tokens.begin(), node.tokens.end());
      if (node.state == NodeState::normal) others_[n] = node.tokens;
    }
    for (const NodeMove& move : moves) ends.insert(move.tokens.begin(), move.tokens.end());
    const Placement now = compile(map);
    Token after = *ends.rbegin();
    for (const Token end : ends) {
      std::array<NodeIndex, max_replicas> found;
      const std::size_t n = now.owners({{}, {end.value}, {}}, found);
      out_.ranges.push_back(
          {{after, end}, {found.begin(), found.begin() + static_cast<std::ptrdiff_t>(n)}, {}});
      after = end;
    }
    out_.replicas = map.replicas().count;
  }

  PendingRanges run(const std::vector<NodeMove>& moves) {
    leave();
    for (NodeIndex n = 0; n < map_.nodes().size(); ++n)
      if (map_.nodes()[n].state == NodeState::joining) join(n);
    for (const NodeMove& move : moves) this->move(*map_.find(move.node), move.tokens);
    for (PendingRange& range : out_.ranges) {
      std::sort(range.pending.begin(), range.pending.end());
      range.pending.erase(std::unique(range.pending.begin(), range.pending.end()), range.pending.end());
    }
    return std::move(out_);
  }

 private:
  void leave() {
    const auto ring = Ring::of(map_, others_);
    if (!ring) return;  // nobody stays
    for (PendingRange& range : out_.ranges)
      if (std::any_of(range.natural.begin(), range.natural.end(),
                      [&](NodeIndex n) { return map_.nodes()[n].state == NodeState::leaving; }))
        for (const NodeIndex n : ring->at(range.region.upto))
          if (!has(range.natural, n)) range.pending.push_back(n);
  }

  // Beside the others alone: two nodes that join at once do not see each other.
  void join(NodeIndex joining) {
    auto tokens = others_;
    tokens[joining] = map_.nodes()[joining].tokens;
    const auto ring = Ring::of(map_, tokens);
    for (PendingRange& range : out_.ranges)
      if (ring && has(ring->at(range.region.upto), joining)) range.pending.push_back(joining);
  }

  // Whoever becomes a new owner of a range that the moving node holds before or after is pending for all that
  // it newly holds. The node is not among the others when the next one's move is looked at.
  void move(NodeIndex moving, const std::vector<Token>& to) {
    others_[moving] = to;
    const auto ring = Ring::of(map_, others_);
    others_[moving].clear();
    if (!ring) return;
    std::vector<Owners> then;
    std::set<NodeIndex> gaining;
    for (const PendingRange& range : out_.ranges) {
      then.push_back(ring->at(range.region.upto));
      if (!has(range.natural, moving) && !has(then.back(), moving)) continue;
      for (const NodeIndex n : then.back())
        if (!has(range.natural, n)) gaining.insert(n);
    }
    for (std::size_t i = 0; i < then.size(); ++i)
      for (const NodeIndex n : then[i])
        if (gaining.contains(n) && !has(out_.ranges[i].natural, n)) out_.ranges[i].pending.push_back(n);
  }

  const ClusterMap& map_;
  std::vector<std::vector<Token>> others_;  ///< tokens by node; empty: not among the others
  PendingRanges out_;
};

std::optional<Error> check(const ClusterMap& map, const std::vector<NodeMove>& moves) {
  if (!map.placement().given)
    return fault(std::string(map.placement().recipe->name),
                 "pending ranges are those of a ring whose tokens are given",
                 "use a map with `allocation: given`, or the output of `nodetool ring`");
  std::set<Token> taken;
  for (const Node& node : map.nodes()) {
    if (node.tokens.empty())
      return fault(node.name, "a joining node lists no token, so what it will hold is not known",
                   "list the tokens that it takes");
    taken.insert(node.tokens.begin(), node.tokens.end());
  }
  std::set<std::string> moved;
  for (const NodeMove& move : moves) {
    const auto index = map.find(move.node);
    if (!index || map.nodes()[*index].state != NodeState::normal || !moved.insert(move.node).second)
      return fault(move.node, "a move is of a node that is in the ring and stays, and each moves once",
                   "name a node of the map whose state is normal");
    if (move.tokens.empty())
      return fault(move.node, "a move names no token to go to", "list the node's new tokens");
    for (const Token token : move.tokens)
      if (token.value > map.space().last || !taken.insert(token).second)
        return fault(to_text(map.space(), token), "a node moves to a token that is taken or off the ring",
                     "choose a free one");
  }
  return std::nullopt;
}

}  // namespace

Result<PendingRanges> pending_ranges(const ClusterMap& map, const std::vector<NodeMove>& moves) {
  if (auto error = check(map, moves)) return *error;
  return Study(map, moves).run(moves);
}

}  // namespace arcwise
