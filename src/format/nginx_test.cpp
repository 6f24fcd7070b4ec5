#include "format/nginx.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/import_testing.hpp"
#include "format/nginx_text.hpp"
#include "format/proxy_vectors_testing.hpp"

namespace arcwise {
namespace {

using namespace arcwise::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Source conf(const std::string& inside) {
  return {"nginx.conf", "upstream u {\n" + inside + "\n}\n"};
}

std::vector<std::string> names(const Cluster& cluster) {
  std::vector<std::string> out;
  for (const Node& node : cluster.map.nodes()) out.push_back(node.name);
  return out;
}

TEST(nginx_import, an_upstream_of_a_whole_configuration_becomes_a_map) {
  const Cluster cluster = imported({sample("nginx/nginx.conf")}, pool("cache"));
  EXPECT_EQ(cluster.observed.format, "nginx");
  EXPECT_EQ(cluster.map.cluster(), "cache");
  EXPECT_EQ(cluster.map.placement().recipe->name, "nginx-consistent");
  EXPECT_EQ(node(cluster, "10.0.0.1:8080").weight, 2);
  EXPECT_EQ(node(cluster, "cache-4.example.com").address, "cache-4.example.com:80");
  EXPECT_EQ(node(cluster, "cache-4.example.com").label, "cache-4.example.com");
  EXPECT_EQ(node(cluster, "[2001:db8::5]:8080").host, "2001:db8::5");
  EXPECT_EQ(node(cluster, "unix:/run/cache.sock").address, "/run/cache.sock");
  EXPECT_TRUE(is_down(cluster, "10.0.0.3:8080"));
  EXPECT_FALSE(is_down(cluster, "10.0.0.2:8080"));
  EXPECT_THAT(findings(cluster, "what-keys-are").at(0).message, HasSubstr("$scheme$proxy_host$request_uri"));
}

TEST(nginx_import, without_consistent_the_sum_of_weights_is_the_table) {
  const Cluster cluster = imported({sample("nginx/nginx.conf")}, pool("sessions"));
  EXPECT_EQ(cluster.map.placement().recipe->name, "nginx-hash");
  EXPECT_TRUE(cluster.map.space().last == 4U);  // weights 1 + 3 + 1
}

TEST(nginx_import, an_upstream_that_does_not_hash_is_refused_by_its_method) {
  const Error error = refused({sample("nginx/nginx.conf")}, pool("app"));
  EXPECT_EQ(error.what, "least_conn");
  EXPECT_EQ(error.where.line, 36U);
  EXPECT_THAT(refused({conf("server a;")}).why, HasSubstr("does not hash"));
}

TEST(nginx_import, backups_before_the_hash_are_left_out_and_behind_it_refused) {
  const Cluster cluster = imported({conf("server a:1 backup; server b:1; hash $uri consistent;")});
  EXPECT_THAT(names(cluster), ElementsAre("b:1"));
  EXPECT_EQ(findings(cluster, "left-out").at(0).subject, "a:1");
  EXPECT_EQ(refused({conf("hash $uri; server a:1 backup; server b:1;")}).what, "backup");
}

TEST(nginx_import, two_lines_of_one_text_hash_it_both_times) {
  const Cluster cluster = imported({conf("hash $uri consistent; server a:1; server a:1 weight=2;")});
  EXPECT_THAT(names(cluster), ElementsAre("a:1", "a:1#2"));
  EXPECT_EQ(node(cluster, "a:1#2").label, "a:1");
  EXPECT_EQ(findings(cluster, "same-name").size(), 1U);
}

TEST(nginx_import, a_name_that_may_be_several_servers_is_told_where_it_changes_the_table) {
  EXPECT_EQ(
      findings(imported({conf("hash $uri; server localhost:1; server 10.0.0.1;")}), "resolved-name").size(),
      1U);
  EXPECT_TRUE(
      findings(imported({conf("hash $uri consistent; server localhost:1;")}), "resolved-name").empty());
}

TEST(nginx_import, quotes_comments_and_blocks_are_nginxs) {
  const Cluster cluster =
      imported({conf("hash \"a;{${uri}#\\\"b\" consistent; # server x;\n"
                     "server 'a:1' weight=2\n  max_fails=3 ; server b\\:1; keepalive 2;")});
  EXPECT_THAT(names(cluster), ElementsAre("a:1", "b\\:1"));
  EXPECT_THAT(findings(cluster, "what-keys-are").at(0).message, HasSubstr("a;{${uri}#\"b"));
}

TEST(nginx_import, lua_blocks_are_skipped_with_the_braces_inside_them) {
  const Cluster cluster = imported({{"nginx.conf",
                                     "http { init_by_lua_block {\n local t = { a = \"}\" } -- fine\n }\n"
                                     "upstream u { hash $uri; server 10.0.0.1; } }"}});
  EXPECT_THAT(names(cluster), ElementsAre("10.0.0.1"));
}

TEST(nginx_import, what_stands_in_other_files_is_asked_for) {
  EXPECT_THAT(
      refused({{"nginx.conf", "http { include sites/*; upstream a { hash $uri; server b; } }"}}, pool("u"))
          .advice,
      HasSubstr("nginx -T"));
  EXPECT_EQ(refused({conf("hash $uri; include servers.conf;")}).what, "servers.conf");
  EXPECT_TRUE(parse(std::vector{Source{"nginx.conf", "include x; upstream a { hash $uri; server b; }"}},
                    from("nginx")));
}

TEST(nginx_import, is_recognised_by_an_upstream) {
  EXPECT_EQ(recognise("upstream a{\n server b; }"), "nginx");
  EXPECT_EQ(recognise("# configuration file /etc/nginx/nginx.conf:\nhttp {\n upstream a\n {\n"), "nginx");
  EXPECT_EQ(recognise("upstream a { hash $uri; server b:80; }"), "nginx");
  EXPECT_NE(recognise("upstream:\n  listen: 127.0.0.1:1\n"), "nginx");
}

class nginx_vectors : public ::testing::TestWithParam<std::string> {};

// The file's servers, written as nginx was given them.
TEST_P(nginx_vectors, the_imported_configuration_answers_as_nginx_did) {
  const Json file = vector_json(GetParam());
  std::string text = "http {\n  upstream u {\n    " + file["config"]["directive"].get<std::string>() + "\n";
  std::map<std::string, std::string> owner_of;
  for (const Json& s : file["servers"]) {
    const std::string server = s["server"];
    const unsigned weight = s["weight"];
    text += "    server " + server + (weight > 1 ? " weight=" + std::to_string(weight) : "") + " " +
            s["params"].get<std::string>() + ";\n";
    std::string owner = server.starts_with("localhost:") ? "127.0.0.1" + server.substr(9) : server;
    owner.erase(std::remove_if(owner.begin(), owner.end(), [](char c) { return c == '[' || c == ']'; }),
                owner.end());
    owner_of[server] = owner;
  }
  const Cluster cluster = imported({{"nginx.conf", text + "  }\n}\n"}});
  expect_answers(cluster, file["keys"], owner_of);
}

INSTANTIATE_TEST_SUITE_P(all, nginx_vectors, ::testing::ValuesIn(vector_names("nginx-")), test_name);

}  // namespace
}  // namespace arcwise
