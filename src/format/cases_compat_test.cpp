// Cases of the field, by their id: systems that disagree although both say the same word, and why.
#include "format/cases_testing.hpp"
#include "format/json_reports.hpp"

namespace arcwise {
namespace {

using namespace arcwise::testing;
using ::testing::HasSubstr;

TEST(Cases, compat_01_twemproxy_sorts_by_length_and_libmemcached_keeps_the_order) {
  const Placement proxy =
      nutcracker("crc32", "modula", {"127.0.1.9:11211:1", "127.0.1.11:11211:1", "127.0.1.8:11211:1"});
  const std::string client_rule = "recipe: libmemcached-modula, hash: crc32_15bit";
  const Placement client =
      servers_under(client_rule, equal({"127.0.1.9:11211", "127.0.1.11:11211", "127.0.1.8:11211"}));
  EXPECT_EQ(differing(proxy, client, sessions(3000)), 3000U);
  EXPECT_EQ(owner(proxy, "sess:0"), "127.0.1.8:11211");
  EXPECT_EQ(owner(client, "sess:0"), "127.0.1.9:11211");
  EXPECT_EQ(owner(proxy, "sess:1eef"), "127.0.1.9:11211");
  EXPECT_EQ(owner(client, "sess:1eef"), "127.0.1.11:11211");
  const std::vector<Cause> found = causes_of(proxy, client);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, CauseKind::order);
  EXPECT_EQ(found[0].before,
            "sorted by length, then bytes: 127.0.1.8:11211, 127.0.1.9:11211, 127.0.1.11:11211");
  EXPECT_EQ(found[0].advice,
            "list the servers in the second in this order: 127.0.1.8:11211, 127.0.1.9:11211, "
            "127.0.1.11:11211");
  const Placement mended =
      servers_under(client_rule, equal({"127.0.1.8:11211", "127.0.1.9:11211", "127.0.1.11:11211"}));
  EXPECT_EQ(differing(proxy, mended, sessions(3000)), 0U);
  EXPECT_TRUE(causes_of(proxy, mended).empty());
}

TEST(Cases, compat_02_ketama_and_ketama_weighted_are_two_rings) {
  const auto servers = equal({"127.0.1.11:11211", "127.0.1.12:11211", "127.0.1.13:11212"});
  const Placement plain = servers_under("recipe: libmemcached-consistent", servers);
  const Placement weighted = servers_under("recipe: libmemcached-ketama-weighted", servers);
  EXPECT_EQ(owner(plain, "sess:1eef"), "127.0.1.11:11211");
  EXPECT_EQ(owner(weighted, "sess:1eef"), "127.0.1.12:11211");
  EXPECT_EQ(differing(plain, weighted, sessions(3000)), 2005U);
  const std::vector<Cause> found = causes_of(plain, weighted);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].kind, CauseKind::points);
  EXPECT_EQ(found[0].before, "100 points a server on a ring of 32 bits: one_at_a_time of ID-i");
  EXPECT_EQ(found[0].after, "160 points a server on a ring of 32 bits: MD5 of ID-i, 4 points each");
  EXPECT_EQ(found[1].kind, CauseKind::hash);
  Json json;
  add_causes(json, found);
  EXPECT_EQ(json["cause"]["cause"], "points");
  EXPECT_EQ(json["cause"]["bytes_before"], "127.0.1.11-0");
  EXPECT_EQ(json["causes"].size(), 2U);
  EXPECT_EQ(json["causes"][1]["remaining"], 0.0);
  add_causes(json, {});
  EXPECT_TRUE(json["cause"].is_null());
}

TEST(Cases, compat_03_twemproxy_md5_ketama_is_libmemcached_ketama_weighted) {
  const std::vector<std::string> names{"127.0.1.11:11211", "127.0.1.12:11211", "127.0.1.13:11212"};
  for (const std::vector<int>& weights :
       std::vector<std::vector<int>>{{1, 1, 1}, {1, 1, 2}, {1, 3, 9}, {10, 10, 25}, {1, 7, 7}}) {
    std::vector<std::string> lines;
    std::vector<Server> servers;
    for (std::size_t i = 0; i < names.size(); ++i) {
      lines.push_back(names[i] + ":" + std::to_string(weights[i]));
      servers.emplace_back(names[i], weights[i]);
    }
    const Placement proxy = nutcracker("md5", "ketama", lines);
    const Placement client = servers_under("recipe: libmemcached-ketama-weighted", servers);
    EXPECT_EQ(differing(proxy, client, sessions(3000)), 0U);
    EXPECT_EQ(diff(proxy, client, 1).differs.units, 0);
    EXPECT_TRUE(causes_of(proxy, client).empty());
  }
}

