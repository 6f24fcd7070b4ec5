#include "format/cluster_shards.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arcwise/check.hpp"
#include "format/import_testing.hpp"
#include "format/redis_reply.hpp"

namespace arcwise {
namespace {

using namespace arcwise::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string first_master = "31ac5e08fe82aa1717ba7968ab8fdd63e715365e",
                  third_master = "63ccbbc8ed6d0bacd298c232cc450c101fff9001",
                  third_replica = "e0a22080deed4ac3168d8162c61e996187e0cb19";

Fingerprints prints(const Cluster& cluster) {
  return fingerprints(compile(cluster.map));
}

TEST(cluster_shards, every_printed_form_gives_the_map_of_cluster_nodes) {
  const Cluster nodes = imported({sample("redis/cluster-nodes.txt")});
  for (const char* form : {"-raw.txt", "-tty.txt", "-resp3-tty.txt", ".json"}) {
    const Source source = sample("redis/cluster-shards" + std::string(form));
    EXPECT_EQ(recognise(source.bytes), "cluster-shards") << form;
    const Cluster cluster = imported({source});
    EXPECT_EQ(prints(cluster).fingerprint, prints(nodes).fingerprint) << form;
    EXPECT_EQ(prints(cluster).membership, prints(nodes).membership) << form;
    EXPECT_THAT(cluster.observed.findings, IsEmpty()) << form;
    EXPECT_EQ(cluster.observed.format, "cluster-shards");
  }
}

TEST(cluster_shards, the_lists_of_the_older_protocol_read_as_maps_do) {
  const std::string shard =
      R"([["slots", [0, 16383], "nodes", [["id", ")" + first_master +
      R"(", "tls-port", 7001, "ip", "192.0.2.1", "endpoint", "192.0.2.1", "role", "master", "health", "online"]]]])";
  const Cluster cluster = imported({{"shards.json", shard}});
  EXPECT_EQ(cluster.map.nodes().at(0).address, "192.0.2.1:7001");
  EXPECT_THAT(owners_at(compile(cluster.map), {16383}), ElementsAre(first_master));
}

TEST(cluster_shards, a_shard_of_scattered_ranges_owns_each_of_them) {
  const Cluster cluster = imported({sample("redis/cluster-shards-4-masters-raw.txt")});
  const Placement placement = compile(cluster.map);
  for (const std::uint32_t slot : {1365U, 1368U, 6827U, 6829U, 12288U, 16383U})
    EXPECT_THAT(owners_at(placement, {slot}), ElementsAre(third_master, third_replica)) << slot;
  EXPECT_NE(owners_at(placement, {1369}).front(), third_master);
}

TEST(cluster_shards, failed_and_loading_nodes_are_down) {
  const Cluster failed = imported({sample("redis/cluster-shards-master-failed.json")});
  EXPECT_TRUE(is_down(failed, third_master));
  EXPECT_TRUE(is_down(failed, third_replica));
  EXPECT_FALSE(is_down(failed, first_master));
  Source loading = sample("redis/cluster-shards.json");
  loading.bytes.replace(loading.bytes.find("online"), 6, "loading");
  const Cluster cluster = imported({loading});
  EXPECT_FALSE(cluster.observed.down.empty());
  EXPECT_EQ(findings(cluster, "node-loading").size(), 1U);
}

TEST(cluster_shards, a_promoted_replica_has_the_slots_and_the_failed_master_none) {
  Source text = sample("redis/cluster-shards.json");
  const auto swap = [&](const std::string& id, const std::string& from, const std::string& to) {
    const std::size_t at = text.bytes.find(from, text.bytes.find(id));
    text.bytes.replace(at, from.size(), to);
  };
  swap(third_master, "online", "fail");
  swap(third_replica, "replica", "master");
  const Cluster cluster = imported({text});
  EXPECT_THAT(owners_at(compile(cluster.map), {16383}), ElementsAre(third_replica));
  swap(third_master, "fail", "online");
  const Error error = refused({text});
  EXPECT_EQ(error.what, third_replica);
  EXPECT_THAT(error.why, HasSubstr("second master"));
}

TEST(cluster_shards, views_by_different_commands_are_compared) {
  const Source nodes = sample("redis/cluster-nodes.txt"), shards = sample("redis/cluster-shards-tty.txt"),
               other = sample("redis/cluster-shards-4-masters.json");
  EXPECT_THAT(findings(imported({nodes, shards}), "views-differ"), IsEmpty());
  EXPECT_THAT(findings(imported({shards, nodes}), "views-differ"), IsEmpty());
  const auto differ = findings(imported({nodes, other}), "views-differ");
  ASSERT_FALSE(differ.empty());
  EXPECT_THAT(differ.front().message, HasSubstr("cluster-shards-4-masters.json lists the node"));
}

TEST(cluster_shards, cutting_an_answer_anywhere_never_crashes_and_blames_the_end) {
  for (const char* form : {"shards-raw.txt", "shards-tty.txt", "shards-resp3-tty.txt", "shards.json",
                           "slots-raw.txt", "slots-tty.txt", "slots.json"}) {
    const Source whole = sample("redis/cluster-" + std::string(form));
    const std::string format = std::string(recognise(whole.bytes));
    for (std::size_t length = 1; length < whole.bytes.size(); length += 7) {
      const Source part{form, whole.bytes.substr(0, length)};
      const auto cluster = parse(std::vector{part}, from(format));
      const auto lines =
          static_cast<std::uint32_t>(1 + std::count(part.bytes.begin(), part.bytes.end(), '\n'));
      if (!cluster) {
        EXPECT_LE(cluster.error().where.line, lines) << form << " " << length;
      }
    }
  }
}

TEST(redis_reply, escapes_and_empty_values_are_what_redis_meant) {
  const auto reply =
      read_redis_reply({"x", "1) \"a\\\"b\\\\\\x41\\n\"\n2) (nil)\n3) (empty array)\n4) (integer) -1\n"});
  ASSERT_TRUE(reply) << to_string(reply.error());
  ASSERT_EQ(reply->root.items.size(), 4U);
  EXPECT_EQ(reply->root.items[0].text, "a\"b\\A\n");
  EXPECT_TRUE(reply->root.items[1].is(YamlNode::Kind::null));
  EXPECT_TRUE(reply->root.items[2].is(YamlNode::Kind::sequence));
  EXPECT_EQ(reply->root.items[3].text, "-1");
}

TEST(redis_reply, numbers_of_two_digits_line_up_with_those_of_one) {
  std::string text;
  for (int i = 1; i <= 12; ++i)
    text += std::string(i < 10 ? " " : "") + std::to_string(i) + ") 1) (integer) 1\n    2) (integer) 2\n";
  const auto reply = read_redis_reply({"x", text});
  ASSERT_TRUE(reply) << to_string(reply.error());
  EXPECT_EQ(reply->root.items.size(), 12U);
  EXPECT_EQ(reply->root.items[11].items.size(), 2U);
}

}  // namespace
}  // namespace arcwise
