#include "format/samples.hpp"

#include <gtest/gtest.h>

#include "place/testing.hpp"

namespace arcwise {
namespace {

std::vector<Node> nodes_of(const std::string& text) {
  const auto nodes = parse_node_list({"nodes", text});
  if (nodes) return *nodes;
  ADD_FAILURE() << to_string(nodes.error());
  return {};
}

std::string node_fault(const std::string& text) {
  const auto nodes = parse_node_list({"nodes", text});
  return nodes ? "" : to_string(nodes.error());
}

std::string sample_fault(const std::string& text) {
  const auto samples = parse_samples({"samples", text}, nodes_of("a,b"));
  return samples ? "" : to_string(samples.error());
}

TEST(NodeList, takes_addresses_with_weights_and_names) {
  struct Row {
    const char *text, *name, *address;
    double weight;
  };
  const Row rows[] = {{"10.0.0.1:11211", "10.0.0.1:11211", "10.0.0.1:11211", 1},
                      {"10.0.0.1:11211:2", "10.0.0.1:11211", "10.0.0.1:11211", 2},
                      {"cache-1", "cache-1", "", 1},
                      {"[::1]:11211", "[::1]:11211", "[::1]:11211", 1},
                      {"[::1]:11211:0.5", "[::1]:11211", "[::1]:11211", 0.5},
                      {"::1", "::1", "::1", 1},
                      {"2001:db8::1", "2001:db8::1", "2001:db8::1", 1},
                      {"/tmp/a.sock", "/tmp/a.sock", "", 1},
                      {"/tmp/a.sock:3", "/tmp/a.sock", "", 3},
                      {"unix:/tmp/a.sock", "unix:/tmp/a.sock", "unix:/tmp/a.sock", 1},
                      {"127.0.0.1:24001:1 alpha", "alpha", "127.0.0.1:24001", 1},
                      {"10.0.0.1 cache-a:11212", "cache-a:11212", "10.0.0.1", 1}};
  for (const Row& row : rows) {
    const auto nodes = nodes_of(row.text);
    ASSERT_EQ(nodes.size(), 1u) << row.text;
    EXPECT_EQ(nodes[0].name, row.name);
    EXPECT_EQ(nodes[0].address, row.address) << row.text;
    EXPECT_EQ(nodes[0].weight, row.weight) << row.text;
  }
}

TEST(NodeList, commas_and_lines_separate_and_order_stays) {
  const auto nodes = nodes_of("# pool\nb, a\n\nc:1\n");
  ASSERT_EQ(nodes.size(), 3u);
  EXPECT_EQ(nodes[0].name + nodes[1].name + nodes[2].name, "bac:1");
}

TEST(NodeList, faults_name_the_line_and_the_piece) {
  EXPECT_EQ(
      node_fault("a\nb,a\n"),
      "nodes:2:3: a node is listed twice: \"a\"; a name is an identity: drop one, or name them apart as "
      "ADDRESS NAME");
  EXPECT_NE(node_fault("10.0.0.1:1:x").find("nodes:1:12: a weight that is no number: \"x\""),
            std::string::npos)
      << node_fault("10.0.0.1:1:x");
  EXPECT_NE(node_fault("10.0.0.1:1:-1").find("no number"), std::string::npos);
  EXPECT_NE(node_fault("10.0.0.1:1:nan").find("no number"), std::string::npos);
  EXPECT_NE(node_fault("# nothing\n , \n").find("no node is listed"), std::string::npos);
}

TEST(Samples, are_keys_and_nodes_as_locate_prints_them) {
  std::vector<Node> nodes = nodes_of("10.0.0.1:1 a\n10.0.0.2:1 b\n");
  nodes.push_back(testing::node("x,y"));
  const auto samples =
      parse_samples({"samples", "k1\ta\nk 2\t10.0.0.2:1\r\n\n\xff\tb,a\n\"a\\tb\"\t\"x,y\",a\n"}, nodes);
  ASSERT_TRUE(samples) << to_string(samples.error());
  ASSERT_EQ(samples->size(), 4u);
  EXPECT_EQ((*samples)[0].key, "k1");
  EXPECT_EQ((*samples)[0].node, 0u);
  EXPECT_EQ((*samples)[1].key, "k 2");
  EXPECT_EQ((*samples)[1].node, 1u);
  EXPECT_EQ((*samples)[2].key, "\xff");
  EXPECT_EQ((*samples)[2].node, 1u);
  EXPECT_EQ((*samples)[3].key, "a\tb");
  EXPECT_EQ((*samples)[3].node, 2u);
}

TEST(Samples, a_name_counts_before_an_address_and_a_shared_host_names_nobody) {
  std::vector<Node> nodes = nodes_of("10.0.0.1:1,10.0.0.1:2 10.0.0.1:1b");
  for (Node& n : nodes) n.host = "10.0.0.1";
  EXPECT_TRUE(parse_samples({"s", "k\t10.0.0.1:2\n"}, nodes).ok());
  EXPECT_FALSE(parse_samples({"s", "k\t10.0.0.1\n"}, nodes).ok());
}

TEST(Samples, faults_name_the_line) {
  EXPECT_NE(sample_fault("k\ta\nk,a\n").find("samples:2: no tab between key and node: \"k,a\""),
            std::string::npos)
      << sample_fault("k\ta\nk,a\n");
  EXPECT_NE(sample_fault("k\ta\tb\n").find("samples:1: more than one tab"), std::string::npos);
  EXPECT_NE(sample_fault("k\tc\n").find("names no node of the list"), std::string::npos);
  EXPECT_NE(sample_fault("k\t\n").find("names no node of the list"), std::string::npos);
  EXPECT_NE(sample_fault("\n\n").find("no sample"), std::string::npos);
}

}  // namespace
}  // namespace arcwise
