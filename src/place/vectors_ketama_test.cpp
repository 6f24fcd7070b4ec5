// libketama, libmemcached, twemproxy and the clients, held against what the programs answered.
#include "place/vectors_testing.hpp"

namespace arcwise {
namespace {

using namespace testing;

const std::vector<std::string>& systems() {
  static const std::vector<std::string> names{"libketama",       "libmemcached", "php-memcached", "twemproxy",
                                              "spymemcached",    "xmemcached",   "uhashring",     "hashring",
                                              "node-memcached",  "go-ketama",    "gomemcache",    "dalli",
                                              "python-memcached"};
  return names;
}

const Configuration* configuration_of(const std::string& file) {
  static const std::vector<Configuration> table = read_table("ketama.table");
  for (const Configuration& c : table)
    if (fits(c.pattern, file)) return &c;
  return nullptr;
}

class vectors_ketama : public ::testing::TestWithParam<std::string> {};

TEST_P(vectors_ketama, every_key_has_the_owner_that_the_program_gave_it) {
  const Configuration* c = configuration_of(GetParam());
  ASSERT_NE(c, nullptr) << "no line of ketama.table says what this file is";
  const Json file = Json::parse(file_text(vectors_dir() + GetParam() + ".json"));
  const std::vector<Server> servers = servers_of(file);
  const Placement placement = compile(map_of(*c, servers));
  ASSERT_GT(expect_owners(placement, servers, file.at("keys")), 0u);
  if (file.contains("points")) expect_points(placement, servers, file["points"]);
  const Json key_hashes = file.value("key_hashes", Json::object());
  for (const auto& [key, hash] : key_hashes.items()) {
    EXPECT_TRUE(placement.hash(key).value == hash.get<std::uint64_t>()) << key;
  }
}

INSTANTIATE_TEST_SUITE_P(every, vectors_ketama, ::testing::ValuesIn(vector_files(systems())),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
                           return name;
                         });

// What docs/recipes/README.md says. --gtest_filter=vectors.count* prints it.
TEST(vectors, count_of_files_and_keys_is_what_the_documents_say) {
  expect_documented_counts(vector_files(systems()), configuration_of);
}

TEST(vectors, every_line_of_the_table_has_a_file) {
  for (const Configuration& c : read_table("ketama.table")) {
    const auto files = vector_files(systems());
    EXPECT_TRUE(std::any_of(files.begin(), files.end(), [&](const std::string& f) {
      return configuration_of(f)->pattern == c.pattern;
    })) << c.pattern;
  }
}

// assorted-configurations.json: many configurations of one list, described in words.
const std::map<std::string, std::string>& hashes_in_words() {
  static const std::map<std::string, std::string> names{{"one_at_a_time", "one_at_a_time"},
                                                        {"default hash", "one_at_a_time"},
                                                        {"md5", "md5_ketama"},
                                                        {"crc", "crc32_15bit"},
                                                        {"crc16", "crc16_32"},
                                                        {"crc32", "crc32_15bit"},
                                                        {"crc32a", "crc32"},
                                                        {"fnv1_32", "fnv1_32"},
                                                        {"fnv1a_32", "fnv1a_32"},
                                                        {"fnv1_64", "fnv1_64_low32"},
                                                        {"fnv1a_64", "fnv1a_64_low32"},
                                                        {"hsieh", "hsieh"},
                                                        {"murmur", "murmur2_seed_len"},
                                                        {"jenkins", "jenkins"}};
  return names;
}

std::string after(const std::string& text, const std::string& word) {
  const std::size_t at = text.find(word);
  if (at == std::string::npos) return "";
  const std::size_t from = at + word.size();
  std::string value = text.substr(from, text.find_first_of(",(", from) - from);
  while (!value.empty() && value.back() == ' ') value.pop_back();
  std::transform(value.begin(), value.end(), value.begin(), [](char c) { return std::tolower(c); });
  return value;
}

Configuration in_words(const std::string& software, const std::string& text) {
  Configuration c;
  std::string hash;
  if (software == "twemproxy") {
    c.recipe = "twemproxy-" + after(text, "distribution: ");
    hash = after(text, "hash: ");
    if (text.find("hash_tag \"{}\"") != std::string::npos) c.options["hash_tag"] = "{}";
  } else {
    hash = after(text, "hash ");
    const bool weighted = text.find("KETAMA_WEIGHTED") != std::string::npos;
    c.recipe = text.find("modula") != std::string::npos ? "libmemcached-modula"
               : weighted                               ? "libmemcached-ketama-weighted"
                                                        : "libmemcached-consistent";
    // A hash named beside a ring was set when the ring stood already; KETAMA_WEIGHTED sets MD5 itself.
    if (c.recipe == "libmemcached-consistent") c.options["point_hash"] = "one_at_a_time";
    if (weighted && (hash.empty() || hash == "default hash")) hash = "md5";
  }
  c.options["hash"] = hashes_in_words().at(hash);
  return c;
}

Server server_in_words(const std::string& software, std::string text) {
  if (software == "twemproxy") return twemproxy_server(text, "");
  const std::size_t comma = text.find(',');
  return named(text.substr(0, comma), comma == std::string::npos ? 1 : std::stod(text.substr(comma + 1)));
}

TEST(vectors, assorted_configurations_of_libmemcached_and_twemproxy_hold) {
  std::size_t configurations = 0;
  for (const Json& one : Json::parse(file_text(vectors_dir() + "assorted-configurations.json"))) {
    const std::string software = one.at("software").get<std::string>();
    const std::string system = software.substr(0, software.find(' '));
    if (system != "twemproxy" && system != "libmemcached") continue;
    const std::string words = one.at("config");
    SCOPED_TRACE(software + ": " + words);
    std::vector<Server> servers;
    for (const Json& server : one.at("servers")) servers.push_back(server_in_words(system, server));
    const Placement placement = compile(map_of(in_words(system, words), servers));
    EXPECT_GT(expect_owners(placement, servers, one.at("owners")), 0u);
    ++configurations;
  }
  EXPECT_EQ(configurations, 38u);
}

}  // namespace
}  // namespace arcwise
