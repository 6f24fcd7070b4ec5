#include "format/libmemcached_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/import_testing.hpp"

namespace arcwise {
namespace {

using namespace arcwise::testing;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string servers = "--SERVER=10.0.0.1/?3 --SERVER=10.0.0.2:11212";

Cluster options(const std::string& text) {
  return imported({{"options.txt", text + "\n"}});
}
Cluster php(const std::string& text) {
  return imported({{"client.php", text}}, from("php-memcached"));
}

TEST(libmemcached_client, the_order_of_options_and_servers_decides_the_ring) {
  EXPECT_EQ(options("--DISTRIBUTION=CONSISTENT " + servers).map.placement().recipe->name,
            "libmemcached-ketama-weighted");
  EXPECT_EQ(options(servers + " --DISTRIBUTION=CONSISTENT").map.placement().recipe->name,
            "libmemcached-consistent");
}

TEST(libmemcached_client, each_trap_of_the_order_is_a_finding) {
  EXPECT_EQ(findings(options("--DISTRIBUTION=CONSISTENT " + servers), "weight-changes-ring").size(), 1U);
  EXPECT_EQ(findings(options(servers + " --DISTRIBUTION=CONSISTENT"), "weights-ignored").size(), 1U);
  EXPECT_EQ(findings(options(servers), "weights-ignored").size(), 1U);
  const Cluster late = options("--DISTRIBUTION=CONSISTENT --SERVER=10.0.0.1 --SERVER=10.0.0.2 --HASH=MD5");
  ASSERT_EQ(findings(late, "hash-after-servers").size(), 1U);
  EXPECT_THAT(findings(late, "hash-after-servers")[0].message, HasSubstr("built with DEFAULT"));
  EXPECT_EQ(late.map.placement().text("point_hash"), "one_at_a_time");
  EXPECT_EQ(findings(options(servers + " --DISTRIBUTION=CONSISTENT,MD5"), "points-hash-ignored").size(), 1U);
  EXPECT_EQ(findings(options(servers + " --NAMESPACE=\"a:\""), "prefix-not-hashed").size(), 1U);
  EXPECT_EQ(findings(options(servers + " --REMOVE-FAILED-SERVERS=1"), "auto-eject").size(), 1U);
}

TEST(libmemcached_client, options_in_their_right_order_have_no_finding) {
  EXPECT_THAT(
      options("--HASH=MD5 --DISTRIBUTION=CONSISTENT --SERVER=10.0.0.1 --SERVER=10.0.0.2").observed.findings,
      IsEmpty());
  EXPECT_THAT(php("$m->setOption(Memcached::OPT_LIBKETAMA_COMPATIBLE, true);\n"
                  "$m->addServers([['10.0.0.1', 11211, 3], ['10.0.0.2', 11211, 1]]);")
                  .observed.findings,
              IsEmpty());
}

TEST(libmemcached_client, a_server_added_twice_keeps_its_text_under_a_second_name) {
  const Cluster cluster = options("--SERVER=10.0.0.1 --SERVER=10.0.0.1:11211");
  EXPECT_EQ(cluster.map.nodes()[1].name, "10.0.0.1:11211#2");
  EXPECT_EQ(cluster.map.nodes()[1].label, cluster.map.nodes()[0].label);
  EXPECT_EQ(findings(cluster, "duplicate-server").size(), 1U);
}

// Asked of php-memcached 3.2.0: both calls name one socket, and hash it differently.
TEST(libmemcached_client, a_socket_s_port_is_hashed_as_php_passes_it) {
  const std::string other = "$m->addServer('10.0.0.1', 11211);", socket = "'/tmp/a.sock', 0";
  EXPECT_EQ(php(other + "$m->addServer(" + socket + ");").map.nodes()[1].label, "/tmp/a.sock");
  EXPECT_EQ(php(other + "$m->addServers([[" + socket + "]]);").map.nodes()[1].label, "/tmp/a.sock:0");
}

TEST(libmemcached_client, php_s_old_arrays_names_and_bare_lists_are_read) {
  const Cluster a = php(
                    "$c = new \\Memcached('p');\n$c->setOptions(array(\\Memcached::OPT_HASH => 1,));\n"
                    "$c->resetServerList();$c->addServers(array(array(\"10.0.0.1\", \"11211\"),)); # end"),
                b = php("Memcached::OPT_HASH => Memcached::HASH_MD5,\n$c->ADDSERVER('10.0.0.1', 11211)");
  EXPECT_EQ(a.map.placement().hash, KeyHashId::md5_ketama);
  EXPECT_EQ(b.map.placement().hash, KeyHashId::md5_ketama);
  EXPECT_EQ(a.map.nodes()[0].name, b.map.nodes()[0].name);
}

TEST(libmemcached_client, switching_libketama_off_restores_php_s_defaults) {
  const Cluster cluster =
      php("$m->setOption(Memcached::OPT_LIBKETAMA_COMPATIBLE, true);"
          "$m->setOption(Memcached::OPT_LIBKETAMA_COMPATIBLE, false);"
          "$m->addServer('10.0.0.1', 11211);");
  EXPECT_EQ(cluster.map.placement().recipe->name, "libmemcached-modula");
  EXPECT_EQ(cluster.map.placement().hash, KeyHashId::one_at_a_time);
}

}  // namespace
}  // namespace arcwise
