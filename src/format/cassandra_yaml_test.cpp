#include "format/cassandra_yaml.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/import_testing.hpp"

namespace arcwise {
namespace {

using namespace arcwise::testing;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string yaml(const std::string& address, const std::string& tokens, const std::string& more = "") {
  return "cluster_name: 'Test Cluster'\n" + (tokens.empty() ? "" : "initial_token: " + tokens + "\n") +
         "listen_address: " + address + "\nrpc_address: localhost\n" + more;
}
Source settings(const std::string& address, const std::string& tokens, const std::string& more = "") {
  return {address + ".yaml", yaml(address, tokens, more)};
}

// Every node's tokens of an imported ring, as its own file.
std::vector<Source> files_of(const Cluster& ring) {
  std::vector<Source> out;
  for (const Node& node : ring.map.nodes()) {
    std::string tokens;
    for (const Token token : node.tokens)
      tokens += (tokens.empty() ? "" : ", ") + to_text(TokenSpace::signed_64(), token);
    out.push_back(settings(node.name, tokens, "partitioner: org.apache.cassandra.dht.Murmur3Partitioner\n"));
  }
  return out;
}

TEST(cassandra_yaml, files_with_tokens_are_the_ring_that_nodetool_prints) {
  for (const char* name : {"vnodes", "single-token"}) {
    const Cluster ring = imported({sample("cassandra/nodetool-ring-" + std::string(name) + ".txt")});
    const Cluster cluster = imported(files_of(ring));
    ASSERT_EQ(cluster.map.nodes().size(), ring.map.nodes().size());
    for (const Node& n : ring.map.nodes()) EXPECT_EQ(node(cluster, n.name).tokens, n.tokens) << n.name;
    EXPECT_EQ(cluster.map.cluster(), "Test Cluster");
    std::vector<Source> both = files_of(ring);
    both.insert(both.begin(), sample("cassandra/nodetool-ring-" + std::string(name) + ".txt"));
    EXPECT_THAT(findings(imported(both), "tokens-differ"), IsEmpty());
  }
}

TEST(cassandra_yaml, the_replica_count_is_what_the_tokens_were_allocated_for) {
  const std::string rf = "allocate_tokens_for_local_replication_factor: 2\n";
  const std::vector<Source> files{settings("192.0.2.1", "1", rf), settings("192.0.2.2", "2", rf),
                                  settings("192.0.2.3", "3", rf)};
  EXPECT_EQ(imported(files).map.replicas().count, 2U);
  EXPECT_EQ(imported(files, replicas(3)).map.replicas().count, 3U);
  EXPECT_EQ(findings(imported(files), "replicas-derived").size(), 1U);
}

TEST(cassandra_yaml, a_list_of_256_tokens_is_read_whatever_its_length) {
  std::string tokens;
  for (int i = 0; i < 256; ++i) tokens += (i ? "," : "") + std::to_string(-9000000000000000000LL + i);
  EXPECT_EQ(imported({settings("192.0.2.1", "'" + tokens + "' # all")}).map.nodes()[0].tokens.size(), 256U);
}

TEST(cassandra_yaml, status_beside_the_files_adds_racks_and_who_is_down) {
  Source status = sample("cassandra/nodetool-status-single-token.txt");
  const Cluster ring = imported({sample("cassandra/nodetool-ring-single-token.txt")});
  std::vector<Source> files = files_of(ring);
  files.push_back(status);
  const Cluster cluster = imported(files);
  EXPECT_FALSE(cluster.map.nodes()[0].rack.empty());
}

TEST(cassandra_yaml, random_partitioner_s_tokens_are_read_as_its_own) {
  const std::string random = "partitioner: RandomPartitioner\n";
  const Cluster cluster = imported({settings("192.0.2.1", "0", random),
                                    settings("192.0.2.2", "85070591730234615865843651857942052864", random)});
  EXPECT_EQ(cluster.map.placement().recipe->name, "cassandra-random");
  const Placement placement = compile(cluster.map);
  EXPECT_EQ(owners_of(placement, "a").front(), "192.0.2.2");  // token 16955237001963240173058271559858726497
  EXPECT_EQ(owners_of(placement, "b").front(), "192.0.2.1");  // token 144992942750327304334463589818972416113
}

TEST(cassandra_yaml, beside_a_ring_each_disagreement_is_a_finding) {
  const Source ring = sample("cassandra/nodetool-ring-vnodes.txt");
  const Cluster plain = imported({ring});
  const std::string name = plain.map.nodes()[0].name,
                    count = std::to_string(plain.map.nodes()[0].tokens.size());
  const auto with = [&](const std::string& more, const std::string& tokens = "") {
    return imported({ring, settings(name, tokens, more)});
  };
  EXPECT_THAT(findings(with("num_tokens: " + count + "\n"), "token-count-differs"), IsEmpty());
  ASSERT_EQ(findings(with("num_tokens: 256\n"), "token-count-differs").size(), 1U);
  EXPECT_THAT(findings(with("num_tokens: 256\n"), "token-count-differs")[0].message,
              HasSubstr(name + " has " + count));
  const std::string rf = "allocate_tokens_for_local_replication_factor: ";
  EXPECT_THAT(
      findings(imported({ring, settings(name, "", rf + "3\n")}, replicas(3)), "allocation-rf-differs"),
      IsEmpty());
  EXPECT_EQ(
      findings(imported({ring, settings(name, "", rf + "5\n")}, replicas(3)), "allocation-rf-differs").size(),
      1U);
  EXPECT_EQ(findings(with("partitioner: RandomPartitioner\n"), "partitioner-differs").size(), 1U);
  EXPECT_EQ(findings(with("", "1, 2"), "tokens-differ").size(), 1U);
  EXPECT_EQ(findings(with("endpoint_snitch: SimpleSnitch\n"), "snitch-differs").size(), 1U);
  EXPECT_THAT(findings(with("endpoint_snitch: GossipingPropertyFileSnitch\n"), "snitch-differs"), IsEmpty());
  Source other = settings("192.0.2.250", "");
  other.bytes.replace(other.bytes.find("Test"), 4, "Live");
  EXPECT_EQ(findings(imported({ring, settings(name, ""), other}), "cluster-differs").size(), 1U);
}

TEST(cassandra_yaml, what_cannot_be_a_ring_says_what_to_bring) {
  EXPECT_THAT(refused({settings("192.0.2.1", "")}, from("cassandra-yaml")).advice,
              HasSubstr("nodetool ring"));
  EXPECT_THAT(refused({settings("192.0.2.1", "1"), settings("192.0.2.1", "2")}).why,
              HasSubstr("second file"));
  EXPECT_THAT(refused({settings("192.0.2.1", "1"), settings("192.0.2.2", "1")}).why,
              HasSubstr("192.0.2.1.yaml"));
  EXPECT_THAT(refused({settings("localhost", "1")}).why, HasSubstr("no address"));
  EXPECT_THAT(refused({settings("192.0.2.1", "1, 2", "num_tokens: 16\n")}).why,
              HasSubstr("num_tokens is 16"));
  EXPECT_THAT(
      refused({settings("192.0.2.1", "1", "partitioner: RandomPartitioner\n"), settings("192.0.2.2", "2")})
          .why,
      HasSubstr("another partitioner"));
}

}  // namespace
}  // namespace arcwise
