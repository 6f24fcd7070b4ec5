// mcrouter and pymemcache.
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <array>

#include "place/key_position.hpp"
#include "place/mcrouter.hpp"
#include "place/testing.hpp"

namespace arcwise {
namespace {

using testing::map_of;
using testing::node;
using testing::owners_of_key;
using testing::parts;

Placement placed(std::string_view recipe, const std::vector<Node>& nodes, const std::string& setting = "",
                 const std::string& value = "") {
  auto p = parts(recipe, nodes);
  if (!setting.empty()) p.placement.settings[setting] = value;
  return compile(map_of(p));
}

std::string owner(const Placement& p, const std::string& key) {
  return owners_of_key(p, key).at(0);
}

TEST(mcrouter, furc_gives_the_values_of_its_own_tests) {
  EXPECT_EQ(furc("sample", 100), 97u);
  EXPECT_EQ(furc("sample", furc_most_nodes), 5167780u);
  EXPECT_EQ(furc("", 100), 72u);
  EXPECT_EQ(furc("anything", 1), 0u);
  EXPECT_EQ(furc("anything", 0), 0u);
}

RC_GTEST_PROP(mcrouter, a_server_more_takes_keys_and_no_key_moves_between_the_others,
              (const std::string& key)) {
  std::uint32_t before = 0;
  for (std::uint32_t n = 2; n < 70; ++n) {
    const std::uint32_t now = furc(key, n);
    RC_ASSERT((now == before || now == n - 1));
    before = now;
  }
}

RC_GTEST_PROP(mcrouter, with_full_weights_the_weighted_furc_is_furc, (const std::string& key)) {
  const std::vector<double> ones(*rc::gen::inRange<std::size_t>(1, 100), 1.0);
  RC_ASSERT(weighted_furc(key, ones) == furc(key, static_cast<std::uint32_t>(ones.size())));
}

TEST(mcrouter, weighted_ch3_spreads_a_thousand_keys_as_in_its_own_test) {
  const std::array<double, 3> weights{1, 1, 0.7};
  std::array<int, 3> keys{};
  for (int k = 0; k < 1000; ++k) ++keys[weighted_ch3(std::to_string(k), weights)];
  EXPECT_EQ(keys, (std::array<int, 3>{341, 371, 288}));
}

TEST(mcrouter, servers_without_weight_still_give_an_owner) {
  auto nodes = std::vector<Node>{node("a:1", 0), node("b:1", 0)};
  for (const char* recipe :
       {"mcrouter-weighted-ch3", "mcrouter-weighted-ch4", "mcrouter-weighted-rendezvous"})
    EXPECT_FALSE(owner(placed(recipe, nodes), "k").empty());
  nodes[0].weight = 1.5;
  EXPECT_FALSE(ClusterMap::build(parts("mcrouter-weighted-ch3", nodes)));
  EXPECT_TRUE(ClusterMap::build(parts("mcrouter-weighted-rendezvous", nodes)));
}

TEST(mcrouter, a_routing_prefix_and_what_follows_the_hash_stop_are_not_hashed) {
  const std::vector<std::pair<std::string_view, std::string_view>> cases{
      {"user:1", "user:1"},
      {"/region/cluster/user:1", "user:1"},
      {"/region/cluster/user:1|#|tail", "user:1"},
      {"user:1|#|a|#|b", "user:1"},
      {"|#|all", ""},
      {"/images/0.png", "/images/0.png"},
      {"/a/b/c", "c"},
      {"//b", "//b"},
      {"///b", "b"},
      {"/", "/"},
      {"", ""},
      {"user|#/1", "user|#/1"},
      {"/a|#|/b/c", "c"}};
  for (const auto& [key, part] : cases) EXPECT_EQ(mcrouter_routing_key(key), part) << key;
}

const std::vector<Node> ten{node("0"), node("1"), node("2"), node("3"), node("4"),
                            node("5"), node("6"), node("7"), node("8"), node("9")};

TEST(mcrouter, a_salt_is_hashed_behind_the_key) {
  for (const char* recipe : {"mcrouter-ch3", "mcrouter-weighted-ch3", "mcrouter-weighted-ch4",
                             "mcrouter-crc32", "mcrouter-rendezvous", "mcrouter-weighted-rendezvous"}) {
    const Placement salted = placed(recipe, ten, "salt", "pepper");
    const Placement plain = placed(recipe, ten);
    int moved = 0;
    for (int k = 0; k < 200; ++k) {
      const std::string key = "key:" + std::to_string(k);
      EXPECT_EQ(owner(salted, "/r/c/" + key + "|#|x"), owner(plain, key + "pepper")) << recipe;
      moved += owner(salted, key) != owner(plain, key);
    }
    EXPECT_GT(moved, 100) << recipe;
  }
}

TEST(mcrouter, a_key_longer_than_any_that_mcrouter_takes_has_an_owner_too) {
  const std::string key(100'000, 'k');
  for (const char* recipe : {"mcrouter-ch3", "mcrouter-weighted-ch3", "mcrouter-rendezvous"})
    EXPECT_FALSE(owner(placed(recipe, ten, "salt", std::string(2000, 's')), key).empty());
}

// Computed by a separate program from the definition: weight / -ln(score).
TEST(mcrouter, weighted_rendezvous_orders_servers_by_weighted_score) {
  const std::vector<Node> nodes{node("a:1", 0.5), node("b:1", 1), node("c:1", 2.5)};
  const auto first_letters = [](const Placement& p) {
    std::string out;
    for (int k = 0; k < 60; ++k) out += owner(p, "key:" + std::to_string(k))[0];
    return out;
  };
  EXPECT_EQ(first_letters(placed("mcrouter-weighted-rendezvous", nodes)),
            "ccccccccacbcccaccccaccbaccbacacccacccccacacccccccbccccccccac");
  EXPECT_EQ(first_letters(placed("mcrouter-weighted-rendezvous", nodes, "salt", "salt")),
            "cbbcbacacbcccacccbccccaccbacbbcbcccccccbccbbcaacbccbccacbcca");
}

TEST(mcrouter, after_the_owner_the_list_goes_on) {
  auto p = parts("mcrouter-ch3", ten, 10);
  const Placement placement = compile(map_of(p));
  const auto names = owners_of_key(placement, "k");
  for (std::size_t i = 1; i < names.size(); ++i)
    EXPECT_EQ(std::stoi(names[i]), (std::stoi(names[i - 1]) + 1) % 10);
}

TEST(pymemcache, keys_of_bytes_are_hashed_as_python_prints_them) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"user:1", "b'user:1'"},
      {"it's", "b\"it's\""},
      {"\"quoted\"", "b'\"quoted\"'"},
      {"it's \"both\"", "b'it\\'s \"both\"'"},
      {"back\\slash", "b'back\\\\slash'"},
      {"\t\n\r", "b'\\t\\n\\r'"},
      {std::string("\0\x1f\x7f", 3), "b'\\x00\\x1f\\x7f'"},
      {"\xc3\xa9", "b'\\xc3\\xa9'"},
      {"", "b''"}};
  auto as_bytes = parts("pymemcache-rendezvous", ten, 10), as_text = as_bytes;
  as_bytes.placement.settings["key_type"] = "bytes";
  const Placement bytes = compile(map_of(as_bytes)), text = compile(map_of(as_text));
  for (const auto& [key, printed] : cases)
    EXPECT_EQ(owners_of_key(bytes, key), owners_of_key(text, printed)) << printed;
}

TEST(pymemcache, a_node_is_its_host_and_port_without_brackets_or_a_path) {
  const auto label = [](const char* name) {
    return map_of(parts("pymemcache-rendezvous", {node(name)})).nodes()[0].label;
  };
  EXPECT_EQ(label("10.0.0.1"), "10.0.0.1:11211");
  EXPECT_EQ(label("10.0.0.1:11212"), "10.0.0.1:11212");
  EXPECT_EQ(label("[::1]:11212"), "::1:11212");
  EXPECT_EQ(label("[::1]"), "::1:11211");
  EXPECT_EQ(label("unix:/tmp/a.sock"), "/tmp/a.sock");
  EXPECT_EQ(label("/tmp/a.sock"), "/tmp/a.sock");
}

}  // namespace
}  // namespace arcwise
