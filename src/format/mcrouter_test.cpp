#include "format/mcrouter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/import_testing.hpp"
#include "format/proxy_vectors_testing.hpp"

namespace arcwise {
namespace {

using namespace arcwise::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* three = "\"A\": {\"servers\": [\"a:1\", \"b:1\", \"c:1\"]}";

Source json(const std::string& pools, const std::string& route) {
  return {"mcrouter.json", "{\"pools\": {" + pools + "}, \"route\": " + route + "}"};
}

TEST(mcrouter_import, a_route_over_one_pool_is_found_without_a_name) {
  const Cluster cluster = imported({sample("mcrouter/one-pool.json")});
  EXPECT_EQ(cluster.observed.format, "mcrouter");
  EXPECT_EQ(cluster.map.cluster(), "A");
  EXPECT_EQ(cluster.map.placement().recipe->name, "mcrouter-ch3");
  EXPECT_EQ(cluster.map.nodes().size(), 3U);
}

TEST(mcrouter_import, weights_beside_the_servers_make_weighted_ch3_the_default) {
  const Cluster cluster = imported({sample("mcrouter/mcrouter.json")}, pool("carts"));
  EXPECT_EQ(cluster.map.placement().recipe->name, "mcrouter-weighted-ch3");
  EXPECT_EQ(node(cluster, "10.0.0.2:11211:ascii:plain").weight, 0.5);
  EXPECT_EQ(node(cluster, "10.0.0.2:11211:ascii:plain").address, "10.0.0.2:11211");
  EXPECT_EQ(node(cluster, "[2001:db8::3]:11211").weight, 0.5);
  EXPECT_EQ(findings(cluster, "missing-weights").size(), 1U);
  EXPECT_THAT(findings(cluster, "below-other-routes").at(0).message, HasSubstr("PrefixSelectorRoute"));
}

TEST(mcrouter_import, the_hash_of_the_route_goes_before_what_the_pool_says) {
  const Cluster crc = imported({sample("mcrouter/mcrouter.json")}, pool("sessions"));
  EXPECT_EQ(crc.map.placement().recipe->name, "mcrouter-crc32");
  EXPECT_EQ(crc.map.placement().text("salt"), "v2");
  const Cluster tags = imported({sample("mcrouter/mcrouter.json")}, pool("spare"));
  EXPECT_EQ(tags.map.placement().recipe->name, "mcrouter-rendezvous");
  EXPECT_EQ(node(tags, "10.0.2.2:11211").label, "two");
}

TEST(mcrouter_import, a_route_that_is_no_hash_over_one_pool_is_named) {
  const Error error = refused({sample("mcrouter/mcrouter.json")});
  EXPECT_EQ(error.what, "PrefixSelectorRoute");
  EXPECT_THAT(error.advice, HasSubstr("carts, all, sessions, spare"));
  EXPECT_EQ(refused({sample("mcrouter/mcrouter.json")}, pool("all")).what, "PrefixSelectorRoute");
  EXPECT_THAT(refused({json(three, "\"AllSyncRoute|Pool|A\"")}).what, HasSubstr("AllSyncRoute"));
  EXPECT_EQ(
      refused({json(three, "{\"type\": \"ModifyKeyRoute\", \"target\": \"PoolRoute|A\"}")}, pool("A")).what,
      "ModifyKeyRoute");
}

TEST(mcrouter_import, settings_of_a_pool_route_that_move_keys_are_refused) {
  EXPECT_EQ(refused({json(three, R"({"type": "PoolRoute", "pool": "A", "shard_splits": {"x": 2}})")}).what,
            "shard_splits");
  EXPECT_EQ(refused({json(three, R"({"type": "PoolRoute", "pool": "A", "hash": "LoadBalancer"})")}).what,
            "LoadBalancer");
  EXPECT_EQ(refused({json(three, R"({"type": "PoolRoute", "pool": "A", "hash": {"hash_fun": "Ch3"}})")}).what,
            "hash_fun");
}

TEST(mcrouter_import, one_pool_hashed_in_two_ways_is_refused) {
  const std::string routes =
      R"({"type": "OperationSelectorRoute", "default_policy": "PoolRoute|A",
          "operation_policies": {"get": {"type": "PoolRoute", "pool": "A", "hash": "Crc32"}}})";
  EXPECT_THAT(refused({json(three, routes)}, pool("A")).why, HasSubstr("another hash"));
}