TEST(Cases, compat_04_three_words_of_a_digest_give_120_points) {
  const auto servers = equal({"127.0.1.11", "127.0.1.12", "127.0.1.13", "127.0.1.14"});
  const Placement four = servers_under("recipe: hashring", servers);
  const Placement three = servers_under("recipe: hashring-hash-ring", servers);
  EXPECT_EQ(four.entry_count(), 640U);
  EXPECT_EQ(three.entry_count(), 480U);
  EXPECT_EQ(owner(four, "sess:0"), "127.0.1.12");
  EXPECT_EQ(owner(three, "sess:0"), "127.0.1.11");
  EXPECT_NEAR(static_cast<double>(differing(four, three, sessions(5000))), 0.195 * 5000, 2.5);
  const std::vector<Cause> found = causes_of(four, three);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, CauseKind::points);
  EXPECT_EQ(found[0].after, "120 points a server on a ring of 32 bits: MD5 of ID-i, 3 points each");
}

TEST(Cases, compat_07_a_hash_that_equals_a_token_belongs_to_it) {
  const Placement placement = compile(imported({{"map.yaml",
                                                 "arcwise: 1\n"
                                                 "placement: {recipe: ring, hash: crc32, allocation: given}\n"
                                                 "nodes:\n"
                                                 "  - {name: A, tokens: [\"00000064\"]}\n"
                                                 "  - {name: B, tokens: [\"000000c8\"]}\n"}})
                                          .map);
  const std::vector<std::pair<std::uint64_t, const char*>> expected{
      {50, "A"}, {100, "A"}, {101, "B"}, {200, "B"}, {201, "A"}, {4294967295, "A"}};
  for (const auto& [hash, name] : expected)
    EXPECT_EQ(placement.map().nodes()[placement.primary({hash})].name, name) << hash;
}

TEST(Cases, dup_01_list_order_decides_a_point_that_two_servers_claim) {
  const std::string rule = "recipe: libmemcached-ketama-weighted";
  const Placement one = servers_under(rule, equal({"10.20.0.29:11212", "10.20.1.0:11212"}));
  const Placement two = servers_under(rule, equal({"10.20.1.0:11212", "10.20.0.29:11212"}));
  EXPECT_EQ(owner(one, "k660"), "10.20.0.29:11212");
  EXPECT_EQ(owner(two, "k660"), "10.20.1.0:11212");
  EXPECT_EQ(one.hash("k660").value, 481439831U);
  const Diff d = diff(one, two, 1);
  EXPECT_FALSE(d.sampled);
  EXPECT_NEAR(d.differs.value(), 0.00714, 0.000005);
  const std::vector<Cause> found = causes_of(one, two);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, CauseKind::order);
  EXPECT_EQ(found[0].before, "point 1da587e5 is 10.20.0.29:11212's");
  EXPECT_EQ(found[0].after, "point 1da587e5 is 10.20.1.0:11212's");
}

