#include "place/ketama.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "hash/md5.hpp"
#include "place/testing.hpp"

namespace arcwise {
namespace {

// Server counts up to 120 at which single precision gives 39 digests instead of 40 (measured on the real
// programs).
TEST(ketama, single_precision_loses_a_digest_at_known_server_counts) {
  const std::vector<std::uint32_t> lossy{25, 47, 50, 55, 61, 71, 94, 100, 107, 109, 110, 115};
  for (std::uint32_t n = 1; n <= 115; ++n)
    EXPECT_EQ(ketama_digests(1, n, n), std::count(lossy.begin(), lossy.end(), n) ? 39u : 40u) << n;
}

// The same of the other two formulas, up to 1,000 and up to 150 servers.
TEST(ketama, libketama_and_npm_hashring_lose_digests_at_other_counts) {
  std::vector<std::size_t> lost, lost_in_node;
  for (std::size_t n = 1; n <= 1000; ++n) {
    const std::uint32_t digests = libketama_digests(1, n, n);
    if (digests != 40) lost.push_back(n);
    EXPECT_GE(digests, 39u);
  }
  EXPECT_EQ(lost, (std::vector<std::size_t>{61, 122, 237, 244, 474, 488, 933, 948, 951, 953, 976}));
  for (std::size_t n = 1; n <= 150; ++n)
    if (hashring_digests(1, static_cast<double>(n), 40, n) != 40) lost_in_node.push_back(n);
  EXPECT_EQ(lost_in_node, (std::vector<std::size_t>{7, 14, 28, 49, 56, 98, 103, 112, 141, 147}));
}

// What libketama's own test prints for a million keys has this MD5.
TEST(ketama, libketamas_own_test_of_a_million_keys_passes) {
  const std::vector<double> memory{600, 300, 200, 350, 1000, 800, 950, 100};
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < memory.size(); ++i)
    nodes.push_back(testing::node("10.0.1." + std::to_string(i + 1) + ":11211", memory[i]));
  const Placement p = compile(testing::map_of(testing::parts("libketama", nodes)));
  std::string output = "\n";
  for (int i = 0; i < 1000000; ++i) {
    const KeyHash hash = p.hash(std::to_string(i));
    const auto point = p.region(p.region_at(hash)).upto.value;
    output += std::to_string(static_cast<std::uint32_t>(hash.value)) + ' ' +
              std::to_string(static_cast<std::uint32_t>(point)) + ' ' + nodes[p.primary(hash)].name + '\n';
  }
  std::string hex;
  for (const std::uint8_t byte : md5(output)) {
    hex += "0123456789abcdef"[byte >> 4];
    hex += "0123456789abcdef"[byte & 15];
  }
  EXPECT_EQ(hex, "5672b131391f5aa2b280936aec1eea74");
}

Placement compiled(const char* recipe, std::vector<Node> nodes,
                   std::map<std::string, std::string, std::less<>> settings = {}) {
  auto p = testing::parts(recipe, std::move(nodes));
  p.placement.tokens = p.placement.recipe->default_tokens;
  p.placement.settings = std::move(settings);
  return compile(testing::map_of(std::move(p)));
}

std::vector<Node> numbered_servers(std::size_t count) {
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < count; ++i)
    nodes.push_back(
        testing::node("10.1." + std::to_string(i / 256) + "." + std::to_string(i % 256) + ":11300"));
  return nodes;
}

TEST(ketama, more_than_a_hundred_servers_work_in_every_row) {
  for (const Recipe& row : recipes()) {
    if (row.points != PointRule::method || row.ring_bits != 32 || !row.no_placement.empty()) continue;
    if (row.method.find("ketama") == std::string_view::npos && row.method != "hundred-libmemcached") continue;
    const Placement p = compiled(std::string(row.name).c_str(), numbered_servers(300));
    std::vector<int> keys(300);
    for (int k = 0; k < 60000; ++k) ++keys[p.primary(p.hash("key-" + std::to_string(k)))];
    if (row.hash == KeyHashId::md5_ketama) {
      EXPECT_GT(*std::min_element(keys.begin(), keys.end()), 60) << row.name;
    }
  }
}

TEST(ketama, a_ring_built_before_the_hash_was_changed_keeps_its_points) {
  const Placement late =
      compiled("libmemcached-consistent", numbered_servers(4), {{"point_hash", "jenkins"}});
  auto p = testing::parts("libmemcached-consistent", numbered_servers(4));
  p.placement.hash = KeyHashId::jenkins;
  const Placement jenkins = compile(testing::map_of(p));
  for (std::size_t i = 0; i < late.entry_count(); ++i) EXPECT_EQ(late.entry(i).token, jenkins.entry(i).token);
  EXPECT_EQ(late.hash("k").value, key_hash(KeyHashId::one_at_a_time, "k"));
}

