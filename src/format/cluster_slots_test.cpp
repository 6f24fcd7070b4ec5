#include "format/cluster_slots.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arcwise/check.hpp"
#include "format/import_testing.hpp"

namespace arcwise {
namespace {

using namespace arcwise::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string first_master = "31ac5e08fe82aa1717ba7968ab8fdd63e715365e",
                  first_replica = "871dcd30a1ce0f05eb3c4be0da4f37bf3bac9557";

TEST(cluster_slots, every_printed_form_gives_the_map_of_cluster_nodes) {
  const Cluster nodes = imported({sample("redis/cluster-nodes.txt")});
  for (const char* form : {"-raw.txt", "-tty.txt", ".json"}) {
    const Source source = sample("redis/cluster-slots" + std::string(form));
    EXPECT_EQ(recognise(source.bytes), "cluster-slots") << form;
    const Cluster cluster = imported({source});
    EXPECT_EQ(fingerprints(compile(cluster.map)).fingerprint, fingerprints(compile(nodes.map)).fingerprint);
    EXPECT_EQ(fingerprints(compile(cluster.map)).membership, fingerprints(compile(nodes.map)).membership);
    EXPECT_THAT(cluster.observed.findings, IsEmpty()) << form;
  }
}

TEST(cluster_slots, a_master_of_several_ranges_is_one_node) {
  const Cluster cluster = imported({sample("redis/cluster-slots-master-failed-raw.txt")});
  EXPECT_EQ(cluster.map.nodes().size(), 7U);
  const Placement placement = compile(cluster.map);
  for (const std::uint32_t slot : {0U, 5461U, 12287U})
    EXPECT_EQ(owners_at(placement, {slot}).front(), "9288d8b9e879126c960b48b0964b68039adaf911") << slot;
}

TEST(cluster_slots, what_the_command_leaves_out_is_no_difference_between_views) {
  const Source shards = sample("redis/cluster-shards-master-failed.json"),
               slots = sample("redis/cluster-slots-master-failed-raw.txt");
  const Cluster a = imported({slots, shards}), b = imported({shards, slots});
  EXPECT_THAT(findings(a, "views-differ"), IsEmpty());
  EXPECT_EQ(a.map.nodes().size(), 8U);  // the failed replica too
  EXPECT_EQ(fingerprints(compile(a.map)).fingerprint, fingerprints(compile(b.map)).fingerprint);
  EXPECT_FALSE(findings(imported({slots, sample("redis/cluster-nodes.txt")}), "views-differ").empty());
}

TEST(cluster_slots, host_names_and_missing_addresses_are_read_in_every_age_of_the_answer) {
  const std::string tail = "7001\n" + first_master + "\n";
  for (const std::string& text :
       {"0\n16383\nhost-1\n" + tail + "ip\n192.0.2.1\n", "0\n16383\n192.0.2.1\n" + tail + "\n",
        "0\n16383\n192.0.2.1\n" + tail + "hostname\nhost-1\n192.0.2.2\n7002\n" + first_replica + "\n\n",
        "0\n16383\n192.0.2.1\n" + tail, "0\n100\n192.0.2.1\n" + tail + "101\n16383\n192.0.2.1\n" + tail}) {
    const Cluster cluster = imported({{"slots.txt", text}}, from("cluster-slots"));
    EXPECT_EQ(node(cluster, first_master).address, "192.0.2.1:7001") << text;
    EXPECT_EQ(owners_at(compile(cluster.map), {16383}).front(), first_master) << text;
  }
  const Cluster unknown = imported({{"slots.txt", "0\n16383\n\n" + tail + "\n"}}, from("cluster-slots"));
  EXPECT_EQ(unknown.map.nodes().at(0).address, "");
}

TEST(cluster_slots, a_node_that_is_master_here_and_replica_there_is_refused) {
  const std::string text = R"([[0,100,["192.0.2.1",7001,")" + first_master +
                           R"("]],[101,16383,["192.0.2.2",7002,")" + first_replica +
                           R"("],["192.0.2.1",7001,")" + first_master + R"("]]])";
  const Error error = refused({{"slots.json", text}});
  EXPECT_EQ(error.what, first_master);
  EXPECT_THAT(error.why, HasSubstr("a master of some slots and a replica for others"));
}

}  // namespace
}  // namespace arcwise
