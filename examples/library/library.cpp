// Arcwise as a library: a map, the owners of keys, a node that is down, a change, and a bound on loads.
#include <arcwise/bounded.hpp>
#include <arcwise/format.hpp>
#include <arcwise/placement.hpp>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace arcwise;

constexpr const char* carts = R"(arcwise: 1
placement: {recipe: ring, tokens: 256}
replicas: {count: 2, across: rack}
nodes:
  - {name: cache-a, rack: r1}
  - {name: cache-b, rack: r1}
  - {name: cache-c, rack: r2, weight: 2}
)";

const std::string& name_of(const Placement& placement, NodeIndex node) {
  return placement.map().nodes()[node].name;
}

// load() reads files, of other systems too; parse_map() reads text. Errors are values.
Placement from_text() {
  const Result<ClusterMap> map = parse_map({"carts.yaml", carts});
  if (!map) {
    std::cerr << to_string(map.error()) << "\n";
    std::exit(static_cast<int>(map.error().kind));
  }
  return compile(*map);
}

// The same without a file: every map goes through build(), which checks it.
Result<ClusterMap> in_code() {
  ClusterMap::Parts parts;
  parts.placement.recipe = find_recipe("rendezvous");
  parts.placement.hash = parts.placement.recipe->hash;
  for (const char* name : {"shard-1", "shard-2", "shard-3"}) {
    Node node;
    node.name = name;
    parts.nodes.push_back(node);
  }
  return ClusterMap::build(parts);
}

void look_up(const Placement& placement) {
  std::cout << "user:1 is on " << name_of(placement, placement.owner("user:1")) << "\n";

  const std::array<std::string_view, 3> keys{"user:1", "user:2", "user:3"};
  std::array<std::uint64_t, 3> positions{};
  std::array<NodeIndex, 3> nodes{};
  placement.hash(keys, positions);
  placement.primary(positions, nodes);
  std::cout << "three at once:";
  for (const NodeIndex node : nodes) std::cout << " " << name_of(placement, node);
  std::cout << "\n";
}

void look_up_copies(const Placement& placement, const NodeMask& mask) {
  const std::string_view key = "user:1";
  std::vector<NodeIndex> owners(placement.max_owners());
  owners.resize(placement.owners({key, placement.hash(key), mask}, owners));
  std::cout << "copies of " << key << ":";
  for (const NodeIndex node : owners) std::cout << " " << name_of(placement, node);
  std::cout << "\n";
}

// What a join moves; compile() with the placement before it costs a tenth of compiling anew.
Result<Placement> grow(const Placement& before) {
  ClusterMap::Parts parts = before.map().parts();
  Node node;
  node.name = "cache-d";
  node.rack = "r2";
  parts.nodes.push_back(node);
  const Result<ClusterMap> map = ClusterMap::build(parts);
  if (!map) return map.error();
  const Placement after = compile(*map, before);
  int moved = 0, elsewhere = 0;
  for (int i = 0; i < 10000; ++i) {
    const std::string key = "user:" + std::to_string(i);
    const std::string &was = name_of(before, before.owner(key)), &is = name_of(after, after.owner(key));
    moved += was != is;
    elsewhere += was != is && is != "cache-d";
  }
  std::cout << "cache-d takes " << moved << " of 10000 keys; " << elsewhere << " move between the others\n";
  return after;
}

// Twelve requests for one key, none of which ends: no node takes more than 1.25 times its part.
void spread_hot_key(const Placement& placement) {
  const Bounded bounded(placement, {BoundRule::arcwise, 125, {}});
  std::vector<std::uint64_t> loads(placement.map().nodes().size());
  const std::string_view key = "user:1";
  for (int request = 0; request < 12; ++request) {
    const NodeIndex node = bounded.pick({key, placement.hash(key), {}}, loads);
    if (node != no_node) ++loads[node];
  }
  std::cout << "in progress:";
  for (NodeIndex n = 0; n < loads.size(); ++n) std::cout << " " << name_of(placement, n) << " " << loads[n];
  std::cout << "\n";
}

}  // namespace

int main() {
  const Placement placement = from_text();
  look_up(placement);

  look_up_copies(placement, {});
  NodeSet down(placement.map().nodes().size());
  down.insert(*placement.map().find("cache-c"));
  look_up_copies(placement, NodeMask(down));

  if (!grow(placement)) return 1;
  spread_hot_key(placement);

  const Result<ClusterMap> shards = in_code();
  if (!shards) return 1;
  const Placement other = compile(*shards);
  std::cout << "order:7 is on " << name_of(other, other.owner("order:7")) << "\n";
}
