#include "format/import_rules.hpp"

#include <array>

namespace arcwise {
namespace {

using enum Finding::Severity;

constexpr std::array rules{
    CheckRule{"views-differ", error,
              "two files of one cluster disagree on owners; a warning where they disagree on nodes"},
    CheckRule{"same-name", warning,
              "two servers of a proxy have one name, so that their keys are not told apart"},
    CheckRule{"left-out", info,
              "a server that is disabled, a backup, or of a later priority is not in the map"},
    CheckRule{"what-keys-are", info, "nginx, HAProxy: what of a request is hashed"},
    CheckRule{"bounded-load", warning,
              "HAProxy, Envoy: servers above a limit pass keys on, which a map does not say"},
    CheckRule{"auto-eject", warning,
              "twemproxy, libmemcached: failed servers leave the ring, and their keys come back with them"},

    CheckRule{"gone-node", error, "nodetool: ranges are held by a node that the other output does not list"},
    CheckRule{"duplicate-endpoint", error, "nodetool: a range names one endpoint twice"},
    CheckRule{"range-gap", error, "nodetool: no range covers some tokens"},
    CheckRule{"cluster-differs", error, "cassandra.yaml: the files name different clusters"},
    CheckRule{"partitioner-differs", error, "cassandra.yaml: another partitioner than that of the tokens"},
    CheckRule{"token-count-differs", warning, "cassandra.yaml: num_tokens is not what nodes have"},
    CheckRule{"tokens-differ", warning, "cassandra.yaml: initial_token is not what the node has"},
    CheckRule{"snitch-differs", warning, "cassandra.yaml: SimpleSnitch, and nodes in several racks"},
    CheckRule{"moving-node", warning, "nodetool: a node is moving to another token"},
    CheckRule{"status-unknown", warning, "nodetool: whether a node is up is not known"},
    CheckRule{"excluded-node", warning, "nodetool: a node is excluded, and taken as down"},
    CheckRule{"place-unknown", warning, "nodetool: data center and rack of an endpoint are not said"},
    CheckRule{"ownership-incomplete", warning,
              "nodetool: the printed ownership adds up to no whole number of copies"},
    CheckRule{"extra-endpoints", warning, "nodetool: some ranges have more endpoints than the others"},
    CheckRule{"no-replica", info, "nodetool: a node holds no range of the keyspace"},
    CheckRule{"replicas-derived", info, "nodetool, cassandra.yaml: where the replica count was taken from"},
    CheckRule{"replicas-per-zone", info, "nodetool: --replicas counts in each data center"},
    CheckRule{"replicas-unknown", info, "nodetool: the output does not tell the replica count"},
    CheckRule{"simple-strategy", info, "nodetool: the printed ownership ignores racks"},

    CheckRule{"half-open-slot", warning, "Redis: a slot is importing or migrating on one side only"},
    CheckRule{"open-slot", warning, "Redis: a slot is moving"},
    CheckRule{"node-suspected", warning, "Redis: the node that printed this cannot reach another"},
    CheckRule{"no-address", warning, "Redis: a node's address is not known"},
    CheckRule{"link-down", warning, "Redis: there is no link to a node"},
    CheckRule{"unknown-master", warning, "Redis: a replica's master is not listed"},
    CheckRule{"replica-of-replica", warning, "Redis: a replica's master is a replica"},
    CheckRule{"node-loading", info, "Redis: a node is loading its data"},
    CheckRule{"handshake", info, "Redis: a node is only being introduced"},
    CheckRule{"unknown-flag", info, "Redis: a flag of a node is not known"},

    CheckRule{"no-mode", warning, "HAProxy: no `mode http`, without which servers take turns"},
    CheckRule{"sticky", warning, "HAProxy: a stick rule may send clients elsewhere"},
    CheckRule{"depends-on-version", info, "HAProxy: some versions place these servers elsewhere"},
    CheckRule{"resolved-name", warning, "nginx: a name may stand for several servers"},
    CheckRule{"marked-down", info, "nginx: a server marked down keeps its place"},
    CheckRule{"below-other-routes", warning, "mcrouter: other routes decide which requests get to the pool"},
    CheckRule{"missing-weights", warning, "mcrouter: servers without a weight get 0.5"},

    CheckRule{"hash-after-servers", warning,
              "libmemcached, PHP: the hash was set when the ring had been built"},
    CheckRule{"weight-changes-ring", warning,
              "libmemcached, PHP: a weight above 1 turned the weighted ring on"},
    CheckRule{"points-hash-ignored", warning,
              "libmemcached, PHP: a hash for points is stored and never used"},
    CheckRule{"duplicate-server", warning, "libmemcached, PHP: a server is added twice"},
    CheckRule{"copies-left-out", info, "libmemcached, PHP: copies on further servers are not in the map"},
    CheckRule{"prefix-not-hashed", info, "libmemcached, PHP: keys are placed without their prefix"},

    CheckRule{"unassigned-partitions", error, "Swift: partitions have a copy without a device"},
    CheckRule{"copies-together", error, "Swift: partitions have two copies on one device"},
    CheckRule{"hash-path-unknown", warning,
              "Swift: swift.conf is missing, so that paths are hashed without its affixes"},
    CheckRule{"partitions-split", info, "Swift: the part power is being raised"},
    CheckRule{"pool-unknown", warning, "Ceph: a CRUSH map does not say the pool"},
};

}  // namespace

std::span<const CheckRule> import_rules() {
  return rules;
}

}  // namespace arcwise
