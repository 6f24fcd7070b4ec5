// Answers of the real programs, asked of imported maps: Redis Cluster's slots, Cassandra's replica sets.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "format/import_testing.hpp"

namespace arcwise {
namespace {

using namespace arcwise::testing;
using nlohmann::json;

json vector_file(const std::string& name) {
  return json::parse(file_bytes("vectors/" + name));
}

std::string from_hex_digits(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return bytes;
}

TEST(store_vectors, the_slot_of_a_key_is_what_cluster_keyslot_answers) {
  const Placement placement = compile(imported({sample("redis/cluster-nodes.txt")}).map);
  const json file = vector_file("redis-keyslot.json");
  EXPECT_EQ(file["vectors"].size(), 66U);
  for (const auto& item : file["vectors"]) {
    const std::string key = from_hex_digits(item["key_hex"]);
    EXPECT_EQ(static_cast<std::uint64_t>(placement.hash(key).value), item["slot"].get<std::uint64_t>())
        << item["key_text"];
  }
}

ClusterMap cassandra(const json& item, ReplicaPolicy policy) {
  ClusterMap::Parts parts;
  parts.placement.recipe = find_recipe("cassandra-murmur3");
  parts.placement.hash = parts.placement.recipe->hash;
  parts.placement.given = true;
  parts.replicas = std::move(policy);
  std::map<std::string, std::size_t> index;
  for (const auto& [name, place] : item["nodes"].items()) {
    Node node;
    node.name = name;
    node.zone = place["dc"];
    node.rack = place["rack"];
    index[name] = parts.nodes.size();
    parts.nodes.push_back(std::move(node));
  }
  for (const auto& entry : item["ring"])
    parts.nodes[index.at(entry[1])].tokens.push_back(
        *from_text(TokenSpace::signed_64(), entry[0].get<std::string>()));
  auto map = ClusterMap::build(std::move(parts));
  if (!map) throw std::runtime_error(to_string(map.error()));
  return *map;
}

TEST(store_vectors, owners_are_those_of_network_topology_strategy) {
  const auto file = vector_file("cassandra-replica-placement.json");
  for (const auto& item : file["cases"]) {
    ReplicaPolicy policy{0, Across::rack, WhenShort::repeat, {}};
    for (const auto& [zone, count] : item["rf"].items())
      if (count.get<std::uint32_t>()) policy.per_zone.push_back({zone, count});
    const Placement placement = compile(cassandra(item, policy));
    for (const auto& lookup : item["lookups"]) {
      const Token at = *from_text(TokenSpace::signed_64(), lookup["token"].get<std::string>());
      EXPECT_EQ(owners_at(placement, {at.value}), lookup["nts"].get<std::vector<std::string>>()) << lookup;
    }
  }
}

TEST(store_vectors, owners_are_those_of_simple_strategy) {
  const auto file = vector_file("cassandra-replica-placement.json");
  for (const auto& item : file["cases"]) {
    const Placement placement = compile(cassandra(item, {3, Across::node, WhenShort::repeat, {}}));
    for (const auto& lookup : item["lookups"]) {
      const Token at = *from_text(TokenSpace::signed_64(), lookup["token"].get<std::string>());
      EXPECT_EQ(owners_at(placement, {at.value}), lookup["simple_rf3"].get<std::vector<std::string>>())
          << lookup;
    }
  }
}

}  // namespace
}  // namespace arcwise
