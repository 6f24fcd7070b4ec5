// nginx, HAProxy and Envoy: the odd corners that whole rings and tables do not show.
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <array>
#include <map>
#include <set>

#include "place/envoy.hpp"
#include "place/haproxy.hpp"
#include "place/haproxy_key.hpp"
#include "place/ip_address.hpp"
#include "place/nginx.hpp"
#include "place/testing.hpp"

namespace arcwise {
namespace {

using testing::map_of;
using testing::node;
using testing::owners_of_key;
using testing::parts;
using Settings = std::map<std::string, std::string, std::less<>>;

ClusterMap::Parts with(ClusterMap::Parts p, Settings settings) {
  p.placement.settings = std::move(settings);
  return p;
}

std::vector<Node> named(const std::vector<std::string>& names) {
  std::vector<Node> out;
  for (const std::string& name : names) out.push_back(node(name));
  return out;
}

std::string owner(const Placement& p, const std::string& key, const NodeSet& down = NodeSet(0)) {
  return owners_of_key(p, key, NodeMask(down)).at(0);
}

std::string refusal(ClusterMap::Parts p) {
  const auto built = ClusterMap::build(std::move(p));
  return built ? "" : built.error().why;
}

TEST(nginx, a_port_is_the_digits_behind_the_last_colon) {
  const auto split = [](std::string_view text) {
    const NginxServer s = nginx_server(text);
    return std::string(s.host) + "|" + std::string(s.port);
  };
  EXPECT_EQ(split("10.0.0.1:80"), "10.0.0.1|80");
  EXPECT_EQ(split("10.0.0.1"), "10.0.0.1|");
  EXPECT_EQ(split("cache.example.com:8080"), "cache.example.com|8080");
  EXPECT_EQ(split("cache.example.com"), "cache.example.com|");
  EXPECT_EQ(split("[::1]:8080"), "[::1]|8080");
  EXPECT_EQ(split("[::1]"), "[::1]|");
  EXPECT_EQ(split("unix:/tmp/a.sock"), "/tmp/a.sock|");
  EXPECT_EQ(split("unix:/tmp/a:80"), "/tmp/a:80|");
  EXPECT_EQ(split("80"), "80|");
}

TEST(nginx, a_server_without_a_port_is_another_one) {
  const ClusterMap map = map_of(parts("nginx-consistent", named({"10.0.0.1", "10.0.0.1:80"})));
  const Placement p = compile(map);
  EXPECT_EQ(p.entry_count(), 320u);
}

TEST(nginx, lines_with_one_text_share_its_points_and_the_first_holds_them) {
  auto nodes = named({"first", "second"});
  for (Node& n : nodes) n.label = "10.0.0.1:80";
  const Placement p = compile(map_of(parts("nginx-consistent", nodes)));
  EXPECT_EQ(p.entry_count(), 160u);
  EXPECT_EQ(owner(p, "anything"), "first");
}

TEST(nginx, every_server_is_asked_in_the_end) {
  const auto names = std::vector<std::string>{"a:1", "b:1", "c:1", "d:1", "e:1"};
  const Placement p = compile(map_of(parts("nginx-hash", named(names))));
  for (NodeIndex last = 0; last < names.size(); ++last) {
    NodeSet down(names.size());
    for (NodeIndex n = 0; n < names.size(); ++n)
      if (n != last) down.insert(n);
    for (int k = 0; k < 200; ++k) EXPECT_EQ(owner(p, "k" + std::to_string(k), down), names[last]);
  }
}

TEST(nginx, weights_are_whole) {
  auto nodes = named({"a:1", "b:1"});
  nodes[0].weight = 1.5;
  EXPECT_NE(refusal(parts("nginx-consistent", nodes)).find("cannot take"), std::string::npos);
}

TEST(haproxy, servers_without_a_number_take_the_next_free_one) {
  auto nodes = named({"a", "b", "c", "d", "e", "f"});
  nodes[1].bucket = 1;
  nodes[3].bucket = 5;
  EXPECT_EQ(haproxy_ids(map_of(parts("haproxy-consistent", nodes))),
            (std::vector<std::uint32_t>{2, 1, 4, 5, 6, 7}));
  EXPECT_EQ(haproxy_ids(map_of(parts("haproxy-consistent", named({"a", "b", "c"})))),
            (std::vector<std::uint32_t>{1, 2, 3}));
}

// Keys of the servers that stay and yet move when the first line is deleted.
int moved_without_first_line(std::vector<Node> nodes) {
  const Placement before = compile(map_of(parts("haproxy-consistent", nodes)));
  nodes.erase(nodes.begin());
  const Placement after = compile(map_of(parts("haproxy-consistent", nodes)));
  int moved = 0;
  for (int k = 0; k < 1000; ++k) {
    const std::string key = "k" + std::to_string(k);
    moved += owner(before, key) != "s1" && owner(before, key) != owner(after, key);
  }
  return moved;
}

TEST(haproxy, deleting_a_line_moves_keys_of_the_others_unless_servers_have_numbers) {
  auto nodes = named({"s1", "s2", "s3"});
  EXPECT_GT(moved_without_first_line(nodes), 300);
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].bucket = 101 + i;
  EXPECT_EQ(moved_without_first_line(nodes), 0);
}

TEST(haproxy, version_3_0_moves_servers_that_are_known_by_number_only) {
  auto nodes = named({"s1", "s2", "s3"});
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].address = "10.0.0." + std::to_string(i + 1) + ":80";
  for (const char* key : {"id", "id32", "addr", "addr-port"}) {
    const Placement old = compile(map_of(with(parts("haproxy-consistent", nodes), {{"hash_key", key}})));
    const Placement now = compile(map_of(with(parts("haproxy-consistent-3.0", nodes), {{"hash_key", key}})));
    int moved = 0;
    for (int k = 0; k < 300; ++k) {
      const std::string text = "k" + std::to_string(k);
      moved += owner(old, text) != owner(now, text);
    }
    EXPECT_EQ(moved > 0, std::string(key) == "id") << key << ": " << moved;
  }
}

