#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdio>

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

TEST(nodetool_ring, one_token_a_node_is_read_too) {
  const Cluster cluster = imported({sample("cassandra/nodetool-ring-single-token.txt")});
  EXPECT_EQ(cluster.map.nodes().size(), 6U);
  EXPECT_EQ(node(cluster, "192.0.2.13").tokens, std::vector{token("-6938427351999481132")});
}

constexpr std::string_view head =
    "\nDatacenter: dc1\n==========\n"
    "Address     Rack        Status State   Load            Owns                Token\n";

Source ring(const std::string& rows) {
  return {"ring.txt", std::string(head) + rows};
}

TEST(nodetool_ring, a_rack_name_may_contain_blanks_or_fill_its_column) {
  const Cluster cluster = imported({ring(
      "192.0.2.1   row 1 Up    Up     Normal  1.5 MiB         50.00%              -5                  \n"
      "192.0.2.2   us-east-1a-rack-12Down   Normal  1 GiB           50.00%              7   \n"
      "192.0.2.3               Up     Normal  ?               ?                   9   \n")});
  EXPECT_EQ(node(cluster, "192.0.2.1").rack, "row 1 Up");
  EXPECT_EQ(node(cluster, "192.0.2.2").rack, "us-east-1a-rack-12");
  EXPECT_TRUE(is_down(cluster, "192.0.2.2"));
  EXPECT_EQ(node(cluster, "192.0.2.3").rack, "");
}

TEST(nodetool_ring, names_ports_and_ipv6_addresses_are_node_names) {
  const Cluster cluster =
      imported({ring("db1.example.test        r1  Up Normal 1 MiB ? -5\n"
                     "192.0.2.1:7000          r1  Up Normal 1 MiB ? 6\n"
                     "2001:db8:0:0:0:0:0:1    r1  Up Normal 1 MiB ? 7\n"
                     "[2001:db8::2]:7000      r1  Up Normal 1 MiB ? 8\n")});
  EXPECT_EQ(node(cluster, "db1.example.test").host, "db1.example.test");
  EXPECT_EQ(node(cluster, "192.0.2.1:7000").host, "192.0.2.1");
  EXPECT_EQ(node(cluster, "2001:db8:0:0:0:0:0:1").host, "2001:db8:0:0:0:0:0:1");
  EXPECT_EQ(node(cluster, "[2001:db8::2]:7000").host, "2001:db8::2");
}

TEST(nodetool_ring, scylladb_units_are_powers_of_1024_and_its_layout_has_no_blank_line_after_a_data_center) {
  const Cluster cluster =
      imported({{"ring.txt",
                 "\nDatacenter: eu\n==========\n"
                 "Address   Rack Status State Load      Owns Token\n"
                 "                                           20\n"
                 "192.0.2.1 r1   Up     Normal 151.07 MB ?    -20\n"
                 "192.0.2.2 r1   Up     Normal 1.00 KB   ?    20\n"
                 "\nDatacenter: us\n==========\n"
                 "Address     Rack Status State Load      Owns Token\n"
                 "\n"
                 "192.0.2.103 r1   Up     Normal 896 bytes ?    30\n"
                 "  \n  Note: Non-system keyspaces don't have the same replication settings\n"}});
  EXPECT_EQ(node(cluster, "192.0.2.103").zone, "us");
  EXPECT_DOUBLE_EQ(*cluster.observed.load_bytes[0], 151.07 * 1024 * 1024);
  EXPECT_DOUBLE_EQ(*cluster.observed.load_bytes[1], 1024);
  EXPECT_DOUBLE_EQ(*cluster.observed.load_bytes[2], 896);
}

TEST(nodetool_ring, moving_unknown_and_absent_facts_are_findings) {
  const Cluster cluster =
      imported({ring("192.0.2.1 r1 ?  Moving 1 MiB ? -5\n"
                     "192.0.2.2 r1 Up Normal 1 MiB ? 5\n")});
  EXPECT_EQ(node(cluster, "192.0.2.1").state, NodeState::normal);
  EXPECT_EQ(findings(cluster, "moving-node").size(), 1U);
  EXPECT_EQ(findings(cluster, "status-unknown").size(), 1U);
  EXPECT_EQ(findings(cluster, "replicas-unknown").size(), 1U);
  EXPECT_EQ(cluster.map.replicas().count, 1U);
}

