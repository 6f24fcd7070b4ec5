#include "place/crush.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "place/testing.hpp"

namespace arcwise {
namespace {

using namespace testing;

ClusterMap::Parts pool(std::size_t hosts, std::size_t per_host, std::uint32_t copies,
                       Across across = Across::host, std::uint64_t groups = 512) {
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < hosts * per_host; ++i)
    nodes.push_back(node("osd." + std::to_string(i), 1, "", "", "h" + std::to_string(i / per_host)));
  auto p = parts("ceph", nodes, copies, across);
  p.placement.slots = groups;
  return p;
}

std::string refused(ClusterMap::Parts p) {
  const auto built = ClusterMap::build(std::move(p));
  return built ? "" : built.error().why;
}

RC_GTEST_PROP(ceph, doubling_the_groups_splits_each_in_two, (std::uint32_t hash)) {
  const auto count = std::uint32_t{1} << *rc::gen::inRange(0, 16);
  RC_ASSERT(ceph_stable_mod(hash, 2 * count) % count == ceph_stable_mod(hash, count));
}

RC_GTEST_PROP(ceph, adding_a_group_takes_only_from_one, (std::uint32_t hash)) {
  const auto count = *rc::gen::inRange(1u, 5000u);
  const std::uint32_t before = ceph_stable_mod(hash, count), after = ceph_stable_mod(hash, count + 1);
  RC_ASSERT(before < count);
  RC_ASSERT(after == before || after == count);
}

TEST(ceph, copies_are_on_distinct_hosts) {
  const Placement p = compile(map_of(pool(5, 4, 3)));
  for (std::uint64_t g = 0; g < 512; ++g) {
    std::vector<std::string> hosts;
    for (const std::string& name : owner_names(p, {g}))
      hosts.push_back(p.map().nodes()[*p.map().find(name)].host);
    std::sort(hosts.begin(), hosts.end());
    EXPECT_EQ(std::unique(hosts.begin(), hosts.end()), hosts.end());
    EXPECT_EQ(hosts.size(), 3u);
  }
}

TEST(ceph, a_masked_osd_leaves_the_other_copies_where_they_are) {
  const Placement p = compile(map_of(pool(6, 2, 3)));
  NodeSet down(12);
  down.insert(4);
  for (std::uint64_t g = 0; g < 512; ++g) {
    const auto before = owner_names(p, {g}), after = owner_names(p, {g}, NodeMask(down));
    ASSERT_EQ(after.size(), 3u);
    for (const std::string& name : before)
      if (name != "osd.4") {
        EXPECT_TRUE(std::count(after.begin(), after.end(), name));
      }
  }
}

TEST(ceph, an_osd_reweighted_to_nothing_gets_no_group) {
  auto p = pool(4, 3, 2);
  p.placement.settings["reweight"] = "osd.7=0";
  const Placement placement = compile(map_of(p));
  for (std::uint64_t g = 0; g < 512; ++g) {
    const auto names = owner_names(placement, {g});
    EXPECT_FALSE(std::count(names.begin(), names.end(), "osd.7"));
  }
}

TEST(ceph, osds_are_known_by_their_numbers) {
  auto named = pool(3, 2, 2), numbered = pool(3, 2, 2);
  for (std::size_t i = 0; i < 6; ++i) {
    numbered.nodes[i].name = "disk" + std::to_string(i);
    numbered.nodes[i].bucket = i;
  }
  const Placement a = compile(map_of(named)), b = compile(map_of(numbered));
  for (std::uint64_t g = 0; g < 512; ++g) {
    std::vector<NodeIndex> x(2), y(2);
    ASSERT_EQ(a.owners({{}, {g}, {}}, x), b.owners({{}, {g}, {}}, y));
    EXPECT_EQ(x, y);
  }
}

TEST(ceph, buckets_without_an_id_get_the_ones_that_are_free) {
  auto p = pool(4, 1, 1);
  p.placement.settings["bucket_ids"] = "h1=-3 h3=-9";
  const CrushTree tree = crush_tree(map_of(p));
  std::vector<std::int32_t> ids;
  for (const CrushItem& item : tree.buckets[0].items) ids.push_back(item.id);
  EXPECT_EQ(ids, (std::vector<std::int32_t>{-2, -3, -4, -9}));
}

TEST(ceph, weights_are_cut_off_at_sixteen_bits_and_summed_upwards) {
  auto p = pool(1, 2, 1);
  p.nodes[0].weight = 0.3;
  p.nodes[1].weight = 1.5;
  const CrushTree tree = crush_tree(map_of(p));
  EXPECT_EQ(tree.buckets[1].items[0].weight, 19660u);
  EXPECT_EQ(tree.buckets[0].items[0].weight, 19660u + 98304u);
}

TEST(ceph, what_crush_cannot_take_is_refused) {
  EXPECT_EQ(refused(pool(3, 1, 3)), "");
  auto p = pool(3, 1, 3);
  p.replicas.when_short = WhenShort::repeat;
  EXPECT_NE(refused(p).find("never chooses"), std::string::npos);
  p = pool(3, 1, 3);
  p.nodes[0].bucket = 2;
  EXPECT_NE(refused(p).find("same OSD number"), std::string::npos);
  p = pool(3, 1, 3);
  p.nodes[1].weight = 101;
  EXPECT_NE(refused(p).find("up to 100"), std::string::npos);
  for (const char* ids : {"h0", "h0=1", "h0=-2 h1=-2", "h0=-2 h0=-3", "h0=x"}) {
    p = pool(3, 1, 3);
    p.placement.settings["bucket_ids"] = ids;
    EXPECT_NE(refused(p), "") << ids;
  }
  for (const char* weights : {"osd.0", "osd.9=0.5", "osd.0=1.5", "osd.0=", "osd.0=nan"}) {
    p = pool(3, 1, 3);
    p.placement.settings["reweight"] = weights;
    EXPECT_NE(refused(p), "") << weights;
  }
}

TEST(stores, the_number_of_partitions_must_be_one_that_the_system_can_have) {
  const auto table = [](std::string_view recipe, std::uint64_t slots) {
    auto p = parts(recipe, {node("n")});
    p.placement.slots = slots;
    p.placement.table = {{{slots ? slots - 1 : 0}, {0}}};
    return p;
  };
  for (const char* recipe : {"riak", "swift"}) {
    EXPECT_EQ(refused(table(recipe, 64)), "");
    EXPECT_NE(refused(table(recipe, 48)).find("power of two"), std::string::npos);
  }
  EXPECT_NE(refused(table("kafka", 0)).find("how many"), std::string::npos);
  EXPECT_EQ(refused(table("kafka", 48)), "");
  EXPECT_EQ(map_of(table("couchbase", 1024)).space().last, 1023u);
  auto p = table("elasticsearch", 8);
  p.placement.settings["routing_num_shards"] = "24";
  EXPECT_EQ(refused(p), "");
  p.placement.settings["routing_num_shards"] = "20";
  EXPECT_NE(refused(p).find("multiple"), std::string::npos);
  auto keys = parts("cassandra-murmur3", {node_at("n", {1})});
  keys.placement.settings["key_format"] = "int,text";
  EXPECT_EQ(refused(keys), "");
  keys.placement.settings["key_format"] = "int,string";
  EXPECT_NE(refused(keys), "");
}

}  // namespace
}  // namespace arcwise
