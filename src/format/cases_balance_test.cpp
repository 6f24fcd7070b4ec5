// Cases of the field, by their id: who gets how much, and what a change moves.
#include <algorithm>
#include <numeric>

#include "arcwise/check.hpp"
#include "arcwise/ownership.hpp"
#include "format/cases_testing.hpp"

namespace arcwise {
namespace {

using namespace arcwise::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::size_t> counts_of(const Placement& placement, const std::vector<std::string>& keys) {
  std::vector<std::size_t> out(placement.map().nodes().size(), 0);
  for (const std::string& key : keys) ++out[*placement.map().find(owner(placement, key))];
  std::sort(out.begin(), out.end());
  return out;
}

std::size_t points_of(const Placement& placement, NodeIndex node) {
  std::size_t out = 0;
  for (std::size_t i = 0; i < placement.entry_count(); ++i) out += placement.entry(i).node == node;
  return out;
}

TEST(Cases, bal_01_neighbouring_keys_fall_in_one_arc_by_fnv1a_64) {
  const Placement pool = nutcracker("fnv1a_64", "ketama", {"127.0.0.1:11212:1", "127.0.0.1:11213:1"});
  for (const char* key : {"a", "b", "c", "d", "e", "f", "g", "h"})
    EXPECT_EQ(owner(pool, key), "127.0.0.1:11212") << key;
}

TEST(Cases, bal_02_each_hash_spreads_a_thousand_users_in_its_own_way) {
  std::vector<std::string> servers, keys;
  for (int i = 11; i <= 15; ++i) servers.push_back("127.0.1." + std::to_string(i) + ":11211:1");
  for (int i = 0; i < 1000; ++i) keys.push_back("user:" + std::to_string(i));
  const auto spread = [&](const char* hash) { return counts_of(nutcracker(hash, "ketama", servers), keys); };
  EXPECT_THAT(spread("fnv1a_64"), ElementsAre(70, 90, 130, 200, 510));
  EXPECT_THAT(spread("fnv1_64"), ElementsAre(0, 0, 0, 100, 900));
  EXPECT_THAT(spread("crc32"), ElementsAre(0, 0, 0, 0, 1000));
  const std::vector<std::tuple<const char*, std::size_t, std::size_t>> ends{{"fnv1a_32", 171, 252},
                                                                            {"md5", 186, 213},
                                                                            {"murmur", 170, 216},
                                                                            {"one_at_a_time", 176, 216},
                                                                            {"crc16", 90, 310}};
  for (const auto& [hash, least, most] : ends) {
    EXPECT_EQ(spread(hash).front(), least) << hash;
    EXPECT_EQ(spread(hash).back(), most) << hash;
  }
}

TEST(Cases, bal_03_fifteen_bits_on_a_ring_of_32_give_one_server_everything) {
  const Placement pool =
      nutcracker("crc32", "ketama",
                 {"127.0.1.11:11211:1", "127.0.1.12:11211:1", "127.0.1.13:11211:1", "127.0.1.14:11211:1"});
  EXPECT_EQ(counts_of(pool, sessions(1000)).back(), 1000U);
  const Ownership shares = ownership(pool);
  EXPECT_TRUE(std::any_of(shares.nodes.begin(), shares.nodes.end(),
                          [](const auto& n) { return n.share == Share::whole(); }));
}

TEST(Cases, bal_04_a_token_next_to_anothers_owns_one_value) {
  const Placement placement = compile(imported({{"map.yaml",
                                                 "arcwise: 1\n"
                                                 "placement: {recipe: ring, hash: crc32, allocation: given}\n"
                                                 "nodes:\n"
                                                 "  - {name: backend-a, tokens: [\"00000001\"]}\n"
                                                 "  - {name: backend-b, tokens: [\"00000002\"]}\n"}})
                                          .map);
  const Ownership shares = ownership(placement);
  const double one = 1.0 / 4294967296.0;
  EXPECT_DOUBLE_EQ(shares.nodes[1].share.value(), one);
  EXPECT_DOUBLE_EQ(shares.nodes[0].share.value(), 1 - one);
}

TEST(Cases, bal_11_a_maglev_table_is_shared_out_by_weight) {
  const Placement placement =
      servers_under("recipe: envoy-maglev", {{"127.0.0.1:90", 1}, {"127.0.0.1:91", 2}});
  EXPECT_EQ(placement.region_count() > 0 ? placement.map().space().last + 1 : 0, u128{65537});
  std::vector<std::uint64_t> entries(2, 0);
  for (std::uint64_t slot = 0; slot < 65537; ++slot) ++entries[placement.primary({slot})];
  EXPECT_THAT(entries, ElementsAre(21846, 43691));
}

TEST(Cases, bal_15_a_disk_heavier_than_all_others_together_is_cropped) {
  const Placement placement = servers_under(
      "recipe: ring", {{"d0", 5}, {"d1", 1}, {"d2", 1}, {"d3", 1}, {"d4", 1}}, "replicas: {count: 2}\n");
  const std::vector<double> target = target_shares(placement.map(), 2);
  // One whole copy of the two: 4 of the 8 units that are then in use, so 4 of its 5 count.
  EXPECT_DOUBLE_EQ(target[0], 1.0);
  for (std::size_t i = 1; i < 5; ++i) EXPECT_DOUBLE_EQ(target[i], 0.25);
}

TEST(Cases, bal_17_a_small_envoy_ring_leaves_3976_of_5000_hosts_without_an_entry) {
  std::vector<std::string> names;
  for (int i = 0; i < 5000; ++i)
    names.push_back("10." + std::to_string(i / 250) + ".0." + std::to_string(i % 250) + ":80");
  const Placement placement = servers_under(
      "recipe: envoy-ring-hash, settings: {minimum_ring_size: 1024, maximum_ring_size: 1024}", equal(names));
  EXPECT_EQ(placement.entry_count(), 1024U);
  std::set<NodeIndex> there;
  for (std::size_t i = 0; i < placement.entry_count(); ++i) there.insert(placement.entry(i).node);
  EXPECT_EQ(5000U - there.size(), 3976U);
}

TEST(Cases, w_02_the_twelve_lightest_of_a_thousand_lose_all_their_points) {
  std::vector<Server> servers;
  for (int i = 0; i < 1000; ++i) servers.emplace_back((i < 10 ? "node0" : "node") + std::to_string(i), i);
  const Placement placement = servers_under("recipe: uhashring-ketama", servers);
  std::set<NodeIndex> there;
  for (std::size_t i = 0; i < placement.entry_count(); ++i) there.insert(placement.entry(i).node);
  EXPECT_EQ(there.size(), 987U);
  EXPECT_EQ(*there.begin(), 13U);
}

TEST(Cases, w_03_a_light_third_server_has_no_point_so_three_copies_find_two_servers) {
  const Placement placement = servers_under(
      "recipe: libmemcached-ketama-weighted",
      {{"10.0.0.1:11300", 1024}, {"10.0.0.2:11300", 1024}, {"10.0.0.3:11300", 5}}, "replicas: {count: 3}\n");
  EXPECT_EQ(points_of(placement, 0), 59U * 4);
  EXPECT_EQ(points_of(placement, 1), 59U * 4);
  EXPECT_EQ(points_of(placement, 2), 0U);
  std::vector<NodeIndex> out(3);
  EXPECT_EQ(placement.owners({"k", placement.hash("k"), {}}, out), 2U);
  // Arcwise's own ring gives every weight a token.
  const Placement ours = servers_under("recipe: ring, tokens: 1", {{"a", 1024}, {"b", 1024}, {"c", 5}},
                                       "replicas: {count: 3}\n");
  EXPECT_EQ(ours.owners({"k", ours.hash("k"), {}}, out), 3U);
}

std::size_t to(const std::map<std::pair<std::string, std::string>, std::size_t>& moves, const char* name) {
  std::size_t out = 0;
  for (const auto& [pair, count] : moves) out += pair.second == name ? count : 0;
  return out;
}
std::size_t all(const std::map<std::pair<std::string, std::string>, std::size_t>& moves) {
  std::size_t out = 0;
  for (const auto& [pair, count] : moves) out += count;
  return out;
}

TEST(Cases, w_04_doubling_one_ketama_weight_moves_keys_between_the_others) {
  const auto with = [](double d) {
    return servers_under("recipe: libmemcached-ketama-weighted",
                         {{"cache-a", 1}, {"cache-b", 1}, {"cache-c", 1}, {"cache-d", d}});
  };
  const Placement before = with(1), after = with(2);
  EXPECT_EQ(points_of(before, 0), 160U);
  EXPECT_EQ(points_of(after, 0), 128U);
  const auto moves = moved(before, after, sessions(20'000));
  EXPECT_EQ(all(moves), 4670U);
  EXPECT_EQ(to(moves, "cache-d"), 3284U);
  const Diff d = diff(before, after, 1);
  EXPECT_FALSE(d.sampled);
  EXPECT_NEAR(d.moved.value(), 0.2335, 0.01);
  EXPECT_GT((d.moved - d.least).value(), 0.05);  // moves of no use, which the plan shows
  const std::vector<Cause> found = causes_of(before, after);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, CauseKind::weights);
  EXPECT_EQ(found[0].after,
            "weights 1, 1, 1, 2: a weight shares out the points of all servers, here 128, 128, 128, 256 "
            "points");
}

TEST(Cases, w_05_adding_a_light_server_moves_more_between_the_old_ones) {
  const Placement before =
      servers_under("recipe: libmemcached-ketama-weighted", {{"a", 3}, {"b", 3}, {"c", 4}});
  const Placement after =
      servers_under("recipe: libmemcached-ketama-weighted", {{"a", 3}, {"b", 3}, {"c", 4}, {"e", 1}});
  const auto moves = moved(before, after, sessions(20'000));
  EXPECT_EQ(all(moves), 3943U);
  EXPECT_EQ(to(moves, "e"), 1526U);
}

TEST(Cases, w_08_two_weights_of_2_to_the_31_share_out_evenly_and_come_to_an_end) {
  for (const char* recipe : {"recipe: libmemcached-ketama-weighted", "recipe: libketama"}) {
    const Placement placement = servers_under(recipe, {{"a", 2147483648.0}, {"b", 2147483648.0}});
    EXPECT_EQ(points_of(placement, 0), 160U) << recipe;
    EXPECT_EQ(points_of(placement, 1), 160U) << recipe;
  }
}

TEST(Cases, edge_06_removing_a_ketama_server_moves_its_own_keys_and_no_other) {
  const std::string rule = "recipe: libmemcached-ketama-weighted";
  const Placement before = servers_under(rule, equal({"cache-a", "cache-b", "cache-c", "cache-d"}));
  const Placement after = servers_under(rule, equal({"cache-a", "cache-c", "cache-d"}));
  std::size_t from_b = 0, others = 0;
  for (const auto& [pair, count] : moved(before, after, sessions(20'000)))
    (pair.first == "cache-b" ? from_b : others) += count;
  EXPECT_EQ(from_b, 5083U);
  EXPECT_EQ(others, 0U);
}

TEST(Cases, edge_02_the_last_server_owns_everything) {
  const Placement both = servers_under("recipe: libketama", equal({"a:1", "b:1"}));
  const Placement one = servers_under("recipe: libketama", equal({"a:1"}));
  EXPECT_NE(fingerprints(both).fingerprint, fingerprints(one).fingerprint);
  EXPECT_EQ(ownership(one).nodes[0].share, Share::whole());
}

TEST(Cases, fail_02_ejecting_one_of_five_under_modulo_moves_four_fifths) {
  const Placement before =
      servers_under("recipe: libmemcached-modula", equal({"a:1", "b:1", "c:1", "d:1", "e:1"}));
  const Placement after = servers_under("recipe: libmemcached-modula", equal({"a:1", "b:1", "c:1", "d:1"}));
  const Diff d = diff(before, after, 1);
  EXPECT_FALSE(d.sampled);
  EXPECT_NEAR(d.differs.value(), 0.8, 1e-6);
}

TEST(Cases, fail_09_a_router_that_believes_a_node_down_differs_on_its_keys_only) {
  const Placement ring = servers_under("recipe: ring", equal({"A", "B", "C"}));
  NodeSet down(3);
  down.insert(1);
  for (const std::string& key : sessions(2000)) {
    std::vector<NodeIndex> out(1);
    ring.owners({key, ring.hash(key), NodeMask(down)}, out);
    const std::string healthy = owner(ring, key);
    EXPECT_EQ(ring.map().nodes()[out[0]].name == healthy, healthy != "B") << key;
  }
}

TEST(Cases, fail_13_suspicion_leaves_the_fingerprint_and_any_change_of_the_function_alters_it) {
  const auto print = [](const Placement& p) { return fingerprints(p).fingerprint; };
  const std::string usual = print(servers_under("recipe: ring", {{"a", 1}, {"b", 1}}));
  EXPECT_EQ(print(servers_under("recipe: ring", {{"b", 1}, {"a", 1}})), usual);
  EXPECT_NE(print(servers_under("recipe: ring", {{"a", 1}, {"b", 2}})), usual);
  EXPECT_NE(print(servers_under("recipe: ring", {{"a", 1}, {"c", 1}})), usual);
  EXPECT_NE(print(servers_under("recipe: ring, hash: xxh64", {{"a", 1}, {"b", 1}})), usual);
}

TEST(Cases, rep_01_the_preference_list_names_a_node_once) {
  const Placement placement = compile(imported({{"map.yaml",
                                                 "arcwise: 1\n"
                                                 "placement: {recipe: ring, hash: crc32, allocation: given}\n"
                                                 "replicas: {count: 2}\n"
                                                 "nodes:\n"
                                                 "  - {name: A, tokens: [\"0000000a\", \"00000014\"]}\n"
                                                 "  - {name: B, tokens: [\"0000001e\"]}\n"
                                                 "  - {name: C, tokens: [\"00000028\"]}\n"}})
                                          .map);
  EXPECT_THAT(owners_at(placement, {5}), ElementsAre("A", "B"));
}

}  // namespace
}  // namespace arcwise
