#include "format/cluster_nodes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arcwise/check.hpp"
#include "format/import_testing.hpp"

namespace arcwise {
namespace {

using namespace arcwise::testing;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string id(char digit) {
  return std::string(40, digit);
}

// A line for a master with these slots.
std::string master(char digit, const std::string& slots, const std::string& flags = "master") {
  return id(digit) + " 192.0.2.1:7000@17000 " + flags + " - 0 1700000000000 3 connected" +
         (slots.empty() ? "" : " ") + slots + "\n";
}
std::string replica(char digit, char of, const std::string& flags = "slave") {
  return id(digit) + " 192.0.2.1:7001@17001 " + flags + " " + id(of) + " 0 1700000000000 3 connected\n";
}
Source text(const std::string& lines, const std::string& name = "nodes.txt") {
  return {name, lines};
}

std::vector<std::string> owners_of_slot(const Cluster& cluster, std::uint32_t slot) {
  return owners_at(compile(cluster.map), {slot});
}

TEST(cluster_nodes, slots_belong_to_their_master_and_then_its_replicas) {
  const Cluster cluster = imported({sample("redis/cluster-nodes.txt")});
  EXPECT_EQ(cluster.map.placement().recipe->name, "redis-cluster");
  EXPECT_EQ(cluster.map.nodes().size(), 6U);
  EXPECT_EQ(cluster.map.replicas().count, 2U);
  EXPECT_THAT(owners_of_slot(cluster, 0), ElementsAre("31ac5e08fe82aa1717ba7968ab8fdd63e715365e",
                                                      "871dcd30a1ce0f05eb3c4be0da4f37bf3bac9557"));
  EXPECT_THAT(owners_of_slot(cluster, 16383), ElementsAre("63ccbbc8ed6d0bacd298c232cc450c101fff9001",
                                                          "e0a22080deed4ac3168d8162c61e996187e0cb19"));
  const Node& first = node(cluster, "31ac5e08fe82aa1717ba7968ab8fdd63e715365e");
  EXPECT_EQ(first.address, "127.0.0.1:17001");
  EXPECT_EQ(first.host, "127.0.0.1");
  EXPECT_THAT(cluster.observed.findings, IsEmpty());
}

TEST(cluster_nodes, the_view_of_another_node_gives_the_same_map) {
  const Cluster a = imported({sample("redis/cluster-nodes.txt")}),
                b = imported({sample("redis/cluster-nodes-from-replica.txt")});
  EXPECT_EQ(fingerprints(compile(a.map)).fingerprint, fingerprints(compile(b.map)).fingerprint);
  EXPECT_EQ(fingerprints(compile(a.map)).membership, fingerprints(compile(b.map)).membership);
}

TEST(cluster_nodes, masters_only_when_one_replica_is_asked_for) {
  const Cluster cluster = imported({sample("redis/cluster-nodes.txt")}, replicas(1));
  EXPECT_EQ(owners_of_slot(cluster, 0).size(), 1U);
}

TEST(cluster_nodes, every_sample_is_read) {
  for (const char* name :
       {"after-double-failure", "after-rebalance", "after-reshard", "before-rebalance", "importing-dst",
        "master-fail-no-replica", "migrating-src", "replica-fail", "replica-pfail"}) {
    const auto cluster = parse(std::vector{sample("redis/cluster-nodes-" + std::string(name) + ".txt")}, {});
    EXPECT_TRUE(cluster) << name << ": " << to_string(cluster.error());
  }
}

TEST(cluster_nodes, failed_and_suspected_nodes_are_down) {
  const Cluster cluster = imported({sample("redis/cluster-nodes-after-double-failure.txt")});
  EXPECT_TRUE(is_down(cluster, "63ccbbc8ed6d0bacd298c232cc450c101fff9001"));  // fail
  EXPECT_TRUE(is_down(cluster, "00e39e56a864ce09d8d946bae8261c64d6736bd7"));  // fail?
  EXPECT_FALSE(is_down(cluster, "31ac5e08fe82aa1717ba7968ab8fdd63e715365e"));
  ASSERT_EQ(findings(cluster, "node-suspected").size(), 1U);
  const CheckReport report = check(compile(cluster.map), cluster.observed, {});
  EXPECT_FALSE(report.ok);  // slots of the failed master and its failed replica have no live owner
}

TEST(cluster_nodes, slots_of_nobody_have_no_owner) {
  const Cluster cluster = imported({text(master('a', "0-5460 5462") + master('b', "5463-16383"))});
  EXPECT_THAT(owners_of_slot(cluster, 5461), IsEmpty());
  EXPECT_THAT(owners_of_slot(cluster, 5462), ElementsAre(id('a')));
  EXPECT_FALSE(check(compile(cluster.map), cluster.observed, {}).ok);
}

// NODES-01
TEST(cluster_nodes, bracket_fields_are_open_slots_on_masters_and_replicas) {
  const std::string open = " [5461->-" + id('b') + "] [93-<-" + id('c') + "]";
  const auto nodes = read_cluster_nodes(text(master('a', "0-5460 5462" + open, "myself,master")));
  ASSERT_TRUE(nodes) << to_string(nodes.error());
  ASSERT_EQ(nodes->front().open.size(), 2U);
  EXPECT_EQ(nodes->front().open[0].slot, 5461U);
  EXPECT_TRUE(nodes->front().open[0].away);
  EXPECT_EQ(nodes->front().open[0].other, id('b'));
  EXPECT_EQ(nodes->front().open[1].slot, 93U);
  EXPECT_FALSE(nodes->front().open[1].away);

  std::string on_replica = replica('d', 'a', "myself,slave");
  on_replica.insert(on_replica.size() - 1, open);
  const Cluster cluster = imported({text(master('a', "0-5460 5462") + on_replica)});
  EXPECT_EQ(findings(cluster, "open-slot").size(), 2U);
  EXPECT_THAT(owners_of_slot(cluster, 5461), IsEmpty());
}

// NODES-02
TEST(cluster_nodes, the_port_follows_the_last_colon_before_the_at_sign) {
  const auto nodes = read_cluster_nodes(text(
      id('a') + " 2001:db8:0:1::10:1:6379@16379,cache-1.example.test master - 0 0 1 connected 0-16383\n"));
  ASSERT_TRUE(nodes) << to_string(nodes.error());
  const RedisNode& node = nodes->front();
  EXPECT_EQ(node.ip, "2001:db8:0:1::10:1");
  EXPECT_EQ(node.port, 6379);
  EXPECT_EQ(node.bus_port, 16379);
  EXPECT_EQ(node.hostname, "cache-1.example.test");
}

TEST(cluster_nodes, auxiliary_fields_and_the_vars_line_of_nodes_conf_are_read) {
  const Cluster cluster = imported({text(
      id('a') + " 192.0.2.1:7000@17000,,tls-port=0,shard-id=69bc myself,master - 0 0 1 connected 0-16383\n" +
      id('b') + " 192.0.2.2:7000@17000,,shard-id=69bd slave,nofailover " + id('a') + " 0 0 1 connected\n" +
      "vars currentEpoch 9 lastVoteEpoch 0\n")});
  EXPECT_EQ(node(cluster, id('a')).host, "192.0.2.1");
  EXPECT_THAT(owners_of_slot(cluster, 1), ElementsAre(id('a'), id('b')));
}

TEST(cluster_nodes, an_unknown_address_and_a_handshake_are_findings) {
  const Cluster cluster = imported(
      {text(master('a', "0-16383") + id('b') + " :0@0 slave,fail,noaddr " + id('a') +
            " 0 0 1 disconnected\n" + id('c') + " 192.0.2.3:7000@17000 handshake - 0 0 0 connected\n")});
  EXPECT_TRUE(is_down(cluster, id('b')));
  EXPECT_EQ(node(cluster, id('b')).address, "");
  EXPECT_EQ(node(cluster, id('c')).state, NodeState::joining);
  EXPECT_EQ(findings(cluster, "no-address").size(), 1U);
  EXPECT_EQ(findings(cluster, "handshake").size(), 1U);
}

TEST(cluster_nodes, a_replica_without_a_listed_master_holds_nothing) {
  const Cluster cluster = imported({text(master('a', "0-16383") + replica('b', 'f') + replica('c', 'b'))});
  EXPECT_THAT(owners_of_slot(cluster, 1), ElementsAre(id('a')));
  EXPECT_EQ(findings(cluster, "unknown-master").size(), 1U);
  EXPECT_EQ(findings(cluster, "replica-of-replica").size(), 1U);
}

TEST(cluster_nodes, a_slot_of_two_masters_is_an_error) {
  const Error error = refused({text(master('a', "0-100") + master('b', "90-200"))});
  EXPECT_EQ(error.where.line, 2U);
  EXPECT_EQ(error.where.column, master('b', "").size() + 1);
  EXPECT_EQ(error.what, "90-200");
  EXPECT_THAT(error.why, AllOf(HasSubstr("slot 90"), HasSubstr(id('a'))));
}

// NODES-05
TEST(cluster_nodes, a_glued_line_is_told_from_a_bad_slot) {
  const std::string second = "3c36" + std::string(36, '0');
  for (const std::string& glue : {std::string(""), std::string(" ")}) {
    std::string first = master('a', "0-5460");
    first.pop_back();
    const Error error = refused(
        {text(first + glue + second + " 192.0.2.2:7000@17000 master - 0 0 1 connected 5461-16383\n")});
    EXPECT_EQ(error.where.line, 1U);
    EXPECT_EQ(error.where.column, first.size() + glue.size() + 1);
    EXPECT_EQ(error.what, second);
    EXPECT_EQ(error.why, "expected a slot or range");
    EXPECT_EQ(error.advice, "missing newline?");
  }
  std::string bare = master('a', "");
  bare.pop_back();
  EXPECT_EQ(refused({text(bare + second + " 192.0.2.2:7000@17000 master - 0 0 1 connected\n")}).what, second);
}

// NODES-04
TEST(cluster_nodes, importing_without_migrating_is_half_open_when_both_views_are_given) {
  const std::string view_of_a = master('a', "0-16383", "myself,master") + master('b', "");
  const std::string view_of_b =
      master('a', "0-16383") + master('b', "[7440-<-" + id('a') + "]", "myself,master");
  const Cluster one = imported({text(view_of_b)});
  EXPECT_EQ(findings(one, "open-slot").size(), 1U);
  EXPECT_THAT(findings(one, "half-open-slot"), IsEmpty());

  const Cluster both = imported({text(view_of_a, "a.txt"), text(view_of_b, "b.txt")});
  const auto half = findings(both, "half-open-slot");
  ASSERT_EQ(half.size(), 1U);
  EXPECT_EQ(half[0].subject, "slot 7440");
  EXPECT_THAT(half[0].message, AllOf(HasSubstr(id('a')), HasSubstr(id('b'))));
  EXPECT_THAT(half[0].advice, AllOf(HasSubstr("COUNTKEYSINSLOT 7440"), Not(HasSubstr("SETSLOT 7440 NODE"))));
}

TEST(cluster_nodes, a_slot_that_both_sides_know_to_move_is_open) {
  const Cluster cluster = imported(
      {sample("redis/cluster-nodes-migrating-src.txt"), sample("redis/cluster-nodes-importing-dst.txt")});
  EXPECT_EQ(findings(cluster, "open-slot").size(), 1U);
  EXPECT_THAT(findings(cluster, "half-open-slot"), IsEmpty());
  EXPECT_THAT(findings(cluster, "views-differ"), IsEmpty());
}

TEST(cluster_nodes, views_that_disagree_on_a_slot_are_an_error_finding) {
  const Cluster cluster = imported({text(master('a', "0-99") + master('b', "100-16383"), "a.txt"),
                                    text(master('a', "0-109") + master('b', "110-16383"), "b.txt")});
  const auto differ = findings(cluster, "views-differ");
  ASSERT_EQ(differ.size(), 1U);
  EXPECT_EQ(differ[0].severity, Finding::Severity::error);
  EXPECT_EQ(differ[0].subject, "slots 100-109");
}

}  // namespace
}  // namespace arcwise
