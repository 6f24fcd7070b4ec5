// What is exported reads back as the same function; what a system cannot reproduce is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "arcwise/check.hpp"
#include "format/exporter.hpp"
#include "format/import_testing.hpp"

namespace arcwise {
namespace {

using namespace arcwise::testing;
using ::testing::HasSubstr;

ClusterMap parsed(const std::string& text) {
  return imported({{"map.yaml", text}}).map;
}

std::string exported(const ClusterMap& map, std::string_view format) {
  const auto text = export_map(map, format);
  if (!text) throw std::runtime_error(to_string(text.error()));
  return *text;
}

Error not_exported(const ClusterMap& map, std::string_view format) {
  const auto text = export_map(map, format);
  if (text) throw std::runtime_error("exported " + *text);
  return text.error();
}

void expect_same_owners(const ClusterMap& a, const ClusterMap& b) {
  const Placement one = compile(a), other = compile(b);
  RC_ASSERT(fingerprints(one).fingerprint == fingerprints(other).fingerprint);
  for (int i = 0; i < 1000; ++i) {
    const std::string key = "key:" + std::to_string(i);
    RC_ASSERT(owners_of(one, key) == owners_of(other, key));
  }
}

ClusterMap map_of(std::string_view recipe, std::vector<Node> nodes,
                  const std::function<void(PlacementSettings&)>& set = {}) {
  ClusterMap::Parts parts;
  parts.cluster = "carts";
  parts.placement.recipe = find_recipe(recipe);
  parts.placement.hash = parts.placement.recipe->hash;
  parts.nodes = std::move(nodes);
  if (set) set(parts.placement);
  const auto map = ClusterMap::build(std::move(parts));
  if (!map) throw std::runtime_error(to_string(map.error()));
  return *map;
}

// 1 to 12 nodes with distinct addresses; weights up to `heaviest`.
std::vector<Node> some_nodes(int heaviest) {
  const auto hosts = *rc::gen::unique<std::vector<int>>(static_cast<std::size_t>(*rc::gen::inRange(1, 13)),
                                                        rc::gen::inRange(1, 255));
  std::vector<Node> nodes;
  for (const int host : hosts) {
    Node node;
    node.name = "10.0.0." + std::to_string(host) + ":" + (host % 3 ? "11211" : "11300");
    node.address = node.name;
    node.weight = *rc::gen::inRange(1, heaviest + 1);
    nodes.push_back(std::move(node));
  }
  return nodes;
}

RC_GTEST_PROP(exporters, a_nutcracker_pool_reads_back_as_the_same_function, ()) {
  std::vector<Node> nodes = some_nodes(5);
  for (Node& node : nodes)
    if (*rc::gen::arbitrary<bool>()) node.name = "shard-" + node.name.substr(7, 3);
  const bool modula = *rc::gen::arbitrary<bool>();
  const ClusterMap map = map_of(modula ? "twemproxy-modula" : "twemproxy-ketama", nodes, [](auto& placement) {
    const auto hashes = placement.recipe->hashes;
    if (!hashes.empty()) placement.hash = hashes[*rc::gen::inRange<std::size_t>(0, hashes.size())];
    placement.hash_tag = *rc::gen::element<std::string>("", "{}", "\"\\");
  });
  expect_same_owners(map,
                     imported({{"nutcracker.yml", exported(map, "nutcracker")}}, from("nutcracker")).map);
}

TEST(exporters, a_label_that_no_server_line_gives_is_refused) {
  const auto map = [](const std::string& node) {
    return parsed("arcwise: 1\nplacement: {recipe: twemproxy-ketama}\nnodes: [{" + node + "}]\n");
  };
  EXPECT_THAT(exported(map("name: x, address: \"10.0.0.1:11211\""), "nutcracker"),
              HasSubstr("- 10.0.0.1:11211:1 x\n"));
  EXPECT_THAT(exported(map("name: x, address: \"10.0.0.1:11211\", label: 10.0.0.1"), "nutcracker"),
              HasSubstr("- 10.0.0.1:11211:1\n"));
  EXPECT_THAT(exported(map("name: \"a b\", address: \"[::1]:9\", label: \"::1:9\""), "nutcracker"),
              HasSubstr("- ::1:9:1\n"));
  EXPECT_EQ(
      not_exported(map("name: x, address: \"10.0.0.1:11211\", label: \"two words\""), "nutcracker").what,
      "x");
  EXPECT_THAT(not_exported(map("name: x"), "nutcracker").why, HasSubstr("no address"));
}

TEST(exporters, what_a_proxy_has_no_notion_of_is_refused) {
  const auto map = [](const std::string& more) {
    return parsed("arcwise: 1\nplacement: {recipe: twemproxy-ketama}\n" + more +
                  "nodes: [{name: \"a:1\"}, {name: \"b:1\"}, {name: \"c:1\", state: joining}]\n");
  };
  EXPECT_EQ(not_exported(map("replicas: {count: 2}\n"), "nutcracker").what, "2 across node");
  EXPECT_EQ(not_exported(map(""), "nutcracker").what, "c:1");
  EXPECT_EQ(
      not_exported(parsed("arcwise: 1\nplacement: {recipe: ring}\nnodes: [{name: a}]\n"), "nutcracker").what,
      "ring");
}

TEST(exporters, arcwises_own_format_takes_every_map) {
  const ClusterMap map = imported({sample("redis/cluster-nodes.txt")}).map;
  EXPECT_EQ(exported(parsed(exported(map, "arcwise")), "arcwise"), write_map(map));
  EXPECT_THAT(not_exported(map, "nonsense").advice, HasSubstr("nutcracker"));
}

}  // namespace
}  // namespace arcwise