TEST(haproxy, what_a_server_has_not_its_number_stands_in_for) {
  const auto nodes = named({"unix@/tmp/a.sock", "web.example.com:80", "plain"});
  const Placement by_number = compile(map_of(parts("haproxy-consistent", nodes)));
  for (const char* key : {"addr", "addr-port", "guid"}) {
    const Placement p = compile(map_of(with(parts("haproxy-consistent", nodes), {{"hash_key", key}})));
    for (std::size_t i = 0; i < p.entry_count(); ++i)
      EXPECT_TRUE(p.entry(i).token == by_number.entry(i).token && p.entry(i).node == by_number.entry(i).node);
  }
}

TEST(haproxy, the_map_based_table_gives_turns_by_weight) {
  auto nodes = named({"a", "b", "c"});
  nodes[0].weight = 6;
  nodes[1].weight = 2;
  nodes[2].weight = 0;
  const Placement p = compile(map_of(parts("haproxy-map-based", nodes)));
  ASSERT_EQ(p.entry_count(), 4u);
  std::string turns;
  for (std::size_t i = 0; i < 4; ++i) turns += nodes[p.entry(i).node].name;
  EXPECT_EQ(turns, "aaab");
}

TEST(haproxy, somebody_must_have_a_weight) {
  auto nodes = named({"a", "b"});
  nodes[0].weight = nodes[1].weight = 0;
  for (const char* recipe : {"haproxy-map-based", "haproxy-consistent", "haproxy-consistent-3.0"})
    EXPECT_NE(refusal(parts(recipe, nodes)).find("weight of 0"), std::string::npos);
  nodes[0].weight = 257;
  EXPECT_NE(refusal(parts("haproxy-consistent", nodes)).find("refuses"), std::string::npos);
}

HaproxyKey uri_key(const std::string& len, const std::string& depth) {
  return HaproxyKey(map_of(with(parts("haproxy-consistent", named({"a"})),
                                {{"balance", "uri"}, {"uri_len", len}, {"uri_depth", depth}}))
                        .placement());
}

