#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "place/testing.hpp"

namespace arcwise {
namespace {

using testing::given_ring;
using testing::map_of;
using testing::node;
using testing::node_at;
using testing::owner_names;
using testing::parts;
using Names = std::vector<std::string>;

TEST(policy, walk_skips_used_racks) {
  const Placement p = compile(given_ring({node_at("a", {10}, "r1"), node_at("b", {20}, "r1"),
                                          node_at("c", {30}, "r2"), node_at("d", {40}, "r3")},
                                         3, Across::rack));
  EXPECT_EQ(owner_names(p, {5}), (Names{"a", "c", "d"}));
  EXPECT_EQ(owner_names(p, {15}), (Names{"b", "c", "d"}));
}

TEST(policy, same_rack_name_in_two_zones_is_two_racks) {
  const Placement p = compile(given_ring(
      {node_at("a", {10}, "r1", "eu"), node_at("b", {20}, "r1", "us"), node_at("c", {30}, "r1", "eu")}, 2,
      Across::rack));
  EXPECT_EQ(owner_names(p, {5}), (Names{"a", "b"}));
}

// Completeness item 12: two instances on each of three machines.
TEST(policy, copies_stand_on_three_machines_when_instances_share_them) {
  std::vector<Node> nodes;
  for (int m = 0; m < 3; ++m)
    for (int i = 0; i < 2; ++i)
      nodes.push_back(
          node("m" + std::to_string(m) + "-" + std::to_string(i), 1, "", "", "m" + std::to_string(m)));
  const Placement by_host = compile(map_of(parts("ring", nodes, 3, Across::host)));
  const Placement by_node = compile(map_of(parts("ring", nodes, 3, Across::node)));
  bool by_node_shares_a_machine = false;
  for (std::size_t r = 0; r < by_host.region_count(); ++r) {
    std::set<std::string> hosts, hosts_by_node;
    for (const auto& name : owner_names(by_host, {by_host.region(r).upto.value}))
      hosts.insert(name.substr(0, 2));
    for (const auto& name : owner_names(by_node, {by_host.region(r).upto.value}))
      hosts_by_node.insert(name.substr(0, 2));
    EXPECT_EQ(hosts.size(), 3u);
    by_node_shares_a_machine |= hosts_by_node.size() < 3;
  }
  EXPECT_TRUE(by_node_shares_a_machine);
}

TEST(policy, three_replicas_on_two_nodes_are_refused) {
  const auto built = ClusterMap::build(parts("ring", {node("a"), node("b")}, 3));
  ASSERT_FALSE(built);
  EXPECT_NE(built.error().why.find("more replicas than nodes"), std::string::npos);
}

TEST(policy, three_replicas_in_two_racks_are_refused_or_repeat_a_rack_as_asked) {
  const std::vector<Node> nodes{node_at("a", {10}, "r1"), node_at("b", {20}, "r1"), node_at("c", {30}, "r2")};
  auto p = parts("ring", nodes, 3, Across::rack);
  p.placement.given = true;
  const auto refused = ClusterMap::build(p);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().why.find("fewer racks than replicas"), std::string::npos);
  p.replicas.when_short = WhenShort::repeat;
  const Placement repeat = compile(map_of(p));
  EXPECT_EQ(owner_names(repeat, {5}), (Names{"a", "b", "c"}))
      << "the first repeat met is taken before a new rack";
  EXPECT_EQ(owner_names(repeat, {25}), (Names{"c", "a", "b"}));
}

TEST(policy, repeats_are_counted_after_masked_nodes_are_deleted) {
  auto p = parts("ring",
                 {node_at("a", {10}, "r1"), node_at("b", {20}, "r1"), node_at("c", {30}, "r1"),
                  node_at("d", {40}, "r2")},
                 3, Across::rack);
  p.placement.given = true;
  p.replicas.when_short = WhenShort::repeat;
  const Placement placement = compile(map_of(p));
  EXPECT_EQ(owner_names(placement, {5}), (Names{"a", "b", "d"})) << "two racks: one repeat";
  NodeSet down(4);
  down.insert(3);
  EXPECT_EQ(owner_names(placement, {5}, NodeMask(down)), (Names{"a", "b", "c"}))
      << "one rack left: two repeats";
}

TEST(policy, per_zone_counts_are_met_in_ring_order) {
  auto p = parts(
      "ring", {node_at("e1", {10}, "", "eu"), node_at("u1", {20}, "", "us"), node_at("e2", {30}, "", "eu"),
               node_at("x", {35}, "", "asia"), node_at("e3", {40}, "", "eu"), node_at("u2", {50}, "", "us")});
  p.placement.given = true;
  p.replicas.per_zone = {{"us", 1}, {"eu", 2}};
  const Placement placement = compile(map_of(p));
  EXPECT_EQ(placement.max_owners(), 3u);
  EXPECT_EQ(owner_names(placement, {5}), (Names{"e1", "u1", "e2"}));
  EXPECT_EQ(owner_names(placement, {32}), (Names{"e3", "u2", "e1"})) << "asia holds nothing";
}

TEST(policy, masked_nodes_are_replaced_by_the_next_candidates) {
  const Placement p = compile(given_ring({node_at("a", {10}), node_at("b", {20}), node_at("c", {30})}, 2));
  NodeSet down(3);
  down.insert(1);
  EXPECT_EQ(owner_names(p, {5}, NodeMask(down)), (Names{"a", "c"}));
  down.insert(0);
  EXPECT_EQ(owner_names(p, {5}, NodeMask(down)), (Names{"c"}));
  down.insert(2);
  EXPECT_EQ(owner_names(p, {5}, NodeMask(down)), Names{}) << "all down: an empty answer, never a crash";
}

TEST(policy, a_short_buffer_gets_the_first_owners) {
  const Placement p = compile(given_ring({node_at("a", {10}), node_at("b", {20}), node_at("c", {30})}, 3));
  std::vector<NodeIndex> one(1);
  EXPECT_EQ(p.owners({{}, {5}, {}}, one), 1u);
  EXPECT_EQ(one[0], 0u);
  EXPECT_EQ(p.owners({{}, {5}, {}}, {}), 0u);
}

TEST(policy, trace_tells_why_each_candidate_was_taken_or_skipped) {
  const Placement p = compile(given_ring({node_at("a", {10, 15}, "r1"), node_at("b", {20}, "r1"),
                                          node_at("c", {30}, "r2"), node_at("d", {40}, "r3")},
                                         3, Across::rack));
  NodeSet down(4);
  down.insert(2);
  std::vector<Verdict> verdicts;
  p.trace({{}, {5}, NodeMask(down)}, [&](Token, NodeIndex, Verdict v) { verdicts.push_back(v); });
  EXPECT_EQ(verdicts, (std::vector<Verdict>{Verdict::taken, Verdict::already_owner, Verdict::group_used,
                                            Verdict::masked, Verdict::taken}));
}

// Three racks of a hundred nodes. With one down, two owners are all there are: the walk must not go round for
// a third.
TEST(policy, a_rack_down_does_not_make_the_walk_long) {
  std::vector<Node> nodes;
  for (int i = 0; i < 300; ++i)
    nodes.push_back(node("n" + std::to_string(i), 1, "r" + std::to_string(i % 3)));
  const Placement p = compile(map_of(parts("ring", nodes, 3, Across::rack)));
  NodeSet down(300);
  for (NodeIndex n = 0; n < 300; n += 3) down.insert(n);
  std::size_t steps = 0;
  for (int k = 0; k < 100; ++k)
    p.trace({{}, p.hash("k" + std::to_string(k)), NodeMask(down)},
            [&](Token, NodeIndex, Verdict) { ++steps; });
  EXPECT_LT(steps, 100u * 12u) << "about 4.5 candidates a key";
}

// An independent statement of the law: delete masked nodes from the candidate stream, count racks of what is
// left, then walk. Written for clarity with sets, from the rule's own wording.
Names by_the_law(const ClusterMap& map, std::vector<std::pair<Token, NodeIndex>> stream,
                 const NodeSet& down) {
  std::erase_if(stream, [&](const auto& c) { return down.contains(c.second); });
  const ReplicaPolicy& policy = map.replicas();
  const auto group = [&](const Node& n) {
    switch (policy.across) {
      case Across::node:
        return n.name;
      case Across::host:
        return n.host;
      case Across::rack:
        return n.zone + "/" + n.rack;
      case Across::zone:
        return n.zone;
    }
    return n.name;
  };
  std::map<std::string, int> want, repeats;
  std::map<std::string, std::set<std::string>> groups, used;
  const bool zoned = !policy.per_zone.empty();
  for (const auto& z : policy.per_zone) want[z.zone] = static_cast<int>(z.count);
  if (!zoned) want[""] = static_cast<int>(policy.count);
  const auto bucket = [&](const Node& n) { return zoned ? n.zone : std::string(); };
  for (std::size_t i = 0; i < map.nodes().size(); ++i)
    if (!down.contains(static_cast<NodeIndex>(i)))
      groups[bucket(map.nodes()[i])].insert(group(map.nodes()[i]));
  for (auto& [b, w] : want)
    repeats[b] =
        policy.when_short == WhenShort::repeat ? std::max(0, w - static_cast<int>(groups[b].size())) : 0;
  Names taken;
  for (const auto& [token, index] : stream) {
    const Node& n = map.nodes()[index];
    const std::string b = bucket(n);
    if (!want.count(b) || want[b] == 0 || std::count(taken.begin(), taken.end(), n.name)) continue;
    if (used[b].count(group(n)) && repeats[b]-- <= 0) continue;
    used[b].insert(group(n));
    taken.push_back(n.name);
    --want[b];
  }
  return taken;
}

RC_GTEST_PROP(policy, masked_owners_follow_the_law_for_every_policy, ()) {
  const auto count = *rc::gen::inRange<std::size_t>(1, 9);
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < count; ++i) {
    nodes.push_back(node("n" + std::to_string(i), 1, "r" + std::to_string(*rc::gen::inRange(0, 3)),
                         "z" + std::to_string(*rc::gen::inRange(0, 2)),
                         "h" + std::to_string(*rc::gen::inRange(0, 5))));
    const auto tokens = *rc::gen::inRange<std::uint64_t>(1, 4);
    for (std::uint64_t t = 0; t < tokens; ++t)
      nodes.back().tokens.push_back({*rc::gen::inRange<std::uint64_t>(0, 1000) * 16 + i});
    std::sort(nodes.back().tokens.begin(), nodes.back().tokens.end());
    auto& own = nodes.back().tokens;
    own.erase(std::unique(own.begin(), own.end()), own.end());
  }
  auto p = parts("ring", nodes, *rc::gen::inRange<std::uint32_t>(1, 5),
                 *rc::gen::element(Across::node, Across::host, Across::rack, Across::zone));
  p.placement.given = true;
  p.replicas.when_short = WhenShort::repeat;
  if (*rc::gen::arbitrary<bool>())
    p.replicas.per_zone = {{"z0", *rc::gen::inRange<std::uint32_t>(1, 4)},
                           {"z1", *rc::gen::inRange<std::uint32_t>(1, 4)}};
  const auto built = ClusterMap::build(p);
  RC_PRE(built.ok());
  const Placement placement = compile(*built);
  NodeSet down(count);
  for (NodeIndex n = 0; n < count; ++n)
    if (*rc::gen::inRange(0, 3) == 0) down.insert(n);
  for (std::size_t r = 0; r < placement.region_count(); ++r) {
    std::vector<std::pair<Token, NodeIndex>> stream;
    for (std::size_t k = 0; k < placement.entry_count(); ++k) {
      const auto e = placement.entry((r + k) % placement.entry_count());
      stream.emplace_back(e.token, e.node);
    }
    RC_ASSERT(owner_names(placement, {placement.region(r).upto.value}, NodeMask(down)) ==
              by_the_law(*built, stream, down));
  }
}

}  // namespace
}  // namespace arcwise
