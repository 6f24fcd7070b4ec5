// Answers of real programs: testdata/vectors/*.json, each a list of servers and the owner of each key. A
// table beside them says, file by file, which recipe with which settings must give these answers:
//
//   twemproxy-ketama-crc16-*   twemproxy-ketama   hash=crc16_32
//
// The first line whose pattern fits a file counts. `setting=value` is a setting, except for `hash`,
// `hash_tag` (a pair of characters), and `reversed`, `weights=ignored`, which say how servers become nodes.
#pragma once

#include <dirent.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "place/testing.hpp"

namespace arcwise::testing {

using Json = nlohmann::ordered_json;

inline std::string vectors_dir() {
  return std::string(ARCWISE_TESTDATA) + "/vectors/";
}

inline std::string file_text(const std::string& path) {
  std::string out;
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) {
    ADD_FAILURE() << "cannot open " << path;
    return out;
  }
  char buffer[65536];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) out.append(buffer, n);
  std::fclose(file);
  return out;
}

/// `*` stands for any text.
inline bool fits(std::string_view pattern, std::string_view name) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  const std::string_view rest = pattern.substr(star + 1);
  for (std::size_t at = star; at <= name.size(); ++at)
    if (fits(rest, name.substr(at))) return true;
  return false;
}

/// The vector files whose names begin with one of these, without `.json`, sorted.
inline std::vector<std::string> vector_files(const std::vector<std::string>& systems) {
  std::vector<std::string> out;
  DIR* dir = opendir(vectors_dir().c_str());
  while (const dirent* entry = dir ? readdir(dir) : nullptr) {
    std::string name = entry->d_name;
    if (!name.ends_with(".json")) continue;
    name.resize(name.size() - 5);
    if (std::any_of(systems.begin(), systems.end(), [&](const auto& s) { return name.starts_with(s + "-"); }))
      out.push_back(name);
  }
  if (dir) closedir(dir);
  std::sort(out.begin(), out.end());
  return out;
}

struct Configuration {
  std::string pattern, recipe;
  std::map<std::string, std::string> options;
};

inline std::vector<Configuration> read_table(const std::string& name) {
  std::vector<Configuration> out;
  std::istringstream lines(file_text(vectors_dir() + name));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    Configuration c;
    words >> c.pattern >> c.recipe;
    for (std::string word; words >> word;) {
      const std::size_t equals = word.find('=');
      c.options[word.substr(0, equals)] = equals == std::string::npos ? "" : word.substr(equals + 1);
    }
    out.push_back(c);
  }
  return out;
}

/// A server of a vector file, and the text by which the file calls it as an owner.
struct Server {
  Node node;
  std::string owner;
};

inline Server named(std::string name, double weight = 1, std::string owner = "") {
  Server s{node(name, weight), owner.empty() ? name : std::move(owner)};
  return s;
}

// twemproxy: "127.0.0.1:24001:1 alpha". The name, if any, is hashed and is the node's name.
inline Server twemproxy_server(const std::string& text, const std::string& endpoint) {
  const std::size_t space = text.find(' ');
  const std::string line = text.substr(0, space);
  const std::size_t colon = line.rfind(':');
  const std::string address = line.substr(0, colon);
  Server s = named(address, std::stod(line.substr(colon + 1)), endpoint.empty() ? address : endpoint);
  s.node.address = address;
  if (space != std::string::npos) s.node.name = s.node.label = text.substr(space + 1);
  return s;
}

inline std::string host_port(const std::string& host, const Json& port, bool brackets) {
  const bool ipv6 = host.find(':') != std::string::npos;
  return (ipv6 && brackets ? "[" + host + "]" : host) + ":" + std::to_string(port.get<int>());
}

// Java clients: a host name if there was one, and the address it resolved to.
inline Server java_server(const Json& in) {
  const std::string address = host_port(in.at("ip"), in.at("port"), true);
  const bool has_name = !in.at("hostname").is_null();
  Server s = named(has_name ? host_port(in.at("hostname"), in.at("port"), true) : address, in.at("weight"));
  s.node.address = address;
  return s;
}

// A socket's path, and its weight as dalli has it written: "/tmp/a.sock:2".
inline Server plain_server(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (text[0] != '/' || colon == std::string::npos) return named(text);
  return named(text.substr(0, colon), std::stod(text.substr(colon + 1)));
}

inline Server server_of(const Json& in) {
  if (in.is_string()) return plain_server(in);
  if (in.is_array()) {
    if (in.size() > 1 && in[0].get<std::string>().find(':') != std::string::npos) return named(in[0], in[1]);
    return named(host_port(in.at(0), in.at(1), false), in.size() > 2 ? in[2].get<double>() : 1);
  }
  if (in.contains("conf")) return twemproxy_server(in.at("conf"), in.at("endpoint"));
  if (in.contains("unix")) return named(in.at("unix"), in.at("weight"));
  if (in.contains("ip")) return java_server(in);
  return named(host_port(in.at("host"), in.at("port"), false), in.at("weight"));
}

