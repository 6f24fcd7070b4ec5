#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/import_testing.hpp"

namespace arcwise {
namespace {

using namespace arcwise::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Token token(std::string_view text) {
  return *from_text(TokenSpace::signed_64(), text);
}

Source vnodes() {
  return sample("cassandra/nodetool-ring-vnodes.txt");
}

TEST(nodetool_ring, reads_every_node_with_place_state_load_and_tokens) {
  const Cluster cluster = imported({vnodes()});
  EXPECT_EQ(cluster.observed.format, "nodetool-ring");
  EXPECT_EQ(cluster.map.placement().recipe->name, "cassandra-murmur3");
  EXPECT_EQ(cluster.map.nodes().size(), 6U);
  const Node& first = node(cluster, "192.0.2.11");
  EXPECT_EQ(first.zone, "dc1");
  EXPECT_EQ(first.rack, "rack1");
  EXPECT_EQ(first.host, "192.0.2.11");
  EXPECT_THAT(first.tokens, ElementsAre(token("-8472904455104925488"), token("-4125612271507531626"),
                                        token("-1234567890123456789"), token("5163489659362726693")));
  EXPECT_EQ(node(cluster, "192.0.2.15").state, NodeState::leaving);
  EXPECT_EQ(node(cluster, "192.0.2.16").state, NodeState::joining);
  EXPECT_TRUE(is_down(cluster, "192.0.2.14"));
  EXPECT_FALSE(is_down(cluster, "192.0.2.11"));
  EXPECT_DOUBLE_EQ(*cluster.observed.load_bytes[0], 104.37 * 1024);
  EXPECT_EQ(cluster.observed.load_bytes[5], std::nullopt);
  EXPECT_DOUBLE_EQ(*cluster.observed.printed_share[0], 0.5556);
}

TEST(nodetool_ring, the_replica_count_is_the_sum_of_printed_ownership) {
  const Cluster cluster = imported({vnodes()});
  EXPECT_EQ(cluster.map.replicas().count, 3U);
  EXPECT_EQ(cluster.map.replicas().across, Across::rack);
  EXPECT_EQ(cluster.map.replicas().when_short, WhenShort::repeat);
  ASSERT_EQ(findings(cluster, "replicas-derived").size(), 1U);
  EXPECT_THAT(findings(cluster, "replicas-derived")[0].message, HasSubstr("300.0%"));
}

TEST(nodetool_ring, a_given_replica_count_wins) {
  EXPECT_EQ(imported({vnodes()}, replicas(2)).map.replicas().count, 2U);
  EXPECT_EQ(imported({vnodes()}, across(Across::host)).map.replicas().across, Across::host);
}

}  // namespace
}  // namespace arcwise
