#include "format/haproxy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/import_testing.hpp"
#include "format/proxy_vectors_testing.hpp"

namespace arcwise {
namespace {

using namespace arcwise::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Source cfg(const std::string& lines) {
  return {"haproxy.cfg", "backend b\n  mode http\n" + lines};
}
Source consistent(const std::string& lines) {
  return cfg("  balance uri\n  hash-type consistent\n" + lines);
}

std::vector<std::pair<std::string, std::uint64_t>> numbers(const Cluster& cluster) {
  std::vector<std::pair<std::string, std::uint64_t>> out;
  for (const Node& node : cluster.map.nodes()) out.emplace_back(node.name, node.bucket.value());
  return out;
}
using Numbers = std::vector<std::pair<std::string, std::uint64_t>>;

TEST(haproxy_import, a_backend_of_a_whole_configuration_becomes_a_map) {
  const Cluster cluster = imported({sample("haproxy/haproxy.cfg")}, pool("cache"));
  EXPECT_EQ(cluster.map.cluster(), "cache");
  EXPECT_EQ(cluster.map.placement().recipe->name, "haproxy-consistent");
  EXPECT_EQ(cluster.map.placement().hash, KeyHashId::sdbm_avalanche);
  EXPECT_EQ(cluster.map.placement().text("balance"), "uri");
  EXPECT_EQ(numbers(cluster), (Numbers{{"c1", 1}, {"c2", 2}, {"c4", 4}}));
  EXPECT_EQ(node(cluster, "c1").weight, 10);
  EXPECT_EQ(node(cluster, "c2").weight, 20);
  EXPECT_EQ(node(cluster, "c4").address, "10.0.0.4:8080");
  EXPECT_EQ(findings(cluster, "left-out").size(), 2U);
}

TEST(haproxy_import, what_a_section_says_overrides_its_defaults) {
  const Cluster cluster = imported({sample("haproxy/haproxy.cfg")}, pool("users"));
  EXPECT_EQ(cluster.map.placement().recipe->name, "haproxy-map-based");
  EXPECT_EQ(cluster.map.placement().hash, KeyHashId::djb2_avalanche);
  EXPECT_EQ(node(cluster, "u2").weight, 1);
  EXPECT_EQ(node(cluster, "u2").address, "[2001:db8::2]:8080");
  EXPECT_EQ(node(cluster, "u3").address, "/run/u3.sock");
}

TEST(haproxy_import, defaults_are_those_named_or_the_last_ones_before) {
  const std::string text =
      "defaults one\n balance source\n default-server weight 3\n"
      "defaults two from one\n hash-type consistent crc32\n"
      "defaults three\n balance roundrobin\n"
      "backend a from two\n server s 10.0.0.1:80\n"
      "backend b\n server s 10.0.0.1:80\n";
  const Cluster cluster = imported({{"haproxy.cfg", text}}, pool("a"));
  EXPECT_EQ(cluster.map.placement().hash, KeyHashId::crc32);
  EXPECT_EQ(cluster.map.placement().text("balance"), "source");
  EXPECT_EQ(node(cluster, "s").weight, 3);
  EXPECT_EQ(refused({{"haproxy.cfg", text}}, pool("b")).what, "roundrobin");
}

TEST(haproxy_import, numbers_go_on_at_every_line_and_stay_when_a_server_is_left_out) {
  const Cluster cluster =
      imported({consistent("  server a 10.0.0.1:80 disabled\n  server b 10.0.0.2:80 id 1\n"
                           "  server-template t 2 10.0.0.3:80\n  server c 10.0.0.4:80\n")});
  EXPECT_EQ(numbers(cluster), (Numbers{{"b", 1}, {"t1", 4}, {"t2", 5}, {"c", 6}}));
}

TEST(haproxy_import, without_an_active_server_the_first_backup_serves_or_all_of_them) {
  const std::string servers =
      "  server a 10.0.0.1:80 disabled\n  server b 10.0.0.2:80 backup\n  server c 10.0.0.3:80 backup\n";
  EXPECT_EQ(numbers(imported({consistent(servers)})), (Numbers{{"b", 2}}));
  EXPECT_EQ(numbers(imported({consistent("  option allbackups\n" + servers)})),
            (Numbers{{"b", 2}, {"c", 3}}));
  EXPECT_THAT(refused({consistent("  server a 10.0.0.1:80 weight 0\n")}).why, HasSubstr("no server"));
}

TEST(haproxy_import, naming_the_default_function_drops_its_avalanche) {
  const auto hash = [](const std::string& words) {
    return imported({cfg("  balance uri\n  hash-type " + words + "\n  server a 10.0.0.1:80\n")})
        .map.placement()
        .hash;
  };
  EXPECT_EQ(hash("consistent"), KeyHashId::sdbm_avalanche);
  EXPECT_EQ(hash("consistent sdbm"), KeyHashId::sdbm);
  EXPECT_EQ(hash("map-based"), KeyHashId::sdbm);
  EXPECT_EQ(hash("consistent none avalanche"), KeyHashId::decimal32_avalanche);
}

TEST(haproxy_import, an_options_value_is_no_option) {
  const Cluster cluster =
      imported({consistent("  server a 10.0.0.1:80 cookie backup sni str(disabled) weight 4\n")});
  EXPECT_EQ(node(cluster, "a").weight, 4);
}

TEST(haproxy_import, mode_tcp_hashes_no_part_of_a_request) {
  EXPECT_THAT(refused({{"haproxy.cfg", "backend b\n mode tcp\n balance uri\n server a 10.0.0.1:80\n"}}).why,
              HasSubstr("mode tcp"));
  const Cluster unsaid = imported({{"haproxy.cfg", "backend b\n balance uri\n server a 10.0.0.1:80\n"}});
  EXPECT_EQ(findings(unsaid, "no-mode").size(), 1U);
  EXPECT_TRUE(
      parse(std::vector{Source{"h", "backend b\n mode tcp\n balance source\n server a 10.0.0.1:80\n"}}, {}));
}

TEST(haproxy_import, what_may_send_keys_elsewhere_is_told) {
  const std::string server = "  server a 10.0.0.1:80\n";
  EXPECT_EQ(findings(imported({consistent("  cookie S insert\n" + server)}), "sticky").size(), 1U);
  EXPECT_EQ(findings(imported({consistent("  hash-balance-factor 150\n" + server)}), "bounded-load").size(),
            1U);
  EXPECT_TRUE(findings(imported({consistent("  hash-balance-factor 0\n" + server)}), "bounded-load").empty());
  EXPECT_EQ(findings(imported({consistent(server)}), "depends-on-version").size(), 1U);
}

TEST(haproxy_import, keys_of_an_expression_are_texts_or_addresses_that_are_known_to_be) {
  const auto balance = [](const std::string& words) {
    return std::string(
        imported({cfg("  balance " + words + "\n  server a 10.0.0.1:80\n")}).map.placement().text("balance"));
  };
  EXPECT_EQ(balance("hash req.hdr(x,1),lower"), "value");
  EXPECT_EQ(balance("hash src,ipmask(24,64)"), "hash-src");
  EXPECT_EQ(balance("uri whole"), "value");
  EXPECT_EQ(balance("url_param user check_post"), "value");
  EXPECT_EQ(refused({cfg("  balance hash src_port\n  server a 10.0.0.1:80\n")}).what, "src_port");
  EXPECT_EQ(refused({cfg("  balance hash path,crc32\n  server a 10.0.0.1:80\n")}).what, "path,crc32");
  EXPECT_EQ(refused({cfg("  balance uri whole len 9\n  server a 10.0.0.1:80\n")}).what, "uri");
}

TEST(haproxy_import, an_address_that_is_hashed_must_be_one) {
  const std::string key = "  default-server hash-key addr-port\n";
  EXPECT_EQ(imported({consistent(key + "  server a 10.0.0.1:80\n")}).map.placement().text("hash_key"),
            "addr-port");
  EXPECT_EQ(refused({consistent(key + "  server a name:80\n")}).what, "name");
  EXPECT_EQ(refused({consistent(key + "  server a 10.0.0.1\n")}).what, "a");
  EXPECT_EQ(refused({consistent("  server a 10.0.0.1:80\n  server b 10.0.0.2:80 hash-key addr\n")}).what,
            "b");
}

TEST(haproxy_import, what_only_the_running_program_knows_is_refused) {
  EXPECT_THAT(refused({consistent("  server a \"${ADDR}:80\"\n")}).why, HasSubstr("environment"));
  EXPECT_EQ(imported({consistent("  server a '$x':80\n")}).map.nodes()[0].address, "$x:80");
  EXPECT_THAT(refused({{"h", ".if defined(A)\nbackend b\n balance uri\n.endif\n"}}).why,
              HasSubstr("conditional"));
}

TEST(haproxy_import, is_recognised_by_its_hash_or_its_sections) {
  EXPECT_EQ(recognise("backend x\n  balance roundrobin\n"), "haproxy");
  EXPECT_EQ(recognise("backend x\n  server a 10.0.0.1:80\n"), "haproxy");
  EXPECT_NE(recognise("cache:\n  listen: 127.0.0.1:1\n"), "haproxy");
  EXPECT_NE(recognise("server {\n  listen 80;\n}\n"), "haproxy");
}

class haproxy_vectors : public ::testing::TestWithParam<std::string> {};

// The file's section, written as HAProxy was given it.
TEST_P(haproxy_vectors, the_imported_configuration_answers_as_haproxy_did) {
  const Json file = vector_json(GetParam());
  const Json& config = file["config"];
  std::string text =
      "listen case\n  mode http\n  bind 127.0.0.1:8000\n  " + config["balance"].get<std::string>() + "\n";
  if (config["hash-type"] != "(absent)") text += "  " + config["hash-type"].get<std::string>() + "\n";
  text += "  " + config["extra"].get<std::string>() + "\n";
  for (const Json& s : file["servers"])
    text += "  server " + s["name"].get<std::string>() + " " + s["address"].get<std::string>() + " weight " +
            s["weight"].dump() + " " + s["params"].get<std::string>() + "\n";
  const bool is_30 = GetParam().starts_with("haproxy-3.0");
  const Cluster cluster = imported({{"haproxy.cfg", text}}, from(is_30 ? "haproxy-3.0" : ""));
  expect_answers(cluster, file["keys"], {});
}

INSTANTIATE_TEST_SUITE_P(all, haproxy_vectors, ::testing::ValuesIn(vector_names("haproxy-")), test_name);

}  // namespace
}  // namespace arcwise
