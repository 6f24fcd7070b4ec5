#include "format/nutcracker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "format/import_testing.hpp"

namespace arcwise {
namespace {

using namespace arcwise::testing;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string pool_text(const std::string& name, const std::vector<std::string>& servers,
                      const std::string& settings = "  hash: md5\n  distribution: ketama\n") {
  std::string text = name + ":\n  listen: 127.0.0.1:22121\n" + settings + "  servers:\n";
  for (const std::string& server : servers) text += "   - " + server + "\n";
  return text;
}
Source yml(const std::string& text) {
  return {"nutcracker.yml", text};
}
Source servers(const std::vector<std::string>& lines) {
  return yml(pool_text("cache", lines));
}

TEST(nutcracker, a_pool_becomes_a_ketama_map) {
  const Cluster cluster = imported(
      {servers({"10.0.0.1:11211:1", "10.0.0.2:11300:3", "10.0.0.3:11211:2 shard-3", "/run/mc.sock:1"})});
  EXPECT_EQ(cluster.observed.format, "nutcracker");
  EXPECT_EQ(cluster.map.cluster(), "cache");
  EXPECT_EQ(cluster.map.placement().recipe->name, "twemproxy-ketama");
  EXPECT_EQ(cluster.map.replicas().count, 1U);
  EXPECT_EQ(node(cluster, "10.0.0.1:11211").label, "10.0.0.1");
  EXPECT_EQ(node(cluster, "10.0.0.2:11300").label, "10.0.0.2:11300");
  EXPECT_EQ(node(cluster, "10.0.0.2:11300").weight, 3);
  EXPECT_EQ(node(cluster, "shard-3").label, "shard-3");
  EXPECT_EQ(node(cluster, "shard-3").address, "10.0.0.3:11211");
  EXPECT_EQ(node(cluster, "/run/mc.sock").label, "/run/mc.sock:");
}

TEST(nutcracker, nodes_stand_in_the_order_of_the_hashed_text_shorter_first) {
  const Cluster cluster =
      imported({servers({"127.0.1.9:11212:1", "127.0.1.11:11211:1", "127.0.1.8:11211:1"})});
  std::vector<std::string> labels;
  for (const Node& node : cluster.map.nodes()) labels.push_back(node.label);
  EXPECT_THAT(labels, ElementsAre("127.0.1.8", "127.0.1.11", "127.0.1.9:11212"));
}

TEST(nutcracker, ipv6_is_read_from_the_right_and_may_be_bracketed_in_quotes) {
  const Cluster cluster = imported({servers({"::1:24001:1", "\"[2001:db8::2]:11211:1\""})});
  EXPECT_EQ(node(cluster, "::1:24001").label, "::1:24001");
  EXPECT_EQ(node(cluster, "::1:24001").host, "::1");
  EXPECT_EQ(node(cluster, "::1:24001").address, "[::1]:24001");
  EXPECT_EQ(node(cluster, "[2001:db8::2]:11211").label, "[2001:db8::2]");
}

TEST(nutcracker, one_of_several_pools_is_chosen_by_name) {
  const Source two = yml(pool_text("a", {"h1:1:1"}) + pool_text("b", {"h2:1:1"}));
  EXPECT_THAT(refused({two}).advice, HasSubstr("--pool: a, b"));
  EXPECT_EQ(imported({two}, pool("b")).map.cluster(), "b");
  EXPECT_THAT(refused({two}, pool("c")).advice, HasSubstr("a, b"));
}

TEST(nutcracker, every_setting_of_twemproxy_is_known_and_another_is_not) {
  const std::string all =
      "  hash: md5\n  hash_tag: \"{}\"\n  distribution: ketama\n  timeout: 400\n  backlog: 1024\n  "
      "client_connections: 9\n  redis: true\n"
      "  tcpkeepalive: true\n  redis_auth: secret\n  redis_db: 0\n  preconnect: false\n  auto_eject_hosts: "
      "false\n  server_connections: 1\n"
      "  server_retry_timeout: 2000\n  server_failure_limit: 1\n  reuseport: true\n";
  EXPECT_EQ(imported({yml(pool_text("cache", {"h1:1:1"}, all))}).map.placement().hash_tag, "{}");
  const Error error = refused({yml(pool_text("cache", {"h1:1:1"}, all + "  server_retry_timout: 1\n"))});
  EXPECT_EQ(error.where.line, 19U);
  EXPECT_THAT(error.advice, HasSubstr("server_retry_timeout"));
}

TEST(nutcracker, every_hash_and_distribution_is_read_and_fnv1a_64_with_ketama_is_the_default) {
  const std::vector<std::string> two{"h1:1:1", "h2:1:1"};
  const auto placement = [&](const std::string& lines) {
    return imported({yml(pool_text("cache", two, lines))}).map.placement();
  };
  EXPECT_EQ(placement("").hash, KeyHashId::fnv1a_64_low32);
  EXPECT_EQ(placement("").recipe->name, "twemproxy-ketama");
  EXPECT_EQ(placement("  hash: crc32a\n  distribution: modula\n").hash, KeyHashId::crc32);
  EXPECT_EQ(placement("  hash: crc32a\n  distribution: modula\n").recipe->name, "twemproxy-modula");
  const Error random = refused({yml(pool_text("cache", two, "  hash: md5\n  distribution: random\n"))});
  EXPECT_EQ(random.where.line, 4U);
  EXPECT_THAT(random.why, HasSubstr("no key has an owner"));
  EXPECT_THAT(refused({yml(pool_text("cache", two, "  hash: md6\n"))}).why, HasSubstr("no such hash"));
}

TEST(nutcracker, a_pool_of_one_server_never_hashes) {
  const Cluster cluster =
      imported({yml(pool_text("cache", {"h1:1:1"}, "  hash: fnv1a_64\n  distribution: modula\n"))});
  EXPECT_THAT(owners_of(compile(cluster.map), "any"), ElementsAre("h1:1"));
}

TEST(nutcracker, ejection_of_failed_servers_is_a_finding) {
  const Cluster cluster =
      imported({yml(pool_text("cache", {"h1:1:1", "h2:1:1"}, "  hash: md5\n  auto_eject_hosts: true\n"))});
  EXPECT_EQ(findings(cluster, "auto-eject").size(), 1U);
}

// CFG-01
TEST(nutcracker, settings_without_a_pool_and_a_list_to_the_left_are_named) {
  const Error error =
      refused({yml("  listen: 127.0.0.1:22123\n  hash: fnv1a_64\n  servers:\n- 127.0.0.1:11212:1\n")});
  EXPECT_EQ(error.where.line, 1U);
  EXPECT_EQ(error.why, "keys are not under a pool name");
  EXPECT_THAT(error.advice,
              AllOf(HasSubstr("cache:"), HasSubstr("line 4: the list must be indented under `servers`")));
  EXPECT_EQ(refused({yml("listen: 127.0.0.1:22123\nservers:\n - 127.0.0.1:11212:1\n")}).why,
            "keys are not under a pool name");
  const Error list = refused({yml("cache:\n  listen: 127.0.0.1:22123\n  servers:\n- 127.0.0.1:11212:1\n")});
  EXPECT_EQ(list.where.line, 4U);
}

// CFG-02
TEST(nutcracker, unquoted_brackets_are_explained) {
  const Error error = refused({servers({"[::1]:11211:1"})});
  EXPECT_EQ(error.where.line, 6U);
  EXPECT_THAT(error.why, HasSubstr("IPv6 address needs quotes"));
  EXPECT_THAT(error.advice, HasSubstr("\"[::1]:11211:1\""));
}

// CFG-04, W-06, DUP-05
TEST(nutcracker, a_bad_server_line_is_named_with_the_bad_part_of_it) {
  const std::vector<std::tuple<std::string, std::string, std::string, std::uint32_t>> bad{
      {"192.0.2.1:11211:0", "zero weight", "0", 22},
      {"192.0.2.1:11211", "missing weight", "192.0.2.1:11211", 6},
      {"192.0.2.1:99999:1", "port out of range", "99999", 16},
      {"192.0.2.1:11211:-1", "negative weight", "-1", 22},
      {"192.0.2.1:11211:1  two words", "a name with a blank in it", "two words", 25},
      {"127.0.1.11:11211:4294967297", "weight out of range", "4294967297", 23},
      {"192.0.2.1:11211:heavy", "a weight that is not a whole number", "heavy", 22},
      {"192.0.2.1:11211:1.5", "a weight that is not a whole number", "1.5", 22},
      {"192.0.2.1:mc:1", "a port that is not a whole number", "mc", 16},
      {"192.0.2.1:0:1", "port out of range", "0", 16},
      {"192.0.2.1:11211:", "missing weight", "192.0.2.1:11211:", 0},
      {"192.0.2.1", "missing weight", "192.0.2.1", 6},
      {"/run/mc.sock", "missing weight", "/run/mc.sock", 6},
      {"192.0.2.3:11211:1", "duplicate server: hashed as '192.0.2.3', like the one on line 6",
       "192.0.2.3:11211:1", 6}};
  for (const auto& [line, why, what, column] : bad) {
    const Error error = refused({servers({"192.0.2.3:11211:1", "'" + line + "'"})});
    EXPECT_EQ(error.where.line, 7U) << line;
    if (column) {
      EXPECT_EQ(error.where.column, column + (what == line && why.starts_with("duplicate") ? 0U : 1U))
          << line;
    }
    EXPECT_EQ(error.what, what) << line;
    EXPECT_THAT(error.why, HasSubstr(why)) << line;
  }
}

// The owner of every key as the running program answered it.
void expect_owners_of(const std::string& vector) {
  const auto json = nlohmann::json::parse(file_bytes("vectors/" + vector));
  std::vector<std::string> lines;
  for (const auto& server : json["servers"]) lines.push_back(server["conf"]);
  const Cluster cluster = imported({servers(lines)});
  const Placement placement = compile(cluster.map);
  std::map<std::string, std::string> endpoint;  // of a name; the vectors resolve localhost
  for (const auto& server : json["servers"]) {
    const std::string conf = server["conf"];
    const std::string name =
        server["name"].is_null() ? conf.substr(0, conf.rfind(':')) : server["name"].get<std::string>();
    endpoint[name] = server["endpoint"];
  }
  std::size_t wrong = 0;
  for (const auto& [key, owner] : json["keys"].items())
    wrong += endpoint.at(owners_of(placement, key).at(0)) != owner.get<std::string>();
  EXPECT_EQ(wrong, 0U) << vector << ": of " << json["keys"].size();
  EXPECT_GE(json["keys"].size(), 8U);
}

class vectors : public ::testing::TestWithParam<const char*> {};
TEST_P(vectors, owners_are_those_of_the_running_twemproxy) {
  expect_owners_of(GetParam());
}
INSTANTIATE_TEST_SUITE_P(
    nutcracker, vectors,
    ::testing::Values("twemproxy-ketama-md5-10eq.json", "twemproxy-ketama-md5-25eq.json",
                      "twemproxy-ketama-md5-3eq-11211.json", "twemproxy-ketama-md5-hostname.json",
                      "twemproxy-ketama-md5-ipv6.json", "twemproxy-ketama-md5-named.json",
                      "twemproxy-ketama-md5-order.json", "twemproxy-ketama-md5-single.json",
                      "twemproxy-ketama-md5-weighted.json", "twemproxy-tie-127.3.0.42-A.json",
                      "twemproxy-tie-127.3.0.42-B.json", "twemproxy-tie-127.3.2.68-A.json",
                      "twemproxy-tie-127.3.2.68-B.json", "twemproxy-tie-127.3.3.14-A.json",
                      "twemproxy-tie-127.3.3.14-B.json"));

}  // namespace
}  // namespace arcwise