// The servers of a file: a list, or an object from server to weight or {weight} or {vnodes}.
inline std::vector<Server> servers_of(const Json& file) {
  std::vector<Server> out;
  const Json& servers = file.at("servers");
  for (auto at = servers.begin(); at != servers.end(); ++at) {
    if (servers.is_array()) {
      out.push_back(server_of(*at));
      continue;
    }
    const bool plain = at.value().is_number();
    out.push_back(named(at.key(), plain ? at.value().get<double>() : at.value().value("weight", 1.0)));
    if (!plain && at.value().contains("vnodes")) out.back().node.bucket = at.value().at("vnodes");
  }
  if (file.contains("names"))  // dalli: "HOST:PORT:WEIGHT" as written, and the name it goes by
    for (std::size_t i = 0; i < out.size(); ++i) out[i].owner = file["names"][i];
  if (file.at("config").contains("ejected"))  // twemproxy goes on as if these had not been listed
    for (const Json& gone : file["config"]["ejected"])
      out.erase(std::remove_if(out.begin(), out.end(),
                               [&](const Server& s) { return s.owner == gone.get<std::string>(); }),
                out.end());
  return out;
}

// A system that takes one server twice gets a second name for it and the same label.
inline std::vector<Node> nodes_of(const std::vector<Server>& servers) {
  std::map<std::string, int> seen;
  std::vector<Node> out;
  for (const Server& s : servers) {
    out.push_back(s.node);
    const int times = ++seen[s.node.name];
    if (times == 1) continue;
    out.back().label = s.node.name;
    out.back().name += "#" + std::to_string(times);
  }
  return out;
}

inline ClusterMap map_of(const Configuration& c, const std::vector<Server>& servers) {
  ClusterMap::Parts p = parts(c.recipe, nodes_of(servers));
  p.placement.tokens = p.placement.recipe->default_tokens;
  for (const auto& [name, value] : c.options) {
    if (name == "hash") {
      const auto hash = find_key_hash(value);
      EXPECT_TRUE(hash.has_value()) << value;
      p.placement.hash = hash.value_or(p.placement.hash);
    } else if (name == "hash_tag") {
      p.placement.hash_tag = value;
    } else {
      p.placement.settings[name] = value;
    }
  }
  return map_of(std::move(p));
}

/// Every key of the file; returns how many.
inline std::size_t expect_owners(const Placement& placement, const std::vector<Server>& servers,
                                 const Json& keys, const NodeMask& mask = {}) {
  std::size_t wrong = 0;
  for (const auto& [key, owner] : keys.items()) {
    std::vector<NodeIndex> out(placement.max_owners());
    const bool any = placement.owners({key, placement.hash(key), mask}, out) > 0;
    const std::string mine = any ? servers[out[0]].owner : "nobody";
    if (mine == (owner.is_string() ? owner.get<std::string>() : owner.dump())) continue;
    if (++wrong <= 3) ADD_FAILURE() << "key '" << key << "': " << mine << ", really " << owner;
  }
  EXPECT_EQ(wrong, 0u);
  return keys.size();
}

/// Points, where a file lists some: how many there are, of each server, and the ends of the ring.
inline void expect_points(const Placement& placement, const std::vector<Server>& servers,
                          const Json& points) {
  std::vector<std::pair<u128, std::string>> ring;
  std::map<std::string, std::size_t> of_server;
  for (std::size_t i = 0; i < placement.entry_count(); ++i) {
    const Placement::Entry entry = placement.entry(i);
    ring.emplace_back(entry.token.value, servers[entry.node].owner);
    ++of_server[servers[entry.node].owner];
  }
  std::stable_sort(ring.begin(), ring.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  ASSERT_EQ(ring.size(), points.at("total").get<std::size_t>());
  const Json per_server = points.value("per_server", Json::object());
  for (const auto& [server, count] : per_server.items()) {
    EXPECT_EQ(of_server[server], count.get<std::size_t>()) << server;
  }
  const auto expect_part = [&](const char* name, std::size_t from) {
    for (std::size_t i = 0; i < points.at(name).size(); ++i) {
      const Json& point = points[name][i];
      EXPECT_TRUE(ring[from + i].first == point[0].get<std::uint64_t>()) << point;
      EXPECT_EQ(ring[from + i].second, point[1].get<std::string>());
    }
  };
  if (points.contains("first")) expect_part("first", 0);
  if (points.contains("last")) expect_part("last", ring.size() - points["last"].size());
}

/// Prints how many files and keys each recipe answers, and holds it against docs/recipes/README.md.
inline void expect_documented_counts(const std::vector<std::string>& files,
                                     const Configuration* (*configuration_of)(const std::string& file)) {
  std::map<std::string, std::pair<std::size_t, std::size_t>> counts;
  for (const std::string& name : files) {
    const Configuration* c = configuration_of(name);
    if (!c) continue;  // another test says so
    auto& [number, keys] = counts[c->recipe];
    ++number;
    keys += Json::parse(file_text(vectors_dir() + name + ".json")).at("keys").size();
  }
  const std::string document = file_text(std::string(ARCWISE_SOURCE) + "/docs/recipes/README.md");
  for (const auto& [recipe, count] : counts) {
    if (!find_recipe(recipe)) continue;
    const std::string row =
        "| " + recipe + " | " + std::to_string(count.first) + " | " + std::to_string(count.second) + " |";
    std::printf("%s\n", row.c_str());
    EXPECT_NE(document.find(row + "\n"), std::string::npos) << row;
  }
}

}  // namespace arcwise::testing
