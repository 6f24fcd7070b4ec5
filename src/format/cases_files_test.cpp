// Cases of the field, by their id: files that say less, or something else, than their author believes.
#include "format/cases_testing.hpp"

namespace arcwise {
namespace {

using namespace arcwise::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refusal(const std::string& name, const std::string& text) {
  return to_string(refused({{name, text}}));
}

std::string pool_of(const std::string& server) {
  return nutcracker_yml("md5", "ketama", {server});
}

TEST(Cases, w_06_a_weight_beyond_32_bits_is_refused_not_wrapped_to_1) {
  const std::string error =
      refusal("nutcracker.yml",
              nutcracker_yml("md5", "ketama", {"127.0.1.11:11211:4294967297", "127.0.1.12:11211:1"}));
  EXPECT_THAT(error, HasSubstr("nutcracker.yml:6:"));
  EXPECT_THAT(error, HasSubstr("weight"));
  EXPECT_THAT(error, HasSubstr("4294967297"));
}

TEST(Cases, dup_05_a_server_listed_twice_is_an_error_that_names_it) {
  const std::string error = refusal(
      "nutcracker.yml",
      nutcracker_yml("md5", "ketama", {"192.0.2.3:11211:1", "192.0.2.4:11211:1", "192.0.2.4:11211:1"}));
  EXPECT_THAT(error, HasSubstr("nutcracker.yml:8:"));
  EXPECT_THAT(error, HasSubstr("192.0.2.4:11211"));
}

TEST(Cases, cfg_01_keys_without_a_pool_name_are_told_so) {
  const std::string error = refusal("nutcracker.yml",
                                    "  listen: 127.0.0.1:22123\n  hash: fnv1a_64\n  servers:\n- "
                                    "127.0.0.1:11212:1\n");
  EXPECT_THAT(error, HasSubstr("nutcracker.yml:"));
  EXPECT_THAT(error, HasSubstr("indent"));
}

TEST(Cases, cfg_02_an_ipv6_server_without_quotes_is_told_to_have_some) {
  const std::string error = refusal("nutcracker.yml", pool_of("[::1]:11211:1"));
  EXPECT_THAT(error, HasSubstr("quote"));
  EXPECT_THAT(error, HasSubstr("\"[::1]:11211:1\""));
}

TEST(Cases, cfg_04_five_wrong_servers_have_five_errors_with_their_place) {
  const std::vector<std::pair<const char*, const char*>> wrong{{"192.0.2.1:11211:0", "weight"},
                                                               {"192.0.2.1:11211", "weight"},
                                                               {"192.0.2.1:99999:1", "port"},
                                                               {"192.0.2.1:11211:-1", "weight"},
                                                               {"192.0.2.1:11211:1  two words", "name"}};
  std::set<std::string> different;
  for (const auto& [server, about] : wrong) {
    const std::string error = refusal("nutcracker.yml", pool_of(server));
    EXPECT_THAT(error, HasSubstr("nutcracker.yml:6:")) << error;
    EXPECT_THAT(error, HasSubstr(about)) << error;
    different.insert(error);
  }
  EXPECT_EQ(different.size(), wrong.size());
}

TEST(Cases, nodes_01_migrating_and_importing_slots_stand_beside_the_owned_ones) {
  const std::string a(40, 'a'), b(40, 'b'), c(40, 'c');
  const Cluster cluster = imported(
      {{"nodes.txt",
        a + " 192.0.2.1:7000@17000 myself,master - 0 1700000000000 3 connected 0-5460 5462 [5461->-" + b +
            "] [93-<-" + c + "]\n" + b +
            " 192.0.2.2:7000@17000 master - 0 1700000000000 2 connected 5461 5463-16383\n" + c +
            " 192.0.2.3:7000@17000 master - 0 1700000000000 1 connected\n"}});
  const Placement placement = compile(cluster.map);
  EXPECT_THAT(owners_at(placement, {5460}), ElementsAre(a));
  EXPECT_THAT(owners_at(placement, {5461}), ElementsAre(b));
  EXPECT_THAT(owners_at(placement, {5462}), ElementsAre(a));
  std::string said;
  for (const Finding& f : cluster.observed.findings) said += f.subject + ": " + f.message + "\n";
  EXPECT_THAT(said, HasSubstr("5461"));
  EXPECT_THAT(said, HasSubstr("93"));
}

TEST(Cases, nodes_02_the_last_colons_of_an_ipv6_node_are_its_ports) {
  const std::string a(40, 'a');
  const Cluster cluster = imported(
      {{"nodes.txt", a + " 2001:db8:0:1::10:1:6379@16379,cache-1.example.test master - 0 0 1 connected "
                         "0-16383\n"}});
  EXPECT_EQ(cluster.map.nodes()[0].host, "2001:db8:0:1::10:1");
}

TEST(Cases, nodes_05_a_glued_line_is_told_where_the_newline_is_missing) {
  const std::string a(40, 'a'), b = "3c36" + std::string(36, 'b');
  const std::string error =
      refusal("nodes.txt", a + " 192.0.2.1:7000@17000 master - 0 0 1 connected 0-8191 " + b +
                               " 192.0.2.2:7000@17000 master - 0 0 2 connected 8192-16383\n");
  EXPECT_THAT(error, HasSubstr("nodes.txt:1:"));
  EXPECT_THAT(error, HasSubstr("3c36"));
  EXPECT_THAT(error, ::testing::Not(HasSubstr("out of range")));
}

// SLOT-01 … SLOT-15, and two keys of one user.
TEST(Cases, slot_01_to_15_redis_hashes_the_first_tag_that_is_not_empty) {
  const std::string a(40, 'a');
  const Placement placement =
      compile(imported({{"nodes.txt", a + " 192.0.2.1:7000@17000 master - 0 0 1 connected 0-16383\n"}}).map);
  const std::vector<std::pair<std::string, std::uint64_t>> slots{
      {"foo", 12182},          {"foo{{bar}}zap", 4015},      {"foo{}{bar}", 8363},
      {"{test", 10879},        {"abc{}xyz", 7765},           {"", 0},
      {"{}a}", 4370},          {"a{'1':{'i32':1}}", 5540},   {"123456789", 12739},
      {"h\xc3\xa9llo", 11061}, {"user:{123}:profile", 5970}, {"user:{123}:account", 5970}};
  for (const auto& [key, slot] : slots) EXPECT_EQ(placement.hash(key).value % 16384, slot) << key;
}

}  // namespace
}  // namespace arcwise
