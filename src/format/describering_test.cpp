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

Source whole() {
  return sample("cassandra/nodetool-describering.txt");
}
Token token(std::string_view text) {
  return *from_text(TokenSpace::signed_64(), text);
}

// A line for (after, upto] on the given hosts; hN stands on rack N % 3.
std::string range(const std::string& after, const std::string& upto, const std::vector<int>& hosts,
                  std::string_view comma = ", ") {
  std::string list, details;
  for (const int host : hosts) {
    const std::string name = "h" + std::to_string(host);
    list += (list.empty() ? "" : std::string(comma)) + name;
    details += (details.empty() ? "" : std::string(comma)) + "EndpointDetails(host:" + name +
               std::string(comma) + "datacenter:dc1" + std::string(comma) + "rack:r" +
               std::to_string(host % 3) + ")";
  }
  std::string line = "\tTokenRange(start_token:" + after + ", end_token:" + upto + ", endpoints:[" + list +
                     "], rpc_endpoints:[" + list + "], endpoint_details:[" + details + "])";
  if (comma != ", ")
    for (std::size_t at = line.find(", "); at != std::string::npos; at = line.find(", "))
      line.erase(at + 1, 1);
  return line + "\n";
}

Source ranges(const std::string& lines) {
  return {"ranges.txt", "Schema Version:617959ce\nTokenRange: \n" + lines};
}

TEST(describering, every_range_has_its_endpoints_in_replica_order) {
  const Cluster cluster = imported({whole()});
  EXPECT_EQ(cluster.map.placement().recipe->name, "cassandra-ranges");
  EXPECT_EQ(cluster.map.placement().table.size(), 20U);
  EXPECT_EQ(cluster.map.replicas().count, 3U);
  EXPECT_EQ(node(cluster, "192.0.2.15").rack, "rack2");
  EXPECT_EQ(node(cluster, "192.0.2.15").zone, "dc1");
  const Placement placement = compile(cluster.map);
  EXPECT_THAT(owners_at(placement, {token("-8472904455104925488").value}),
              ElementsAre("192.0.2.11", "192.0.2.15", "192.0.2.13"));
  EXPECT_THAT(owners_at(placement, {token("8154035911651841661").value}),
              ElementsAre("192.0.2.11", "192.0.2.15", "192.0.2.13"));
  EXPECT_THAT(owners_at(placement, {token("1797028452502684230").value}),
              ElementsAre("192.0.2.12", "192.0.2.13", "192.0.2.11"));
}

TEST(describering, the_order_of_lines_and_blanks_behind_commas_do_not_matter) {
  const std::string sorted = range("30", "-10", {1, 2, 3}) + range("-10", "30", {4, 5, 6});
  const std::string shuffled = range("-10", "30", {4, 5, 6}, ",") + range("30", "-10", {1, 2, 3}, ",");
  for (const std::string& text : {sorted, shuffled}) {
    const Cluster cluster = imported({ranges(text)});
    const Placement placement = compile(cluster.map);
    EXPECT_THAT(owners_at(placement, {token("30").value}), ElementsAre("h4", "h5", "h6"));
    EXPECT_THAT(owners_at(placement, {token("31").value}), ElementsAre("h1", "h2", "h3"));
    EXPECT_THAT(findings(cluster, "range-gap"), IsEmpty());
  }
}

TEST(describering, a_rack_may_be_called_anything) {
  std::string text = range("1", "1", {1, 2});
  text.replace(text.find("rack:r1"), 7, "rack:row 1, rack (b)");
  EXPECT_EQ(node(imported({ranges(text)}), "h1").rack, "row 1, rack (b)");
}

TEST(describering, a_piece_that_no_range_covers_has_no_owner) {
  const Cluster cluster = imported({ranges(range("30", "-10", {1, 2, 3}) + range("-5", "30", {4, 5, 6}))});
  const Placement placement = compile(cluster.map);
  EXPECT_THAT(owners_at(placement, {token("-5").value}), IsEmpty());
  EXPECT_THAT(owners_at(placement, {token("-4").value}), ElementsAre("h4", "h5", "h6"));
  ASSERT_EQ(findings(cluster, "range-gap").size(), 1U);
  EXPECT_EQ(findings(cluster, "range-gap")[0].subject, "(-10, -5]");
}

TEST(describering, gaps_at_the_wrap_are_found_on_either_side) {
  const Cluster high = imported({ranges(range("40", "-10", {1}) + range("-10", "30", {2}))});
  EXPECT_THAT(owners_at(compile(high.map), {token("35").value}), IsEmpty());
  const Cluster low = imported({ranges(range("-20", "-10", {1}) + range("-10", "30", {2}))});
  EXPECT_THAT(owners_at(compile(low.map), {token("35").value}), IsEmpty());
  EXPECT_THAT(owners_at(compile(low.map), {token("-20").value}), IsEmpty());
  EXPECT_THAT(owners_at(compile(low.map), {token("-19").value}), ElementsAre("h1"));
}