TEST(ketama, a_weight_of_zero_is_one_in_libmemcached_and_npm_and_none_in_dalli_and_uhashring) {
  auto nodes = numbered_servers(3);
  nodes[1].weight = 0;
  const auto points_of_second = [&](const char* recipe) {
    const Placement p = compiled(recipe, nodes);
    int points = 0;
    for (std::size_t i = 0; i < p.entry_count(); ++i) points += p.entry(i).node == 1;
    return points;
  };
  EXPECT_EQ(points_of_second("libmemcached-ketama-weighted"), 160);
  EXPECT_EQ(points_of_second("hashring"), 160);
  EXPECT_EQ(points_of_second("dalli"), 0);
  EXPECT_EQ(points_of_second("uhashring-ketama"), 0);
  for (Node& n : nodes) n.weight = 0;
  for (const char* recipe : {"dalli", "uhashring-ketama", "uhashring", "go-ketama"}) {
    const auto refused = ClusterMap::build(testing::parts(recipe, nodes));
    ASSERT_FALSE(refused) << recipe;
    EXPECT_NE(refused.error().why.find("nobody owns anything"), std::string::npos) << recipe;
  }
}

TEST(ketama, weights_with_fractions_are_refused_where_the_system_has_whole_ones) {
  auto nodes = numbered_servers(2);
  nodes[0].weight = 1.5;
  EXPECT_FALSE(ClusterMap::build(testing::parts("libketama", nodes)).ok());
  EXPECT_TRUE(ClusterMap::build(testing::parts("hashring", nodes)).ok());
}

TEST(ketama, random_distribution_places_nothing_and_says_so) {
  const auto map = ClusterMap::build(testing::parts("twemproxy-random", numbered_servers(2)));
  ASSERT_FALSE(map.ok());
  EXPECT_NE(map.error().why.find("no key has an owner"), std::string::npos);
}

TEST(ketama, sorted_hosts_go_by_name_and_then_by_port_as_a_number) {
  const Placement p = compiled("libmemcached-modula",
                               {testing::node("b:9"), testing::node("a:11212"), testing::node("a"),
                                testing::node("/tmp/a.sock"), testing::node("a:9")},
                               {{"sort_hosts", "true"}});
  std::vector<std::string> order;
  for (std::size_t i = 0; i < p.entry_count(); ++i) order.push_back(p.map().nodes()[p.entry(i).node].name);
  EXPECT_EQ(order, (std::vector<std::string>{"/tmp/a.sock", "a:9", "a", "a:11212", "b:9"}));
}

TEST(ketama, one_server_twice_holds_its_points_twice_and_the_first_one_answers) {
  auto nodes = numbered_servers(2);
  nodes.push_back(nodes[0]);
  nodes[2].label = "10.1.0.0:11300";
  nodes[2].name += "#2";
  const Placement p = compiled("libmemcached-ketama-weighted", nodes);
  EXPECT_EQ(p.entry_count(), 480u);
  EXPECT_EQ(p.region_count(), 320u);
  for (int k = 0; k < 1000; ++k) EXPECT_NE(p.primary(p.hash(std::to_string(k))), 2u);
}

// Who agrees with whom on one list of equal servers at port 11211; a change of port or count parts them.
TEST(ketama, systems_agree_in_two_groups_where_nothing_but_the_port_differs) {
  std::vector<Node> nodes;
  for (int i = 1; i <= 3; ++i) nodes.push_back(testing::node("10.0.0." + std::to_string(i) + ":11211"));
  const auto owners = [&](const char* recipe) {
    const Placement p = compiled(recipe, nodes);
    std::vector<NodeIndex> out;
    for (int k = 0; k < 2000; ++k) out.push_back(p.primary(p.hash("key:" + std::to_string(k))));
    return out;
  };
  const auto with_port = owners("libketama");
  for (const char* same :
       {"spymemcached-ketama", "hashring", "uhashring-ketama", "go-ketama", "memcached-proxy-ketama"})
    EXPECT_EQ(owners(same), with_port) << same;
  const auto without = owners("libmemcached-ketama-weighted");
  for (const char* same : {"spymemcached-ketama-libmemcached", "xmemcached-ketama-nginx", "npm-memcached",
                           "twemproxy-ketama", "memcached-proxy-twemproxy"})
    EXPECT_EQ(owners(same), without) << same;
  EXPECT_EQ(owners("xmemcached-ketama"), owners("libmemcached-spy-weighted"));
  EXPECT_NE(with_port, without);
}

