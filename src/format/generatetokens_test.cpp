#include "format/generatetokens.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "arcwise/ownership.hpp"
#include "format/import_testing.hpp"

namespace arcwise {
namespace {

using namespace arcwise::testing;

TEST(generatetokens, nodes_and_racks_are_called_as_the_tool_numbers_them) {
  const Source source = sample("cassandra/generatetokens.txt");
  EXPECT_EQ(recognise(source.bytes), "generatetokens");
  const Cluster cluster = imported({source});
  EXPECT_EQ(cluster.map.nodes().size(), 6U);
  EXPECT_EQ(node(cluster, "node4").rack, "rack1");
  EXPECT_EQ(node(cluster, "node4").tokens.size(), 4U);
  EXPECT_EQ(cluster.map.replicas().count, 3U);
  EXPECT_EQ(cluster.map.replicas().across, Across::rack);
  EXPECT_EQ(imported({source}, replicas(2)).map.replicas().count, 2U);
}

// The example of Cassandra's documentation, in three racks: of nine nodes' shares the largest is 1.578 of the
// mean, the smallest 0.650.
TEST(generatetokens, the_documented_example_has_the_shares_that_its_tokens_give) {
  const auto file = nlohmann::json::parse(file_bytes("vectors/cassandra-generatetokens-doc.json"));
  std::string text =
      "Generating tokens for 9 nodes with 4 vnodes each for replication factor 3 and partitioner "
      "Murmur3Partitioner\n";
  for (const auto& item : file["nodes"]) {
    text += "Node " + item["node"].dump() + " rack " + item["rack"].dump() + ": [";
    for (std::size_t i = 0; i < item["tokens"].size(); ++i)
      text += (i ? ", " : "") + item["tokens"][i].get<std::string>();
    text += "]\n";
  }
  const Placement placement = compile(imported({{"tokens.txt", text}}).map);
  std::vector<double> held(9);
  std::vector<NodeIndex> owners(placement.max_owners());
  for (std::size_t i = 0; i < placement.region_count(); ++i) {
    const std::size_t count = placement.region_owners(i, {}, owners);
    for (std::size_t k = 0; k < count; ++k)
      held[owners[k]] += share_of(placement.map().domain(), placement.region(i)).value();
  }
  EXPECT_NEAR(*std::max_element(held.begin(), held.end()) * 3, 1.578, 0.001);
  EXPECT_NEAR(*std::min_element(held.begin(), held.end()) * 3, 0.650, 0.001);
}

TEST(generatetokens, random_partitioner_s_tokens_are_longer) {
  const Cluster cluster =
      imported({{"t",
                 "Generating tokens for 2 nodes with 1 vnodes each for replication factor 1 and partitioner "
                 "RandomPartitioner\n"
                 "Node 0 rack 0: [0]\nNode 1 rack 0: [85070591730234615865843651857942052864]\n"}});
  EXPECT_EQ(cluster.map.placement().recipe->name, "cassandra-random");
}

}  // namespace
}  // namespace arcwise
