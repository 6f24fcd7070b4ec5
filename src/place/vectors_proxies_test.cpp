// nginx, HAProxy, Envoy, mcrouter and pymemcache, held against what the programs answered.
#include <cctype>
#include <cmath>

#include "place/haproxy.hpp"
#include "place/mcrouter.hpp"
#include "place/vectors_testing.hpp"

namespace arcwise {
namespace {

using namespace testing;

const std::vector<std::string> systems{"nginx", "haproxy", "envoy", "mcrouter", "pymemcache"};

const Configuration* configuration_of(const std::string& file) {
  static const std::vector<Configuration> table = read_table("proxies.table");
  for (const Configuration& c : table)
    if (fits(c.pattern, file)) return &c;
  return nullptr;
}

// What a file says: nodes, those that are down, and settings beyond the table's.
struct Case {
  std::vector<Server> servers;
  std::vector<NodeIndex> down;
  std::map<std::string, std::string> settings;
};

bool says(const std::string& params, std::string_view word) {
  return (" " + params + " ").find(" " + std::string(word) + " ") != std::string::npos;
}

std::string argument(const std::string& params, const std::string& word) {
  std::istringstream words(params);
  for (std::string w, value; words >> w;)
    if (w == word && words >> value) return value;
  return {};
}

// Owners are addresses: "localhost:25001" answers as 127.0.0.1:25001, "[::1]:25001" as ::1:25001.
Case nginx_case(const Json& file) {
  Case out;
  for (const Json& s : file.at("servers")) {
    const std::string text = s.at("server");
    std::string owner = text.starts_with("localhost:") ? "127.0.0.1" + text.substr(9) : text;
    owner.erase(std::remove_if(owner.begin(), owner.end(), [](char c) { return c == '[' || c == ']'; }),
                owner.end());
    if (says(s.at("params"), "down")) out.down.push_back(static_cast<NodeIndex>(out.servers.size()));
    out.servers.push_back(named(text, s.at("weight"), owner));
  }
  return out;
}

// Servers that are disabled stand in no table and on no ring, but keep their numbers; without active ones the
// first backup alone is used.
std::vector<Server> usable(const Json& file, std::vector<Server> all, const std::vector<std::uint32_t>& ids) {
  std::vector<Server> active, backup;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string params = file.at("servers")[i].at("params");
    if (says(params, "disabled")) continue;
    all[i].node.bucket = ids[i];
    (says(params, "backup") ? backup : active).push_back(all[i]);
  }
  if (active.empty()) active.push_back(backup.at(0));
  return active.size() == all.size() ? all : active;
}

Case haproxy_case(const Json& file) {
  Case out;
  for (const Json& s : file.at("servers")) {
    out.servers.push_back(named(s.at("name"), s.at("weight")));
    Node& node = out.servers.back().node;
    node.address = s.at("address");
    node.label = argument(s.at("params"), "guid");
    if (const std::string id = argument(s.at("params"), "id"); !id.empty()) node.bucket = std::stoull(id);
  }
  const ClusterMap map = map_of(parts("haproxy-consistent", nodes_of(out.servers)));
  const std::vector<std::uint32_t> ids = haproxy_ids(map);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(ids[i], file["servers"][i].at("id").get<std::uint32_t>());
  }
  out.servers = usable(file, out.servers, ids);
  return out;
}

Case envoy_case(const Json& file) {
  Case out;
  const Json& servers = file.at("servers");
  if (servers.is_string()) {  // "127.0.0.1:0..1023", the first one alone in locality A
    for (int port = 0; port < 1024; ++port) {
      out.servers.push_back(named("127.0.0.1:" + std::to_string(port)));
      out.servers.back().node.zone = port == 0 ? "A" : "B";
    }
  } else {
    for (const Json& s : servers) {
      out.servers.push_back(s.is_string() ? named(s) : named(s.at(0), s.at(1)));
      if (s.size() == 3) out.servers.back().node.zone = s.at(2);
    }
  }
  const Json& config = file.at("config");
  for (const char* name : {"minimum_ring_size", "maximum_ring_size", "table_size", "hash_function"})
    if (config.contains(name))
      out.settings[name] = config[name].is_string() ? config[name].get<std::string>() : config[name].dump();
  const Json weights = config.value("locality_weights", Json::object());
  for (const auto& [zone, weight] : weights.items())
    out.settings["locality_weights"] += zone + "=" + weight.dump() + ", ";
  return out;
}

// Indexes are owners too: "0", "1", …
Case mcrouter_case(const Json& file) {
  Case out;
  const Json& config = file.at("config");
  const Json weights = config.value("weights", Json::array());
  const std::size_t n = config.value("n", weights.size());
  for (const Json& s : file.at("servers")) out.servers.push_back(named(s));
  for (std::size_t i = out.servers.size(); i < n; ++i) out.servers.push_back(named(std::to_string(i)));
  for (std::size_t i = 0; i < weights.size(); ++i) out.servers[i].node.weight = weights[i];
  return out;
}

Case pymemcache_case(const Json& file) {
  Case out;
  for (const Json& s : file.at("servers"))
    out.servers.push_back(named(s.is_string() ? s.get<std::string>() : host_port(s.at(0), s.at(1), false)));
  for (std::size_t i = 0; i < out.servers.size() && file.contains("nodes"); ++i)
    out.servers[i].owner = file["nodes"][i];
  return out;
}

Case case_of(const Json& file) {
  const std::string system = file.at("system");
  if (system == "nginx") return nginx_case(file);
  if (system == "haproxy") return haproxy_case(file);
  if (system == "envoy") return envoy_case(file);
  return system == "mcrouter" ? mcrouter_case(file) : pymemcache_case(file);
}