TEST(nodetool_ring, crlf_and_a_byte_order_mark_change_nothing) {
  std::string text = "\xef\xbb\xbf";
  for (const char c : vnodes().bytes) text += c == '\n' ? "\r\n" : std::string(1, c);
  const Cluster cluster = imported({{"ring.txt", text}});
  EXPECT_EQ(cluster.map.nodes().size(), 6U);
  EXPECT_EQ(cluster.map.nodes()[5].rack, "rack3");
}

TEST(nodetool_ring, a_list_that_ends_before_its_announced_last_token_is_cut_short) {
  const std::string text = vnodes().bytes;
  const Error error = refused(
      {{"ring.txt",
        text.substr(
            0,
            text.find("192.0.2.12  rack2       Up     Normal  99.2 KiB        55.56%              8154"))}});
  EXPECT_EQ(error.where.line, 27U);
  EXPECT_EQ(error.what, "7301422974581348449");
  EXPECT_THAT(error.why, HasSubstr("8992813934025624122"));
}

TEST(nodetool_ring, a_token_of_two_nodes_is_an_error_that_names_both) {
  const Error error =
      refused({ring("192.0.2.1 r1 Up Normal 1 MiB ? -5\n"
                    "192.0.2.2 r1 Up Normal 1 MiB ? -5\n")});
  EXPECT_EQ(error.where.line, 6U);
  EXPECT_EQ(error.where.column, 32U);
  EXPECT_EQ(error.what, "-5");
  EXPECT_THAT(error.why, HasSubstr("192.0.2.1"));
}

// Printed as nodetool prints: padded to a width that a long value ignores.
std::string printed_row(const std::string& address, const std::string& rack, const char* status,
                        const char* state, const char* load, const char* owns, std::int64_t token) {
  char text[4096];
  std::snprintf(text, sizeof text, "%-12s%-12s%-7s%-8s%-16s%-20s%-44lld\n", (address + "  ").c_str(),
                rack.c_str(), status, state, load, owns, static_cast<long long>(token));
  return text;
}

RC_GTEST_PROP(nodetool_ring, every_printed_row_reads_back, ()) {
  // Words that also stand in other columns, and enough of them to run into the next one.
  const auto pieces = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("Up", "Down", "Normal", "?", "a", " ", "  ", "-1", "100.00%", "KiB"));
  std::string rack;
  for (const std::string& piece : pieces) rack += piece;
  while (rack.ends_with(' ')) rack.pop_back();
  while (rack.starts_with(' ')) rack.erase(0, 1);
  const char* status = *rc::gen::element("Up", "Down", "?");
  const char* state = *rc::gen::element("Normal", "Leaving", "Moving");
  const char* load = *rc::gen::element("?", "104.37 KiB", "1,5 GiB", "0 bytes");
  const char* owns = *rc::gen::element("?", "33.33%", "100.00%", "0.00%");
  const auto value = *rc::gen::arbitrary<std::int64_t>();
  const Cluster cluster = imported({ring(printed_row("192.0.2.1", rack, status, state, load, owns, value))});
  const Node& node = cluster.map.nodes().at(0);
  RC_ASSERT(node.name == "192.0.2.1");
  RC_ASSERT(node.rack == rack);
  RC_ASSERT(node.tokens.at(0) == token(std::to_string(value)));
  RC_ASSERT(is_down(cluster, "192.0.2.1") == (std::string_view(status) == "Down"));
  RC_ASSERT((node.state == NodeState::leaving) == (std::string_view(state) == "Leaving"));
  RC_ASSERT(cluster.observed.load_bytes.empty() == (std::string_view(load) == "?"));
}

}  // namespace
}  // namespace arcwise
