// What is exported reads back as the same function; what a system cannot reproduce is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <sstream>

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
  const auto map = [](const std::string& more, const std::string& state) {
    return parsed("arcwise: 1\nplacement: {recipe: twemproxy-ketama}\n" + more +
                  "nodes: [{name: \"a:1\"}, {name: \"b:1\"}, {name: \"c:1\", state: " + state + "}]\n");
  };
  EXPECT_EQ(not_exported(map("replicas: {count: 2}\n", "normal"), "nutcracker").what, "2 across node");
  EXPECT_EQ(not_exported(map("", "joining"), "nutcracker").what, "c:1");
  EXPECT_TRUE(export_map(map("", "leaving"), "nutcracker"));
  EXPECT_EQ(
      not_exported(parsed("arcwise: 1\nplacement: {recipe: ring}\nnodes: [{name: a}]\n"), "nutcracker").what,
      "ring");
}

RC_GTEST_PROP(exporters, an_nginx_upstream_reads_back_as_the_same_function, ()) {
  std::vector<Node> nodes = some_nodes(4);
  if (*rc::gen::arbitrary<bool>()) {
    nodes[0].name = "unix:/run/a b.sock";
    nodes[0].address = "/run/a b.sock";
  }
  const ClusterMap map = map_of(*rc::gen::element("nginx-hash", "nginx-consistent"), nodes);
  expect_same_owners(map, imported({{"nginx.conf", exported(map, "nginx")}}, from("nginx")).map);
}

RC_GTEST_PROP(exporters, an_haproxy_backend_reads_back_as_the_same_function, ()) {
  std::vector<Node> nodes = some_nodes(20);
  std::uint64_t number = 1;
  const bool numbered = *rc::gen::arbitrary<bool>();
  for (Node& node : nodes) {
    node.name = "web" + node.name.substr(7, 2);
    if (numbered) node.bucket = number += static_cast<std::uint64_t>(*rc::gen::inRange(1, 50));
  }
  nodes[0].weight = nodes.size() > 1 ? 0 : 1;
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].name += "-" + std::to_string(i);
  const std::string recipe =
      *rc::gen::element<std::string>("haproxy-map-based", "haproxy-consistent", "haproxy-consistent-3.0");
  const ClusterMap map = map_of(recipe, nodes, [&](PlacementSettings& placement) {
    placement.hash =
        placement.recipe->hashes[*rc::gen::inRange<std::size_t>(0, placement.recipe->hashes.size())];
    placement.settings["balance"] = *rc::gen::element<std::string>("uri", "source", "hash-src");
    if (placement.settings["balance"] == "uri") placement.settings["uri_depth"] = "2";
    if (recipe != "haproxy-map-based")
      placement.settings["hash_key"] = *rc::gen::element<std::string>("id", "id32", "addr", "addr-port");
  });
  const std::string format = recipe.ends_with("3.0") ? "haproxy-3.0" : "haproxy";
  expect_same_owners(map, imported({{"haproxy.cfg", exported(map, "haproxy")}}, from(format)).map);
}

RC_GTEST_PROP(exporters, an_envoy_cluster_reads_back_as_the_same_function, ()) {
  std::vector<Node> nodes = some_nodes(9);
  const bool zones = *rc::gen::arbitrary<bool>();
  for (Node& node : nodes) {
    if (*rc::gen::arbitrary<bool>()) node.label = "key \"" + node.name + "\"";
    if (zones) node.zone = *rc::gen::element<std::string>("eu", "us");
  }
  if (zones) nodes.front().zone = "eu";
  if (zones && nodes.size() > 1) nodes.back().zone = "us";
  const bool maglev = *rc::gen::arbitrary<bool>();
  const ClusterMap map =
      map_of(maglev ? "envoy-maglev" : "envoy-ring-hash", nodes, [&](PlacementSettings& placement) {
        if (maglev) placement.settings["table_size"] = "1009";
        if (!maglev) placement.settings["minimum_ring_size"] = std::to_string(*rc::gen::inRange(1, 3000));
        if (!maglev && *rc::gen::arbitrary<bool>()) placement.settings["hash_function"] = "MURMUR_HASH_2";
        if (zones) placement.settings["locality_weights"] = nodes.size() > 1 ? "eu=2, us=3" : "eu=2";
      });
  expect_same_owners(map, imported({{"envoy.yaml", exported(map, "envoy")}}).map);
}

TEST(exporters, nginx_cannot_hash_one_text_and_connect_to_another) {
  const auto map = [](const std::string& recipe) {
    return parsed("arcwise: 1\nplacement: {recipe: " + recipe +
                  "}\nnodes: [{name: a, address: \"10.0.0.1:80\"}]\n");
  };
  EXPECT_THAT(not_exported(map("nginx-consistent"), "nginx").why, HasSubstr("cannot hash 'a'"));
  EXPECT_THAT(exported(map("nginx-hash"), "nginx"), HasSubstr("server 10.0.0.1:80;"));
}

TEST(exporters, a_name_that_haproxy_refuses_is_refused) {
  EXPECT_EQ(not_exported(parsed("arcwise: 1\nplacement: {recipe: haproxy-map-based}\n"
                                "nodes: [{name: a/b, address: \"10.0.0.1:80\"}]\n"),
                         "haproxy")
                .what,
            "a/b");
}

TEST(exporters, cassandras_tokens_are_those_of_each_node) {
  const ClusterMap map = parsed(
      "arcwise: 1\nplacement: {recipe: cassandra-murmur3}\nreplicas: {count: 2}\nnodes:\n"
      "  - {name: a, tokens: [\"8000000000000000\", \"1\"]}\n  - {name: b, tokens: "
      "[\"ffffffffffffffff\"]}\n");
  const std::string text = exported(map, "cassandra-yaml");
  EXPECT_THAT(text, HasSubstr("initial_token: -9223372036854775808,1\n"));
  for (const Node& node : map.nodes()) {
    std::string list;
    for (const Token token : node.tokens) list += (list.empty() ? "" : ",") + to_text(map.space(), token);
    const std::string lines =
        "num_tokens: " + std::to_string(node.tokens.size()) + "\ninitial_token: " + list + "\n";
    const std::size_t at = text.find("# node " + node.name);
    ASSERT_NE(at, std::string::npos);
    EXPECT_LT(text.find(lines, at) - at, 300U) << node.name;
  }
}

TEST(exporters, every_slot_is_given_to_its_master_once) {
  const ClusterMap map = imported({sample("redis/cluster-nodes-after-reshard.txt")}).map;
  std::istringstream lines(exported(map, "redis-addslotsrange"));
  const Placement placement = compile(map);
  std::size_t slots = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string program, h, host, p, port, cluster, verb;
    words >> program >> h >> host >> p >> port >> cluster >> verb;
    EXPECT_EQ(program + h + p + cluster + verb, "redis-cli-h-pCLUSTERADDSLOTSRANGE");
    for (std::uint64_t from = 0, upto = 0; words >> from >> upto;)
      for (; from <= upto; ++from, ++slots)
        EXPECT_EQ(map.nodes()[placement.primary({from})].address, host + ":" + port);
  }
  EXPECT_EQ(slots, 16384U);
}

TEST(exporters, arcwises_own_format_takes_every_map) {
  const ClusterMap map = imported({sample("redis/cluster-nodes.txt")}).map;
  EXPECT_EQ(exported(parsed(exported(map, "arcwise")), "arcwise"), write_map(map));
  EXPECT_THAT(not_exported(map, "nonsense").advice, HasSubstr("nutcracker"));
}

}  // namespace
}  // namespace arcwise
