#include "format/envoy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/import_testing.hpp"
#include "format/proxy_vectors_testing.hpp"

namespace arcwise {
namespace {

using namespace arcwise::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string host(const std::string& address, const std::string& more = "") {
  return "        - endpoint: {address: {socket_address: {address: \"" + address + "\", port_value: 80}}}\n" +
         more;
}

Source cluster(const std::string& policy, const std::string& hosts) {
  return {"envoy.yaml",
          "name: c\n" + policy + "load_assignment:\n  endpoints:\n    - lb_endpoints:\n" + hosts};
}

std::vector<std::string> labels(const Cluster& cluster) {
  std::vector<std::string> out;
  for (const Node& node : cluster.map.nodes()) out.push_back(node.label);
  return out;
}

TEST(envoy_import, a_cluster_of_a_bootstrap_file_becomes_a_map) {
  const Cluster carts = imported({sample("envoy/bootstrap.yaml")}, pool("carts"));
  EXPECT_EQ(carts.observed.format, "envoy");
  EXPECT_EQ(carts.map.placement().recipe->name, "envoy-ring-hash");
  EXPECT_EQ(carts.map.placement().text("minimum_ring_size"), "2048");
  EXPECT_EQ(carts.map.placement().text("hash_function"), "MURMUR_HASH_2");
  EXPECT_THAT(labels(carts), ElementsAre("10.0.0.1:8080", "cart-2", "[2001:db8::3]:8080"));
  EXPECT_EQ(node(carts, "10.0.0.1:8080").weight, 3);
  EXPECT_EQ(node(carts, "10.0.0.1:8080").zone, "eu/eu-1");
  EXPECT_EQ(findings(carts, "bounded-load").size(), 1U);
  EXPECT_THAT(findings(carts, "left-out").at(0).message, HasSubstr("later priorities"));
}

TEST(envoy_import, the_newer_form_of_a_policy_says_the_same_and_more) {
  const Cluster search = imported({sample("envoy/bootstrap.yaml")}, pool("search"));
  EXPECT_EQ(search.map.placement().recipe->name, "envoy-maglev");
  EXPECT_EQ(search.map.placement().text("table_size"), "1009");
  EXPECT_EQ(search.map.placement().text("locality_weights"), "eu=1, us=2");
  EXPECT_THAT(labels(search), ElementsAre("s3", "s1.example.com", "s2.example.com"));
}

TEST(envoy_import, camel_case_and_numbers_in_quotes_are_read_too) {
  const Cluster carts = imported({sample("envoy/cluster.json")});
  EXPECT_EQ(carts.map.placement().recipe->name, "envoy-maglev");
  EXPECT_EQ(node(carts, "10.0.0.1:8080").weight, 2);
  EXPECT_THAT(labels(carts), ElementsAre("10.0.0.1:8080", "/run/carts.sock", "10.0.0.4:8080"));
  EXPECT_EQ(findings(carts, "left-out").at(0).subject, "10.0.0.2:8080");
}

TEST(envoy_import, a_host_out_of_health_is_left_out_while_enough_are_left) {
  const std::string sick = "          health_status: UNHEALTHY\n";
  const std::string three = host("10.0.0.1", sick) + host("10.0.0.2") + host("10.0.0.3");
  EXPECT_THAT(refused({cluster("lb_policy: MAGLEV\n", three)}).why, HasSubstr("out of health"));
  EXPECT_EQ(imported({cluster("lb_policy: MAGLEV\n", three + host("10.0.0.4"))}).map.nodes().size(), 3U);
}

TEST(envoy_import, what_is_not_in_the_file_is_named) {
  EXPECT_EQ(refused({sample("envoy/bootstrap.yaml")}, pool("logs")).what, "EDS");
  EXPECT_EQ(refused({sample("envoy/bootstrap.yaml")}, pool("web")).what, "ROUND_ROBIN");
  EXPECT_THAT(refused({sample("envoy/bootstrap.yaml")}).advice, HasSubstr("carts, search, logs, web"));
  EXPECT_THAT(refused({cluster("type: STRICT_DNS\nlb_policy: MAGLEV\n", host("name"))}).why,
              HasSubstr("DNS"));
  EXPECT_TRUE(parse(std::vector{cluster("type: STRICT_DNS\nlb_policy: MAGLEV\n", host("10.0.0.1"))}, {}));
}

TEST(envoy_import, subsets_and_impossible_sizes_are_refused) {
  EXPECT_EQ(refused({cluster("lb_policy: MAGLEV\nlb_subset_config: {subset_selectors: [{keys: [a]}]}\n",
                             host("10.0.0.1"))})
                .what,
            "subset_selectors");
  EXPECT_THAT(
      refused({cluster("lb_policy: MAGLEV\nmaglev_lb_config: {table_size: 100}\n", host("10.0.0.1"))}).why,
      HasSubstr("prime"));
  EXPECT_THAT(refused({cluster("lb_policy: RING_HASH\nring_hash_lb_config: {maximum_ring_size: 9}\n",
                               host("10.0.0.1"))})
                  .why,
              HasSubstr("minimum"));
}

TEST(envoy_import, is_recognised_by_its_policy_or_its_resources) {
  EXPECT_EQ(recognise(file_bytes("samples/envoy/cluster.json")), "envoy");
  EXPECT_EQ(recognise(file_bytes("samples/envoy/bootstrap.yaml")), "envoy");
  EXPECT_EQ(recognise("{\"static_resources\": {\"clusters\": []}}"), "envoy");
}

class envoy_vectors : public ::testing::TestWithParam<std::string> {};

TEST_P(envoy_vectors, the_imported_cluster_answers_as_derived) {
  const Json file = vector_json(GetParam());
  const Json& config = file["config"];
  const bool maglev = config["policy"] == "maglev";
  Json policy = Json::object(), endpoints = Json::array();
  for (const auto& [name, value] : config.items())
    if (name != "policy") policy[name] = value;
  for (const Json& s : file["servers"]) {
    const std::string text = s.is_string() ? s.get<std::string>() : s[0].get<std::string>();
    const std::size_t colon = text.rfind(':');
    const std::size_t bracket = text.starts_with('[') ? 1 : 0;
    endpoints.push_back({{"endpoint",
                          {{"address",
                            {{"socket_address",
                              {{"address", text.substr(bracket, colon - 2 * bracket)},
                               {"port_value", std::stoi(text.substr(colon + 1))}}}}}}},
                         {"load_balancing_weight", s.is_string() ? Json(1) : s[1]}});
  }
  const Json whole = {{"name", "c"},
                      {"lb_policy", maglev ? "MAGLEV" : "RING_HASH"},
                      {maglev ? "maglev_lb_config" : "ring_hash_lb_config", policy},
                      {"load_assignment", {{"endpoints", Json::array({{{"lb_endpoints", endpoints}}})}}}};
  expect_answers(imported({{"envoy.json", whole.dump(1)}}), file["keys"], {});
}

INSTANTIATE_TEST_SUITE_P(all, envoy_vectors, ::testing::ValuesIn(vector_names("envoy-")), test_name);

}  // namespace
}  // namespace arcwise
