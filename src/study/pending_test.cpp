#include "arcwise/pending.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "place/testing.hpp"

namespace arcwise {
namespace {

using testing::given_ring;
using testing::node_at;

Node in_state(Node node, NodeState state) {
  node.state = state;
  return node;
}

// "10: A B + C" a range: its end, the natural owners, the pending ones.
std::vector<std::string> shown(const ClusterMap& map, const std::vector<NodeMove>& moves = {}) {
  const auto pending = pending_ranges(map, moves);
  if (!pending) return {pending.error().why};
  std::vector<std::string> out;
  for (const PendingRange& range : pending->ranges) {
    std::string line = std::to_string(static_cast<std::uint64_t>(range.region.upto.value)) + ":";
    for (const NodeIndex n : range.natural) line += " " + map.nodes()[n].name;
    if (!range.pending.empty()) line += " +";
    for (const NodeIndex n : range.pending) line += " " + map.nodes()[n].name;
    out.push_back(line);
  }
  return out;
}

using Lines = std::vector<std::string>;
constexpr NodeState joining = NodeState::joining, leaving = NodeState::leaving;

TEST(pending, a_joining_node_is_pending_for_what_it_will_hold) {
  EXPECT_EQ(
      shown(given_ring({node_at("A", {10}), node_at("B", {60}), in_state(node_at("J", {40}), joining)})),
      (Lines{"10: A", "40: B + J", "60: B"}));
}

TEST(pending, with_two_copies_a_joining_node_is_pending_as_second_owner_too) {
  EXPECT_EQ(shown(given_ring({node_at("A", {10}), node_at("B", {20}), node_at("C", {30}),
                              in_state(node_at("J", {15}), joining)},
                             2)),
            (Lines{"10: A B + J", "15: B C + J", "20: B C", "30: C A"}));
}

TEST(pending, two_nodes_that_join_at_once_do_not_see_each_other) {
  EXPECT_EQ(shown(given_ring({node_at("A", {100}), in_state(node_at("J", {40}), joining),
                              in_state(node_at("K", {50}), joining)})),
            (Lines{"40: A + J K", "50: A + K", "100: A"}));
}

TEST(pending, who_takes_over_from_a_leaving_node_is_pending) {
  EXPECT_EQ(shown(given_ring({node_at("A", {10}), in_state(node_at("B", {20}), leaving), node_at("C", {30}),
                              node_at("D", {40})},
                             2)),
            (Lines{"10: A B + C", "20: B C + D", "30: C D", "40: D A"}));
}

TEST(pending, a_join_beside_a_leave_is_seen_without_the_leaving_node) {
  EXPECT_EQ(shown(given_ring({node_at("A", {10}), in_state(node_at("B", {20}), leaving),
                              in_state(node_at("J", {15}), joining)})),
            (Lines{"10: A", "15: B + A J", "20: B + A"}));
}

TEST(pending, a_moving_node_is_pending_where_it_goes_and_its_successor_where_it_was) {
  const ClusterMap map = given_ring({node_at("A", {10}), node_at("B", {20}), node_at("C", {30})});
  EXPECT_EQ(shown(map, {{"C", {{15}}}}), (Lines{"10: A", "15: B + C", "20: B", "30: C + A"}));
}

TEST(pending, racks_are_counted_in_the_ring_to_come) {
  // J shares its rack with A: it takes nothing from (40, 10], whose second copy must be on the other rack.
  const ClusterMap map =
      given_ring({node_at("A", {10}, "r1"), node_at("B", {20}, "r2"), node_at("C", {30}, "r1"),
                  node_at("D", {40}, "r2"), in_state(node_at("J", {15}, "r1"), joining)},
                 2, Across::rack);
  EXPECT_EQ(shown(map), (Lines{"10: A B", "15: B C + J", "20: B C", "30: C D", "40: D A"}));
}

TEST(pending, the_last_node_of_a_rack_may_leave) {
  const ClusterMap map = given_ring(
      {node_at("A", {10}, "r1"), in_state(node_at("B", {20}, "r2"), leaving), node_at("C", {30}, "r1")}, 2,
      Across::rack);
  EXPECT_EQ(shown(map), (Lines{"10: A B + C", "20: B C + A", "30: C B + A"}));
}

TEST(pending, a_quorum_of_writes_waits_for_every_pending_owner) {
  const auto pending = pending_ranges(given_ring(
      {node_at("A", {10}), in_state(node_at("B", {20}), leaving), node_at("C", {30}), node_at("D", {40})},
      3));
  ASSERT_TRUE(pending);
  EXPECT_EQ(pending->replicas, 3u);
  // (40, 10]: A B C, and D once B is gone.
  EXPECT_EQ(pending->quorum(pending->replicas, pending->ranges[0]), 3u);
  // (20, 30]: C D A.
  EXPECT_EQ(pending->quorum(pending->replicas, pending->ranges[2]), 2u);
}

TEST(pending, what_cannot_be_told_is_refused) {
  EXPECT_NE(shown(testing::map_of(testing::parts("ring", {testing::node("a")}))).at(0).find("given"),
            std::string::npos);
  EXPECT_NE(shown(given_ring({node_at("A", {1}), in_state(testing::node("J"), joining)}))
                .at(0)
                .find("lists no token"),
            std::string::npos);
  const ClusterMap map = given_ring({node_at("A", {1}), in_state(node_at("B", {2}), leaving)});
  EXPECT_NE(shown(map, {{"X", {{5}}}}).at(0).find("a move is of"), std::string::npos);
  EXPECT_NE(shown(map, {{"B", {{5}}}}).at(0).find("a move is of"), std::string::npos);
  EXPECT_NE(shown(map, {{"A", {{5}}}, {"A", {{6}}}}).at(0).find("a move is of"), std::string::npos);
  EXPECT_NE(shown(map, {{"A", {{2}}}}).at(0).find("taken"), std::string::npos);
  EXPECT_NE(shown(map, {{"A", {}}}).at(0).find("no token"), std::string::npos);
}

// A random ring of 4 to 8 nodes in three racks, two tokens each, of which one is about to change.
struct Scene {
  std::vector<Node> before, after;
  std::vector<NodeMove> moves;
};

Scene scene() {
  const int nodes = *rc::gen::inRange(4, 9);
  const auto tokens = *rc::gen::unique<std::vector<std::uint64_t>>(static_cast<std::size_t>(2 * nodes + 2),
                                                                   rc::gen::inRange<std::uint64_t>(0, 1000));
  Scene s;
  for (int n = 0; n < nodes; ++n) {
    const auto at = static_cast<std::size_t>(2 * n);
    s.before.push_back(
        node_at("n" + std::to_string(n), {tokens[at], tokens[at + 1]}, "r" + std::to_string(n % 3)));
  }
  s.after = s.before;
  const Token last[]{{tokens[tokens.size() - 2]}, {tokens.back()}};
  switch (*rc::gen::inRange(0, 3)) {
    case 0:
      s.before[0].state = joining;
      break;
    case 1:
      s.before[0].state = leaving;
      s.after.erase(s.after.begin());
      break;
    default:
      s.moves = {{"n0", {last[0], last[1]}}};
      s.after[0].tokens = s.moves[0].tokens;
  }
  return s;
}

RC_GTEST_PROP(pending, every_owner_to_come_has_the_writes_already, ()) {
  const Scene s = scene();
  const Across across = *rc::gen::element(Across::node, Across::rack);
  const auto replicas = *rc::gen::inRange(1u, across == Across::rack ? 3u : 4u);
  const ClusterMap before = given_ring(s.before, replicas, across);
  const Placement after = compile(given_ring(s.after, replicas, across));
  const auto pending = pending_ranges(before, s.moves);
  RC_ASSERT(pending.ok());
  for (const PendingRange& range : pending->ranges) {
    std::set<std::string> writers;
    for (const auto* owners : {&range.natural, &range.pending})
      for (const NodeIndex n : *owners) writers.insert(before.nodes()[n].name);
    RC_ASSERT(writers.size() == replicas + range.pending.size());
    for (const std::string& owner : testing::owner_names(after, {range.region.upto.value}))
      RC_ASSERT(writers.contains(owner));
  }
}

}  // namespace
}  // namespace arcwise