TEST(mcrouter_import, named_handles_prefixed_routes_and_pools_inside_routes_are_followed) {
  const std::string text = R"({
    "named_handles": [{"type": "PoolRoute", "name": "mine", "pool": {"name": "A", "servers": ["a:1", "b:1"]},
                       "hash": {"salt": "s"}}],
    "pools": {},
    "routes": [{"aliases": ["/eu/a/", "/eu/b/"], "route": "mine"}, {"aliases": ["/us/a/"], "route": "mine"}]})";
  const Cluster cluster = imported({{"mcrouter.json", text}});
  EXPECT_EQ(cluster.map.placement().text("salt"), "s");
  EXPECT_EQ(cluster.map.nodes().size(), 2U);
}

TEST(mcrouter_import, a_named_route_that_contains_itself_ends) {
  const std::string text =
      R"({"named_handles": {"x": {"type": "LoggingRoute", "target": "x"}}, "pools": {}, "route": "x"})";
  EXPECT_THAT(refused({{"mcrouter.json", text}}).why, HasSubstr("too deep"));
}

TEST(mcrouter_import, what_stands_elsewhere_is_asked_for) {
  EXPECT_EQ(refused({json(three, "\"PoolRoute|B\"")}).what, "B");
  EXPECT_EQ(refused({json(R"("A": {"inherit": "file:/etc/pool"})", "\"PoolRoute|A\"")}).what, "inherit");
  EXPECT_EQ(refused({json(R"("A": {"servers": ["@import"]})", "\"PoolRoute|A\"")}).what, "@import");
}

TEST(mcrouter_import, comments_are_blanked_and_texts_kept) {
  EXPECT_EQ(without_comments("{// x\n\"a//b\": /* y\n */ \"\\\"/*\"}"),
            "{    \n\"a//b\":     \n    \"\\\"/*\"}");
  EXPECT_EQ(without_comments("/* open"), "       ");
}

// Its 8,388,608 servers are more than a file would list; src/place/vectors_proxies_test.cpp asks the hash
// itself.
constexpr const char* asked_elsewhere = "mcrouter-ch3-max-index";

std::vector<std::string> files_to_import() {
  std::vector<std::string> names = vector_names("mcrouter-");
  std::erase(names, asked_elsewhere);
  return names;
}

TEST(mcrouter_import, every_vector_file_but_one_is_imported) {
  EXPECT_EQ(files_to_import().size() + 1, vector_names("mcrouter-").size());
}

class mcrouter_vectors : public ::testing::TestWithParam<std::string> {};

// WeightedCh4 is among them as the library's weighted furc hash; owners are places in the list.
TEST_P(mcrouter_vectors, the_imported_configuration_answers_as_the_hash_functions_did) {
  const Json file = vector_json(GetParam());
  const Json& config = file["config"];
  const std::size_t n = config.value("n", config.value("weights", Json::array()).size());
  Json servers = Json::array(), hash = Json::object();
  std::map<std::string, std::string> owner_of;
  for (const Json& s : file["servers"]) servers.push_back(s);
  const bool by_index = servers.empty();
  for (std::size_t i = 0; by_index && i < n; ++i) {
    servers.push_back("server-" + std::to_string(i) + ":11211");
    owner_of[servers.back()] = std::to_string(i);
  }
  for (const char* name : {"weights", "tags"})
    if (config.contains(name)) hash[name] = config[name];
  hash["hash_func"] = config.value("hash_func", "WeightedCh4");
  const Json whole = {{"pools", {{"A", {{"servers", servers}}}}},
                      {"route", {{"type", "PoolRoute"}, {"pool", "A"}, {"hash", hash}}}};
  expect_answers(imported({{"mcrouter.json", whole.dump(1)}}), file["keys"], owner_of);
}

INSTANTIATE_TEST_SUITE_P(all, mcrouter_vectors, ::testing::ValuesIn(files_to_import()), test_name);

}  // namespace
}  // namespace arcwise