TEST(haproxy, a_uri_counts_up_to_its_question_mark_a_length_or_a_depth) {
  EXPECT_EQ(uri_key("0", "0").value("/a/b/c.png?v=1"), "/a/b/c.png");
  EXPECT_EQ(uri_key("4", "0").value("/a/b/c.png?v=1"), "/a/b");
  EXPECT_EQ(uri_key("0", "1").value("/a/b/c.png?v=1"), "/a");
  EXPECT_EQ(uri_key("0", "2").value("/a/b/c.png?v=1"), "/a/b");
  EXPECT_EQ(uri_key("0", "2").value("/a?v=/b/c"), "/a");
  EXPECT_EQ(uri_key("0", "9").value("/a/b/c.png"), "/a/b/c.png");
}

TEST(ip_address, texts_of_both_families_are_read_and_nothing_else) {
  const auto hex = [](std::string_view text) {
    const auto address = ip_address(text);
    std::string out = address ? "" : "none";
    for (std::size_t i = 0; address && i < address->size; ++i)
      out += {"0123456789abcdef"[address->bytes[i] >> 4], "0123456789abcdef"[address->bytes[i] & 15]};
    return out;
  };
  EXPECT_EQ(hex("10.0.0.255"), "0a0000ff");
  EXPECT_EQ(hex("::"), std::string(32, '0'));
  EXPECT_EQ(hex("::1"), std::string(31, '0') + "1");
  EXPECT_EQ(hex("2001:db8::2:0"), "20010db8000000000000000000020000");
  EXPECT_EQ(hex("1:2:3:4:5:6:7:8"), "00010002000300040005000600070008");
  EXPECT_EQ(hex("::ffff:10.0.0.1"), "00000000000000000000ffff0a000001");
  for (const char* bad : {"", "10.0.0", "10.0.0.256", "10.0.0.1.1", "a.b.c.d", ":", ":::", "1::2::3", "1:2:3",
                          "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7::8", "12345::", "::10.0.0.1:1", "-1.0.0.0"})
    EXPECT_EQ(hex(bad), "none") << bad;
}

RC_GTEST_PROP(ip_address, no_text_breaks_the_reader, (const std::string& text)) {
  const auto endpoint = ip_endpoint(text);
  RC_ASSERT(!endpoint || endpoint->address.size == 4 || endpoint->address.size == 16);
}

TEST(ip_address, an_endpoint_has_a_port_behind_an_ipv4_address_or_brackets) {
  const auto port = [](std::string_view text) {
    const auto endpoint = ip_endpoint(text);
    return endpoint ? static_cast<int>(endpoint->port) : -1;
  };
  EXPECT_EQ(port("10.0.0.1:80"), 80);
  EXPECT_EQ(port("10.0.0.1"), 0);
  EXPECT_EQ(port("[::1]:8080"), 8080);
  EXPECT_EQ(port("[::1]"), 0);
  EXPECT_EQ(port("2001:db8::2"), 0);
  for (const char* bad : {"localhost:80", "[::1", "[::1]80", "10.0.0.1:", "10.0.0.1:65536", "[]:80", ""})
    EXPECT_EQ(port(bad), -1) << bad;
}

TEST(envoy, maglev_entries_follow_the_weights) {
  auto nodes = named({"127.0.0.1:90", "127.0.0.1:91"});
  nodes[1].weight = 2;
  const Placement p = compile(map_of(parts("envoy-maglev", nodes)));
  std::array<int, 2> entries{};
  for (std::size_t i = 0; i < p.entry_count(); ++i) ++entries[p.entry(i).node];
  EXPECT_EQ(entries, (std::array<int, 2>{21846, 43691}));
}

