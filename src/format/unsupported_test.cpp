#include "format/unsupported.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/import_testing.hpp"

namespace arcwise {
namespace {

using namespace arcwise::testing;
using ::testing::HasSubstr;

struct Case {
  std::string file;
  std::string_view what, bring;
};

TEST(unsupported, a_known_system_s_other_outputs_say_what_to_bring) {
  const std::vector<Case> cases{{"nodetool-info.txt", "nodetool info", "nodetool ring"},
                                {"cqlsh-system-peers.txt", "system.peers", "nodetool ring"},
                                {"cli-check-ok.txt", "redis-cli --cluster", "CLUSTER NODES"},
                                {"cli-create-ansi.txt", "redis-cli --cluster", "CLUSTER NODES"},
                                {"cli-info.txt", "redis-cli --cluster", "CLUSTER NODES"},
                                {"cli-rebalance-none-needed.txt", "redis-cli --cluster", "CLUSTER NODES"},
                                {"cli-reshard.txt", "redis-cli --cluster", "CLUSTER NODES"},
                                {"cluster-info.txt", "CLUSTER INFO", "CLUSTER NODES"},
                                {"crush-tree.txt", "tree of Ceph", "crushtool -d"},
                                {"crush-dump.json", "dump of Ceph", "crushtool -d"},
                                {"crush-mappings.txt", "crushtool", "crushtool -d"},
                                {"member-status-stable.txt", "riak admin", "ranges"},
                                {"ownership.txt", "riak admin", "ranges"},
                                {"plan-2-nodes.txt", "cluster plan", "ranges"},
                                {"show-after.txt", "swift-ring-builder", "ring.gz"},
                                {"dispersion-small.txt", "swift-ring-builder", "ring.gz"},
                                {"add.txt", "swift-ring-builder", "ring.gz"},
                                {"small.builder", "builder file of Swift", "ring.gz"}};
  for (const Case& c : cases) {
    const Source source = sample("unsupported/" + c.file);
    EXPECT_EQ(recognise(source.bytes), "") << c.file;
    const Error error = refused({source});
    EXPECT_EQ(error.kind, ErrorKind::input);
    EXPECT_THAT(error.why, HasSubstr(std::string(c.what))) << c.file;
    EXPECT_THAT(error.advice, HasSubstr(std::string(c.bring))) << c.file;
  }
}

TEST(unsupported, what_is_read_or_wholly_unknown_is_not_named) {
  for (const char* file : {"cassandra/nodetool-ring-vnodes.txt", "cassandra/nodetool-status-effective.txt",
                           "cassandra/nodetool-describering.txt", "redis/cluster-nodes.txt",
                           "redis/cluster-nodes-migrating-src.txt"})
    EXPECT_EQ(unsupported(sample(file).bytes), nullptr) << file;
  for (const char* text : {"", "hello\n", "[[", "[[0,", "1 2 3 4 5", "arcwise: 1\n"})
    EXPECT_EQ(unsupported(text), nullptr) << text;
}

}  // namespace
}  // namespace arcwise
