#include "format/unsupported.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "format/columns.hpp"

namespace arcwise {
namespace {

constexpr std::size_t looked_at = 65536;

constexpr std::string_view
    nodetool = "bring the output of `nodetool ring KEYSPACE`",
    cluster_nodes = "bring the output of `redis-cli -h HOST -p PORT CLUSTER NODES`",
    crush = "bring the CRUSH map itself: `ceph osd getcrushmap -o F`, then `crushtool -d F`",
    riak = "write its partitions as a map of the recipe ranges",
    swift = "bring the ring itself, such as object.ring.gz, and swift.conf";

struct Row {
  std::array<std::string_view, 6> signs;  ///< any of these within the text
  Unsupported is;
};

constexpr Row table[] = {
    {{"Gossip active "}, {"the output of `nodetool info`", nodetool}},
    {{"| data_center "}, {"rows of system.peers, without the node that was asked", nodetool}},
    {{">>> Performing ", ">>> Adding node ", " slots | ", "Check slots coverage"},
     {"the output of `redis-cli --cluster`", cluster_nodes}},
    {{"cluster_slots_assigned:"}, {"the output of CLUSTER INFO", cluster_nodes}},
    {{"CLASS  WEIGHT", " TYPE NAME"}, {"a tree of Ceph's CRUSH map", crush}},
    {{"\"choose_local_tries\"", "\"name\": \"osd.", "\"type_id\""}, {"a dump of Ceph's CRUSH map", crush}},
    {{"CRUSH rule ", "bad mapping rule ", ", numrep = ", " mismatched mappings"},
     {"the output of Ceph's crushtool", crush}},
    {{"= Staged Changes ="}, {"the output of `riak admin cluster plan`", riak}},
    {{"= Membership =", "= Claimant =", "= Ownership Handoff =", "= Unreachable Nodes ="},
     {"the output of `riak admin`", riak}},
    {{".builder, build version ", "Dispersion is ", " weight got id ", "Partition   Matches",
      "replication ip"},
     {"the output of swift-ring-builder", swift}},
    {{"next_part_power"}, {"a builder file of Swift, a pickle, which runs code when it is read", swift}},
};

constexpr Unsupported gzip{"a gzip file, and not a ring of Swift", "unpack it"};

}  // namespace

const Unsupported* unsupported(std::string_view text) {
  text = text.substr(0, looked_at);
  if (text.starts_with("\x1f\x8b")) return &gzip;
  for (const Row& row : table)
    if (std::any_of(row.signs.begin(), row.signs.end(), [&](std::string_view sign) {
          return !sign.empty() && text.find(sign) != std::string_view::npos;
        }))
      return &row.is;
  return nullptr;
}

}  // namespace arcwise
