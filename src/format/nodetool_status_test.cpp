#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/import_testing.hpp"
#include "format/nodetool_view.hpp"

namespace arcwise {
namespace {

using namespace arcwise::testing;
using ::testing::HasSubstr;

Source ring() {
  return sample("cassandra/nodetool-ring-vnodes.txt");
}
Source status() {
  return sample("cassandra/nodetool-status-effective.txt");
}

// The sample with one line replaced; line 6 is 192.0.2.11.
Source status_with(std::size_t line, const std::string& text) {
  return {"status.txt", with_line(status().bytes, line, text)};
}

TEST(nodetool_status, alone_it_names_the_file_to_bring) {
  const Error error = refused({status()});
  EXPECT_EQ(error.kind, ErrorKind::input);
  EXPECT_THAT(error.advice, HasSubstr("nodetool ring"));
}

TEST(nodetool_status, with_one_token_a_node_it_stands_alone) {
  const Cluster cluster = imported({sample("cassandra/nodetool-status-single-token.txt")});
  EXPECT_EQ(cluster.map.nodes().size(), 6U);
  EXPECT_EQ(cluster.map.replicas().count, 3U);
  EXPECT_EQ(node(cluster, "192.0.2.14").tokens,
            std::vector{*from_text(TokenSpace::signed_64(), "-6540774595728306186")});
  EXPECT_EQ(node(cluster, "192.0.2.15").state, NodeState::leaving);
  EXPECT_TRUE(is_down(cluster, "192.0.2.14"));
}

TEST(nodetool_status, ownership_of_a_file_cut_short_is_no_replica_count) {
  const Source whole = sample("cassandra/nodetool-status-single-token.txt");
  EXPECT_TRUE(findings(imported({whole}), "ownership-incomplete").empty());
  const Cluster odd = imported({{"cut.txt", whole.bytes.substr(0, whole.bytes.find("UN  192.0.2.12"))}});
  ASSERT_EQ(findings(odd, "ownership-incomplete").size(), 1U);
  EXPECT_EQ(findings(odd, "ownership-incomplete")[0].severity, Finding::Severity::warning);
  EXPECT_THAT(findings(odd, "ownership-incomplete")[0].message, HasSubstr("244.4%"));
  EXPECT_TRUE(findings(odd, "replicas-derived").empty());
  EXPECT_EQ(odd.map.replicas().count, 1U);
  EXPECT_TRUE(odd.observed.printed_share.empty());
}

TEST(nodetool_status, one_blank_between_columns_and_blanks_in_rack_names_are_read) {
  const auto view = read_nodetool_status(
      {"status.txt",
       "Datacenter: eu\n==============\nStatus=Up/Down/eXcluded\n|/ State=Normal/Leaving/Joining/Moving\n"
       "-- Address      Load      Tokens Owns Host ID                              Rack\n"
       "XN 2001:db8::1  151.07 MB 256    ?    5bc8fbbc-bde5-4099-8164-d8399f767c45 row 7, rack 2 \n"
       "?M 192.0.2.2    ?         256    ?    5bc8fbbc-bde5-4099-8164-d8399f767c46 r\n"
       "\nDatacenter: us\n==============\nStatus=Up/Down/eXcluded\n|/ State=Normal/Leaving/Joining/Moving\n"
       "-- Address   Load  Tokens Owns Host ID Rack\n"
       "DN 192.0.2.3 1 KB  16     ?    x       r\n"});
  ASSERT_TRUE(view) << to_string(view.error());
  EXPECT_EQ(view->nodes[0].address, "2001:db8::1");
  EXPECT_EQ(view->nodes[0].rack, "row 7, rack 2");
  EXPECT_EQ(view->nodes[0].live, SeenNode::Live::excluded);
  EXPECT_EQ(view->nodes[1].state, SeenNode::State::moving);
  EXPECT_EQ(view->nodes[2].zone, "us");
  EXPECT_EQ(view->nodes[2].token_count, 16U);
  EXPECT_FALSE(view->lists_tokens);
}

TEST(nodetool_status, beside_a_ring_that_agrees_it_adds_no_finding) {
  const Cluster cluster = imported({status(), ring()});
  EXPECT_EQ(cluster.observed.format, "nodetool-ring");
  EXPECT_TRUE(findings(cluster, "views-differ").empty());
  EXPECT_TRUE(findings(cluster, "gone-node").empty());
}

TEST(nodetool_status, its_facts_fill_what_the_ring_leaves_open) {
  std::string bare = ring().bytes;
  for (const char* owns : {"55.56%", "44.44%", "100.00%"})
    for (std::size_t at = bare.find(owns); at != std::string::npos; at = bare.find(owns))
      bare.replace(at, std::string_view(owns).size(), "?");
  const Cluster cluster = imported({{"ring.txt", bare}, status()});
  EXPECT_EQ(cluster.map.replicas().count, 3U);
  EXPECT_NEAR(*cluster.observed.printed_share[0], 0.556, 1e-9);
}

// C55: the ring still holds tokens of a node that is gone.
TEST(nodetool_status, tokens_of_a_node_that_status_does_not_list_are_an_error_finding) {
  const std::string text = status().bytes;
  const std::size_t row = text.find("DN  192.0.2.14");
  const Cluster cluster =
      imported({ring(), {"status.txt", text.substr(0, row) + text.substr(text.find('\n', row) + 1)}});
  const auto gone = findings(cluster, "gone-node");
  ASSERT_EQ(gone.size(), 1U);
  EXPECT_EQ(gone[0].severity, Finding::Severity::error);
  EXPECT_EQ(gone[0].subject, "192.0.2.14");
  EXPECT_THAT(gone[0].message, HasSubstr("4 tokens"));
}

TEST(nodetool_status, disagreement_is_a_finding_and_either_view_takes_a_node_down) {
  const Cluster cluster =
      imported({ring(), status_with(6, "DL  192.0.2.11  104.37 KiB  3       55.6%             5bc8  rack9")});
  const auto differ = findings(cluster, "views-differ");
  ASSERT_EQ(differ.size(), 4U);  // rack, status, state, tokens
  EXPECT_THAT(differ[0].message, HasSubstr("rack rack1 and rack9"));
  EXPECT_THAT(differ[3].message, HasSubstr("4 and 3 tokens"));
  EXPECT_TRUE(is_down(cluster, "192.0.2.11"));
  EXPECT_EQ(node(cluster, "192.0.2.11").rack, "rack1");
}

TEST(nodetool_status, a_node_without_a_token_in_the_ring_is_a_finding) {
  const Cluster cluster =
      imported({ring(), status_with(6,
                                    "UN  192.0.2.11  104.37 KiB  4       55.6%             5bc8  rack1\nUN  "
                                    "192.0.2.99  1 KiB  4       ?  5bc9  rack1")});
  ASSERT_EQ(findings(cluster, "views-differ").size(), 1U);
  EXPECT_EQ(findings(cluster, "views-differ")[0].subject, "192.0.2.99");
}

TEST(nodetool_status, an_address_matches_with_and_without_its_port) {
  std::string text = status().bytes;
  for (const char* address :
       {"192.0.2.11 ", "192.0.2.12 ", "192.0.2.13 ", "192.0.2.14 ", "192.0.2.15 ", "192.0.2.16 "})
    text.replace(text.find(address), std::string_view(address).size(),
                 std::string(address).substr(0, 10) + ":7000 ");
  const Cluster cluster = imported({ring(), {"status.txt", text}});
  EXPECT_TRUE(findings(cluster, "gone-node").empty());
  EXPECT_TRUE(findings(cluster, "views-differ").empty());
}

}  // namespace
}  // namespace arcwise
