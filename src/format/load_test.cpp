#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arcwise/check.hpp"
#include "format/import_testing.hpp"

namespace arcwise {
namespace {

using namespace arcwise::testing;
using ::testing::HasSubstr;

constexpr std::string_view native =
    "arcwise: 1\nplacement: {recipe: ring, tokens: 16}\nreplicas: {count: 2, across: node}\n"
    "nodes:\n  - {name: a, rack: r1}\n  - {name: b, rack: r1}\n  - {name: c, rack: r2}\n";

Source map_file(std::string text = std::string(native)) {
  return {"map.yaml", std::move(text)};
}

TEST(recognise, tells_formats_by_their_content) {
  const std::vector<std::pair<std::string, std::string_view>> samples{
      {"cassandra/nodetool-ring-vnodes.txt", "nodetool-ring"},
      {"cassandra/nodetool-ring-single-token.txt", "nodetool-ring"},
      {"cassandra/nodetool-status-effective.txt", "nodetool-status"},
      {"cassandra/nodetool-status-no-keyspace.txt", "nodetool-status"},
      {"cassandra/nodetool-status-single-token.txt", "nodetool-status"},
      {"cassandra/nodetool-describering.txt", "nodetool-describering"},
      {"redis/cluster-nodes.txt", "cluster-nodes"},
      {"redis/cluster-nodes-migrating-src.txt", "cluster-nodes"}};
  for (const auto& [path, format] : samples) EXPECT_EQ(recognise(sample(path).bytes), format) << path;
  EXPECT_EQ(recognise(native), "arcwise");
  EXPECT_EQ(recognise("{\"arcwise\": 1, \"nodes\": []}"), "arcwise");
  EXPECT_EQ(recognise("{\n  \"arcwise\" : 1"), "arcwise");
  EXPECT_EQ(recognise("nodes:\n - {name: a}\n"), "arcwise");
  EXPECT_EQ(recognise("cache:\n  servers:\n   - a:1:1\n"), "nutcracker");
  EXPECT_EQ(recognise("vars currentEpoch 1 lastVoteEpoch 0\n"), "cluster-nodes");
  EXPECT_EQ(recognise("hello\n"), "");
  EXPECT_EQ(recognise("{\"cluster\": \"a, \\\"b\", \"x\": {\"y\": [1, 2]}, \"arcwise\": 1, \"nodes\": []}"),
            "arcwise");
  EXPECT_EQ(recognise("{cluster: c, nodes: [{name: a}]}"), "arcwise");
  EXPECT_EQ(recognise("{\"x\": {\"a\": 1, \"arcwise\": 1}, \"y\": \", arcwise: 1\"}"), "");
  EXPECT_EQ(recognise(""), "");
}

TEST(recognise, forty_hex_digits_alone_are_no_cluster_node) {
  const std::string id(40, 'a');
  for (const char* rest :
       {"  README.md", " Merge master into a branch", " fix:80 ports", " - ", " ", " a fail of words", ""})
    EXPECT_EQ(recognise(id + rest + "\n"), "") << rest;
  for (const char* rest :
       {" 10.0.0.1:7000@17000 master - 0 0 1 connected", " 10.0.0.1:7000 slave " /* before Redis 4 */,
        " :0@0 master,noaddr - 0 0 1 disconnected", " ::1:7000@17000,host master - 0 0 1 connected",
        " broken-address myself,master - 0 0 1 connected 0-16383"})
    EXPECT_EQ(recognise(id + rest + "\n"), "cluster-nodes") << rest;
}

TEST(formats, every_one_has_a_line_and_two_only_stand_beside_others) {
  for (const FormatInfo& format : formats()) {
    EXPECT_FALSE(format.what.empty());
    EXPECT_EQ(format.enough, format.name != "nodetool-status" && format.name != "swift-conf") << format.name;
  }
}

TEST(load, reads_files_and_names_them_in_errors) {
  const std::string folder = std::string(ARCWISE_TESTDATA) + "/samples/cassandra/";
  const std::vector<std::string> paths{folder + "nodetool-ring-vnodes.txt",
                                       folder + "nodetool-status-effective.txt"};
  const auto cluster = load(paths, {});
  ASSERT_TRUE(cluster) << to_string(cluster.error());
  EXPECT_EQ(cluster->map.nodes().size(), 6U);
  const std::vector<std::string> alone{paths[1]};
  EXPECT_EQ(load(alone, {}).error().where.file, paths[1]);
  const std::vector<std::string> missing{folder + "no-such-file"};
  EXPECT_EQ(load(missing, {}).error().kind, ErrorKind::io);
}

TEST(parse, a_native_map_stands_alone) {
  EXPECT_EQ(imported({map_file()}).observed.format, "arcwise");
  EXPECT_THAT(refused({map_file(), map_file()}).advice, HasSubstr("stands alone"));
  EXPECT_THAT(refused({map_file(), sample("redis/cluster-nodes.txt")}).why, HasSubstr("cluster-nodes"));
}

TEST(parse, files_of_different_systems_do_not_mix) {
  const Error error =
      refused({sample("cassandra/nodetool-ring-vnodes.txt"), sample("redis/cluster-nodes.txt")});
  EXPECT_EQ(error.where.file, "redis/cluster-nodes.txt");
}

TEST(parse, the_replica_policy_of_a_native_map_can_be_overridden_and_is_checked_again) {
  EXPECT_EQ(imported({map_file()}, replicas(3)).map.replicas().count, 3U);
  EXPECT_EQ(imported({map_file()}, across(Across::rack)).map.replicas().across, Across::rack);
  EXPECT_THAT(refused({map_file()}, replicas(4)).why, HasSubstr("more replicas than nodes"));
  EXPECT_EQ(refused({map_file()}, replicas(4)).where.file, "map.yaml");
}

TEST(parse, an_override_replaces_counts_by_zone) {
  const Source source = map_file(
      "arcwise: 1\nplacement: {recipe: ring}\nreplicas: {per_zone: {eu: 2, us: 1}}\n"
      "nodes: [{name: a, zone: eu}, {name: b, zone: eu}, {name: c, zone: us}]\n");
  EXPECT_EQ(imported({source}).map.replicas().per_zone.size(), 2U);
  EXPECT_EQ(imported({source}, replicas(2)).map.replicas().count, 2U);
  EXPECT_TRUE(imported({source}, replicas(2)).map.replicas().per_zone.empty());
}

TEST(parse, a_named_format_is_taken_at_its_word) {
  EXPECT_THAT(refused({map_file()}, from("nodetool")).advice, HasSubstr("nodetool-ring, nodetool-status"));
  EXPECT_EQ(refused({map_file()}, from("cluster-nodes")).where.line, 1U);
  EXPECT_EQ(imported({map_file()}, from("arcwise")).map.nodes().size(), 3U);
}

TEST(parse, a_named_format_is_that_of_the_first_file) {
  const std::vector<Source> views{sample("cassandra/nodetool-ring-vnodes.txt"),
                                  sample("cassandra/nodetool-status-effective.txt")};
  const Cluster cluster = imported(views, from("nodetool-ring"));
  EXPECT_EQ(cluster.map.nodes().size(), 6U);
  EXPECT_TRUE(is_down(cluster, "192.0.2.14"));
  EXPECT_EQ(refused({views[0], {"x", "hello\n"}}, from("nodetool-ring")).where.file, "x");
}

TEST(parse, no_file_an_empty_file_and_an_unknown_one_are_refused) {
  EXPECT_THAT(parse({}, {}).error().why, HasSubstr("no file"));
  EXPECT_THAT(refused({{"x", " \n"}}).why, HasSubstr("empty"));
  EXPECT_THAT(refused({{"x", "hello\n"}}).advice, HasSubstr("--from"));
  EXPECT_THAT(refused({map_file()}, pool("a")).why, HasSubstr("pools"));
}

TEST(parse, two_describerings_are_of_two_keyspaces) {
  EXPECT_THAT(
      refused({sample("cassandra/nodetool-describering.txt"), sample("cassandra/nodetool-describering.txt")})
          .why,
      HasSubstr("second"));
}

TEST(parse, an_imported_map_written_and_read_back_is_the_same_map) {
  const Source pool{"pool.yml", file_bytes("fuzz/nutcracker/pool.yml")};
  const Source conf{"nodes.conf", file_bytes("fuzz/cluster_nodes/nodes.conf")};
  for (const Source& source :
       {sample("cassandra/nodetool-ring-vnodes.txt"), sample("cassandra/nodetool-describering.txt"),
        sample("redis/cluster-nodes-after-double-failure.txt"), pool, conf}) {
    const ClusterMap before = imported({source}).map;
    const auto after = parse_map({"written", write_map(before)});
    ASSERT_TRUE(after) << source.name << ": " << to_string(after.error());
    const Fingerprints a = fingerprints(compile(before)), b = fingerprints(compile(*after));
    EXPECT_EQ(a.fingerprint, b.fingerprint) << source.name;
    EXPECT_EQ(a.membership, b.membership) << source.name;
  }
}

}  // namespace
}  // namespace arcwise