TEST(Cases, dup_02_a_thousand_servers_share_five_points_and_keep_each_others) {
  std::vector<std::string> names;
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 250; ++k)
      names.push_back("10.20." + std::to_string(i) + "." + std::to_string(k) + ":11212");
  const Placement placement = servers_under("recipe: uhashring-ketama", equal(names));
  ASSERT_EQ(placement.entry_count(), 160'000U);
  std::set<std::uint64_t> shared;
  for (std::size_t i = 1; i < placement.entry_count(); ++i)
    if (placement.entry(i).token == placement.entry(i - 1).token)
      shared.insert(static_cast<std::uint64_t>(placement.entry(i).token.value));
  EXPECT_EQ(shared, (std::set<std::uint64_t>{212685020, 497387493, 521373783, 3492159228, 3551081145}));
  // Without 10.20.0.29 its neighbour keeps the point that both had.
  names.erase(names.begin() + 29);
  const Placement without = servers_under("recipe: uhashring-ketama", equal(names));
  EXPECT_EQ(without.entry_count(), 159'840U);
  bool kept = false;
  for (std::size_t i = 0; i < without.entry_count(); ++i)
    kept |= without.entry(i).token.value == 497387493U &&
            without.map().nodes()[without.entry(i).node].name == "10.20.1.0:11212";
  EXPECT_TRUE(kept);
}

TEST(Cases, dup_07_the_owner_of_a_shared_position_does_not_depend_on_list_order) {
  const auto entries = [](const std::vector<std::string>& names) {
    const Placement placement = servers_under("recipe: ring, hash: crc16, tokens: 3000", equal(names));
    std::string out;
    for (std::size_t i = 0; i < placement.entry_count(); ++i)
      out += to_hex(placement.map().space(), placement.entry(i).token) + " " +
             placement.map().nodes()[placement.entry(i).node].name + "\n";
    return out;
  };
  EXPECT_EQ(entries({"a", "b"}), entries({"b", "a"}));
}

TEST(Cases, order_02_haproxy_renumbers_the_servers_behind_a_deleted_line) {
  const auto backend = [](const std::vector<std::pair<std::string, int>>& servers) {
    std::string text = "arcwise: 1\nplacement: {recipe: haproxy-consistent}\nnodes:\n";
    for (const auto& [name, id] : servers)
      text += "  - {name: " + name + (id ? ", bucket: " + std::to_string(id) : "") + "}\n";
    return compile(imported({{"map.yaml", text}}).map);
  };
  const std::vector<std::string> keys = sessions(1000);
  const auto of_survivors = [&](const Placement& before, const Placement& after) {
    std::size_t all = 0, move = 0;
    for (const std::string& key : keys) {
      if (owner(before, key) == "s1") continue;
      ++all;
      move += owner(before, key) != owner(after, key);
    }
    return static_cast<double>(move) / static_cast<double>(all);
  };
  const Placement unnumbered = backend({{"s1", 0}, {"s2", 0}, {"s3", 0}});
  EXPECT_NEAR(of_survivors(unnumbered, backend({{"s2", 0}, {"s3", 0}})), 0.60, 0.04);
  EXPECT_EQ(
      of_survivors(backend({{"s1", 101}, {"s2", 102}, {"s3", 103}}), backend({{"s2", 102}, {"s3", 103}})), 0);
  const Placement reordered = backend({{"s3", 0}, {"s1", 0}, {"s2", 0}});
  EXPECT_EQ(differing(unnumbered, reordered, keys), 1000U);
  const std::vector<Cause> found = causes_of(unnumbered, reordered);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].kind, CauseKind::identity);
  EXPECT_EQ(found[0].before, "its number 1");
  EXPECT_THAT(found[0].after, HasSubstr("its number 2"));
  EXPECT_THAT(found[0].advice, HasSubstr("number"));
}

TEST(Cases, order_04_places_in_a_list_are_no_identity) {
  const std::string rule = "recipe: mcrouter-ch3";
  const Placement before = servers_under(rule, equal({"127.0.0.1:8401", "127.0.0.1:8411", "127.0.0.1:8421"}));
  const Placement after = servers_under(rule, equal({"127.0.0.1:8400", "127.0.0.1:8401", "127.0.0.1:8421"}));
  std::size_t at_the_wrong_node = 0, of_first = 0;
  for (const std::string& key : sessions(3000)) {
    const std::string was = owner(before, key), is = owner(after, key);
    if (was == "127.0.0.1:8421") {
      EXPECT_EQ(is, was);
    }
    of_first += was == "127.0.0.1:8401";
    at_the_wrong_node += was == "127.0.0.1:8401" && is != was;
  }
  EXPECT_GT(of_first, 900U);
  EXPECT_EQ(at_the_wrong_node, of_first);
  // By name, as in Arcwise's own ring, a new address moves nothing; see Replace.
}

TEST(Cases, cfg_06_a_reader_that_lacks_a_server_looks_at_the_wrong_place_for_its_keys) {
  const Placement writer = servers_under("recipe: ring", equal({"a:2003", "b:2003"}));
  const Placement reader = servers_under("recipe: ring", equal({"a:2003"}));
  const Diff d = diff(writer, reader, 1);
  EXPECT_NE(d.before, d.after);
  EXPECT_FALSE(d.sampled);
  const auto b =
      std::find_if(d.nodes.begin(), d.nodes.end(), [](const auto& n) { return n.name == "b:2003"; });
  EXPECT_EQ(d.differs, b->before);
  const std::vector<Cause> found = causes_of(writer, reader);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].kind, CauseKind::members);
  EXPECT_THAT(found[0].before, HasSubstr("b:2003"));
}

}  // namespace
}  // namespace arcwise