TEST(envoy, a_table_needs_a_prime_size_and_a_ring_at_least_a_point) {
  const auto nodes = named({"a:1", "b:1"});
  EXPECT_NE(refusal(with(parts("envoy-maglev", nodes), {{"table_size", "65536"}})).find("prime"),
            std::string::npos);
  EXPECT_EQ(refusal(with(parts("envoy-maglev", nodes), {{"table_size", "65539"}})), "");
  EXPECT_NE(refusal(with(parts("envoy-maglev", nodes), {{"table_size", "5000017"}})), "");
  EXPECT_NE(refusal(with(parts("envoy-ring-hash", nodes), {{"minimum_ring_size", "0"}})), "");
  EXPECT_NE(refusal(with(parts("envoy-ring-hash", nodes), {{"hash_function", "MD5"}})), "");
}

TEST(envoy, zones_without_a_weight_get_nothing_but_one_must_have_some) {
  auto nodes = named({"a:1", "b:1", "c:1"});
  nodes[0].zone = "eu";
  nodes[1].zone = "us";
  const ClusterMap map =
      map_of(with(parts("envoy-maglev", nodes), {{"locality_weights", "us=1, eu = 3, asia=0"}}));
  const auto hosts = envoy_hosts(map);
  ASSERT_EQ(hosts.size(), 2u);
  EXPECT_EQ(hosts[0].share, 0.75);
  EXPECT_EQ(hosts[1].share, 0.25);
  for (const char* text : {"asia=5", "eu=0, us=0"})
    EXPECT_NE(refusal(with(parts("envoy-maglev", nodes), {{"locality_weights", text}})).find("no zone"),
              std::string::npos);
  for (const char* text : {"eu", "eu=x", "eu=-1", "eu=1, eu=2", "eu=1.5", "eu=1 us=2"})
    EXPECT_NE(refusal(with(parts("envoy-maglev", nodes), {{"locality_weights", text}})).find("not a list"),
              std::string::npos)
        << text;
}

TEST(envoy, a_small_ring_leaves_hosts_without_a_point) {
  std::vector<Node> nodes;
  for (int i = 0; i < 5000; ++i) nodes.push_back(node("10.0.0.1:" + std::to_string(i)));
  const Placement p = compile(map_of(
      with(parts("envoy-ring-hash", nodes), {{"minimum_ring_size", "1024"}, {"maximum_ring_size", "1024"}})));
  std::set<NodeIndex> holders;
  for (std::size_t i = 0; i < p.entry_count(); ++i) holders.insert(p.entry(i).node);
  EXPECT_EQ(holders.size(), 1024u);
}

TEST(envoy, the_smallest_host_gets_a_whole_number_of_points_between_the_limits) {
  auto nodes = named({"a:1", "b:1", "c:1"});
  const auto points = [&](const char* least, const char* most) {
    std::array<int, 3> count{};
    const Placement p = compile(map_of(
        with(parts("envoy-ring-hash", nodes), {{"minimum_ring_size", least}, {"maximum_ring_size", most}})));
    for (std::size_t i = 0; i < p.entry_count(); ++i) ++count[p.entry(i).node];
    return count;
  };
  EXPECT_EQ(points("1024", "8388608"), (std::array<int, 3>{342, 342, 342}));
  EXPECT_EQ(points("1024", "1000"), (std::array<int, 3>{334, 333, 333}));
  EXPECT_EQ(points("1", "8388608"), (std::array<int, 3>{1, 1, 1}));
  nodes[2].weight = 2;
  EXPECT_EQ(points("1024", "8388608"), (std::array<int, 3>{256, 256, 512}));
}

TEST(envoy, large_weights_are_shares_and_make_no_more_points) {
  auto nodes = named({"a:1", "b:1"});
  // Two of 2^31 add up to 0 in 32 bits.
  nodes[0].weight = nodes[1].weight = 2147483648.0;
  const Placement p = compile(map_of(parts("envoy-ring-hash", nodes)));
  std::array<int, 2> points{};
  for (std::size_t i = 0; i < p.entry_count(); ++i) ++points[p.entry(i).node];
  EXPECT_EQ(points, (std::array<int, 2>{512, 512}));
}

}  // namespace
}  // namespace arcwise