std::string owner_at(const Placement& p, const std::vector<Server>& servers, KeyHash hash) {
  return servers[p.primary(hash)].owner;
}

// Envoy's own tests list rings, tables and probes instead of keys.
void expect_ring(const Placement& p, const std::vector<Server>& servers, const Json& file) {
  const Json points = file.value("points", Json::object());
  if (!points.empty()) expect_points(p, servers, points);
  const Json all = points.value("all", Json::array());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_TRUE(p.entry(i).token.value == all[i][0].get<std::uint64_t>()) << all[i];
    EXPECT_EQ(servers[p.entry(i).node].owner, all[i][1].get<std::string>());
  }
  std::vector<std::size_t> count(servers.size());
  for (std::size_t i = 0; i < p.entry_count(); ++i) ++count[p.entry(i).node];
  if (points.contains("min_per_host")) {
    EXPECT_EQ(*std::min_element(count.begin(), count.end()), points["min_per_host"].get<std::size_t>());
    EXPECT_EQ(*std::max_element(count.begin(), count.end()), points["max_per_host"].get<std::size_t>());
  }
  const Json counts = file.value("counts", Json::object());
  for (std::size_t i = 0; i < servers.size() && !counts.empty(); ++i) {
    EXPECT_EQ(count[i], counts.at(servers[i].owner).get<std::size_t>()) << servers[i].owner;
  }
  const Json table = file.value("table", Json::array());
  for (std::size_t i = 0; i < table.size(); ++i)
    EXPECT_EQ(owner_at(p, servers, {i}), table[i].get<std::string>()) << "slot " << i;
}

// A retry takes the ring's next point; in a table, the slot of the hash xored with minus the attempt.
void expect_retries(const Placement& p, const std::vector<Server>& servers, const Json& retries) {
  for (const Json& r : retries) {
    const std::uint64_t hash = std::stoull(r[0].get<std::string>());
    const std::uint64_t attempt = std::stoull(r[1].get<std::string>().substr(8));
    const auto size = static_cast<std::uint64_t>(p.map().space().last) + 1;
    const std::string got =
        p.map().placement().recipe->slots == SlotCount::none
            ? servers[p.entry((p.region_at({hash}) + attempt) % p.entry_count()).node].owner
            : owner_at(p, servers, {(hash ^ (0 - attempt)) % size});
    EXPECT_EQ(got, r[2].get<std::string>()) << r;
  }
}

void expect_positions(const Placement& p, const std::vector<Server>& servers, const Json& file) {
  const Json owners = file.value("hash_to_owner", Json::object());
  for (const auto& [hash, owner] : owners.items())
    EXPECT_EQ(owner_at(p, servers, {std::stoull(hash)}), owner.get<std::string>()) << hash;
  const std::uint64_t probes = file.value("probe_n", std::uint64_t{0});
  std::map<std::string, std::size_t> met;
  for (std::uint64_t i = 0; i < probes; ++i) ++met[owner_at(p, servers, {i * (~std::uint64_t{0} / probes)})];
  for (const auto& [server, times] : met)
    EXPECT_EQ(times, file.at("probe_counts").at(server).get<std::size_t>()) << server;
  expect_retries(p, servers, file.value("retry", Json::array()));
}

class vectors_proxies : public ::testing::TestWithParam<std::string> {};

TEST_P(vectors_proxies, every_key_has_the_owner_that_the_program_gave_it) {
  const Configuration* found = configuration_of(GetParam());
  ASSERT_NE(found, nullptr) << "no line of proxies.table says what this file is";
  Configuration c = *found;
  const Json file = Json::parse(file_text(vectors_dir() + GetParam() + ".json"));
  if (c.recipe == "left") {  // the table says why
    ASSERT_TRUE(file.at("keys").empty());
    return;
  }
  if (c.recipe == "furc") {
    for (const auto& [key, index] : file.at("keys").items())
      EXPECT_EQ(furc(key, file["config"].at("n")), index.get<std::uint32_t>()) << key;
    return;
  }
  const Case test = case_of(file);
  c.options.insert(test.settings.begin(), test.settings.end());
  const Placement placement = compile(map_of(c, test.servers));
  NodeSet down(test.servers.size());
  for (NodeIndex n : test.down) down.insert(n);
  const std::size_t keys = expect_owners(placement, test.servers, file.at("keys"), NodeMask(down));
  expect_ring(placement, test.servers, file);
  expect_positions(placement, test.servers, file);
  EXPECT_TRUE(keys > 0 || file.contains("table") || file.contains("hash_to_owner") ||
              file.contains("probe_counts"));
}

INSTANTIATE_TEST_SUITE_P(every, vectors_proxies, ::testing::ValuesIn(vector_files(systems)),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
                           return name;
                         });

// --gtest_filter=vectors*count* prints it.
TEST(vectors_of_proxies, count_of_files_and_keys_is_what_the_documents_say) {
  expect_documented_counts(vector_files(systems), configuration_of);
}

TEST(vectors_of_proxies, every_line_of_the_table_has_a_file) {
  const auto files = vector_files(systems);
  for (const Configuration& c : read_table("proxies.table"))
    EXPECT_TRUE(std::any_of(files.begin(), files.end(), [&](const std::string& f) {
      const Configuration* found = configuration_of(f);
      return found && found->pattern == c.pattern;
    })) << c.pattern;
}

}  // namespace
}  // namespace arcwise