TEST(ketama, small_weights_round_to_no_point) {
  EXPECT_EQ(ketama_digests(1, 81, 2), 0u);
  EXPECT_EQ(ketama_digests(80, 81, 2), 79u);
  EXPECT_EQ(ketama_digests(1024, 2053, 3), 59u);
  EXPECT_EQ(ketama_digests(5, 2053, 3), 0u);
}

// 10.20.0.29:11212 and 10.20.1.0:11212 share point 497387493.
TEST(ketama, colliding_points_belong_to_the_server_earlier_in_name_order) {
  const auto map = testing::map_of(testing::parts(
      "twemproxy-ketama", {testing::node("10.20.0.29:11212"), testing::node("10.20.1.0:11212")}));
  const Placement p = compile(map);
  EXPECT_EQ(p.entry_count(), 320u);
  EXPECT_EQ(p.region_count(), 319u);
  // Name order is length first: "10.20.1.0:11212" is shorter.
  EXPECT_EQ(testing::owner_names(p, {497387493}).at(0), "10.20.1.0:11212");
}

TEST(key_position, bytes_with_a_high_bit_are_read_as_the_setting_says) {
  const std::string key = "caf\xc3\xa9";
  for (const auto& [sign, word] :
       {std::pair{ByteSign::as_signed, "signed"}, {ByteSign::as_unsigned, "unsigned"}}) {
    auto p = testing::parts("twemproxy-ketama", {testing::node("a:1"), testing::node("b:1")});
    p.placement.hash = KeyHashId::fnv1a_32;
    p.placement.settings["byte_sign"] = word;
    EXPECT_EQ(compile(testing::map_of(p)).hash(key).value, key_hash(KeyHashId::fnv1a_32, key, sign));
  }
  auto p = testing::parts("twemproxy-ketama", {testing::node("a:1")});
  p.placement.settings["byte_sign"] = "neither";
  EXPECT_FALSE(ClusterMap::build(p).ok());
}

TEST(key_position, a_prefix_is_hashed_before_the_key_up_to_250_bytes) {
  auto p = testing::parts("libmemcached-consistent", {testing::node("a:1"), testing::node("b:1")});
  p.placement.settings["prefix"] = "app1:";
  const Placement placement = compile(testing::map_of(p));
  const std::string fits(245, 'x'), too_long(246, 'x');
  EXPECT_EQ(placement.hash("k").value, key_hash(KeyHashId::one_at_a_time, "app1:k"));
  EXPECT_EQ(placement.hash("").value, key_hash(KeyHashId::one_at_a_time, "app1:"));
  EXPECT_EQ(placement.hash(fits).value, key_hash(KeyHashId::one_at_a_time, "app1:" + fits));
  EXPECT_EQ(placement.hash(too_long).value, 0u);
}

TEST(key_position, twemproxy_hashes_an_empty_key_to_zero) {
  auto p = testing::parts("twemproxy-ketama", {testing::node("a:1"), testing::node("b:1")});
  EXPECT_EQ(compile(testing::map_of(p)).hash("").value, 0u);
}

TEST(key_position, a_ring_narrower_than_its_hash_takes_the_low_bits) {
  auto p = testing::parts("memcached-proxy-ketama", {testing::node("a:1"), testing::node("b:1")});
  p.placement.hash = KeyHashId::xxh3;
  EXPECT_EQ(compile(testing::map_of(p)).hash("k").value, key_hash(KeyHashId::xxh3, "k") & 0xffffffff);
}

TEST(key_position, hash_tags_follow_the_first_pair_only) {
  struct Row {
    const char *key, *tagged;
  };
  for (const Row& r :
       {Row{"user:{123}:profile", "123"}, Row{"foo{}{bar}", "foo{}{bar}"}, Row{"foo{{bar}}zap", "{bar"},
        Row{"foo{bar}{zap}", "bar"}, Row{"{abc", "{abc"}, Row{"", ""}, Row{"}{a}", "a"}}) {
    const auto map = testing::parts("redis-cluster", {testing::node("m")});
    auto p = map;
    p.placement.slots = 16384;
    p.placement.table = {{{16383}, {0}}};
    EXPECT_EQ(compile(testing::map_of(p)).routing_key(r.key), r.tagged) << r.key;
  }
}

TEST(key_position, redis_tagged_keys_share_slot_5970) {
  auto p = testing::parts("redis-cluster", {testing::node("m")});
  p.placement.slots = 16384;
  p.placement.table = {{{16383}, {0}}};
  const Placement placement = compile(testing::map_of(p));
  EXPECT_EQ(placement.hash("user:{123}:profile").value, 5970u);
  EXPECT_EQ(placement.hash("user:{123}:account").value, 5970u);
  EXPECT_EQ(placement.hash("").value, 0u);
}

}  // namespace
}  // namespace arcwise