TEST(describering, tablets_that_start_at_the_smallest_token_leave_nothing_out) {
  const Cluster cluster =
      imported({ranges(range("-9223372036854775808", "-1", {1}) + range("-1", "9223372036854775807", {2}))});
  EXPECT_THAT(findings(cluster, "range-gap"), IsEmpty());
  EXPECT_THAT(owners_at(compile(cluster.map), {token("-9223372036854775807").value}), ElementsAre("h1"));
}

TEST(describering, overlaps_and_repeats_are_errors) {
  const Error overlap = refused({ranges(range("30", "-10", {1}) + range("-11", "30", {2}))});
  EXPECT_EQ(overlap.where.line, 4U);
  EXPECT_THAT(overlap.what, HasSubstr("(-11, 30]"));
  const Error wrapped = refused({ranges(range("25", "-10", {1}) + range("-10", "30", {2}))});
  EXPECT_EQ(wrapped.where.line, 3U);
  EXPECT_EQ(refused({ranges(range("30", "30", {1}) + range("30", "30", {2}))}).where.line, 4U);
}

TEST(describering, one_range_may_be_the_whole_circle) {
  const Cluster cluster = imported({ranges(range("7", "7", {1}))});
  EXPECT_THAT(owners_at(compile(cluster.map), {token("-7").value}), ElementsAre("h1"));
}

TEST(describering, an_endpoint_named_twice_counts_once) {
  const Cluster cluster = imported({ranges(range("30", "-10", {1, 2, 1}) + range("-10", "30", {4, 5, 6}))});
  EXPECT_THAT(owners_at(compile(cluster.map), {token("-10").value}), ElementsAre("h1", "h2"));
  EXPECT_EQ(findings(cluster, "duplicate-endpoint").size(), 1U);
}

TEST(describering, check_names_every_range_on_fewer_than_three_nodes_or_racks) {
  // h1 and h4 share rack r1.
  const Source source =
      ranges(range("30", "-10", {1, 2, 3}) + range("-10", "10", {1, 2}) + range("10", "30", {1, 4, 2}));
  const Cluster cluster = imported({source}, replicas(3));
  const CheckReport report = check(compile(cluster.map), cluster.observed, {3, std::nullopt});
  EXPECT_FALSE(report.ok);
  std::string errors;
  for (const Finding& finding : report.findings)
    if (finding.severity == Finding::Severity::error) errors += finding.message + "\n";
  EXPECT_THAT(errors, HasSubstr("(-10, 10]"));
  EXPECT_THAT(errors, HasSubstr("(10, 30]"));
  EXPECT_THAT(errors, ::testing::Not(HasSubstr("(30, -10]")));
}

TEST(describering, two_owners_on_one_rack_are_both_owners) {
  const Cluster cluster = imported({ranges(range("30", "-10", {1, 2, 3}) + range("-10", "30", {1, 4, 2}))});
  EXPECT_THAT(owners_at(compile(cluster.map), {token("30").value}), ElementsAre("h1", "h4", "h2"));
}

TEST(describering, counts_are_kept_for_each_data_center) {
  std::string text = range("30", "-10", {1, 2, 3}) + range("-10", "30", {1, 2, 3});
  for (std::size_t at = text.find("host:h3, datacenter:dc1"); at != std::string::npos;
       at = text.find("host:h3, datacenter:dc1", at + 1))
    text.replace(at, 23, "host:h3, datacenter:dc2");
  const Cluster cluster = imported({ranges(text)});
  const ReplicaPolicy& policy = cluster.map.replicas();
  ASSERT_EQ(policy.per_zone.size(), 2U);
  EXPECT_EQ(policy.per_zone[0].count, 2U);
  EXPECT_EQ(policy.per_zone[1].count, 1U);
  EXPECT_EQ(policy.count, 3U);
}

TEST(describering, status_beside_it_says_who_is_down_and_how_loaded) {
  const Cluster cluster = imported({sample("cassandra/nodetool-status-effective.txt"), whole()});
  EXPECT_EQ(cluster.observed.format, "nodetool-describering");
  EXPECT_TRUE(is_down(cluster, "192.0.2.14"));
  EXPECT_EQ(node(cluster, "192.0.2.15").state, NodeState::leaving);
  EXPECT_FALSE(cluster.observed.load_bytes.empty());
  EXPECT_EQ(findings(cluster, "no-replica").size(), 1U);  // 192.0.2.16 is joining
}

TEST(describering, ring_and_describering_of_one_cluster_give_the_same_owners) {
  const Cluster listed = imported({whole()}),
                computed = imported({sample("cassandra/nodetool-ring-vnodes.txt")});
  const Placement a = compile(listed.map), b = compile(computed.map);
  for (int i = 0; i < 2000; ++i) {
    const std::string key = "key:" + std::to_string(i);
    EXPECT_EQ(owners_of(a, key), owners_of(b, key)) << key;
  }
}

}  // namespace
}  // namespace arcwise
