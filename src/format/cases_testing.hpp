// For the cases of the field that are tests by their id: maps in a line, and the keys whose answers are
// known.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "arcwise/cause.hpp"
#include "format/import_testing.hpp"

namespace arcwise::testing {

using Server = std::pair<std::string, double>;  ///< name, weight

inline std::vector<Server> equal(const std::vector<std::string>& names) {
  std::vector<Server> out;
  for (const std::string& name : names) out.emplace_back(name, 1);
  return out;
}

/// The map that an operator would write for these servers.
inline Placement servers_under(const std::string& placement, const std::vector<Server>& servers,
                               const std::string& more = "") {
  std::string text = "arcwise: 1\nplacement: {" + placement + "}\n" + more + "nodes:\n";
  for (const auto& [name, weight] : servers)
    text +=
        "  - {name: \"" + name + "\", weight: " + std::to_string(static_cast<std::uint64_t>(weight)) + "}\n";
  return compile(imported({{"map.yaml", text}}).map);
}

inline std::string nutcracker_yml(const std::string& hash, const std::string& distribution,
                                  const std::vector<std::string>& servers) {
  std::string text = "cache:\n  listen: 127.0.0.1:22121\n  hash: " + hash +
                     "\n  distribution: " + distribution + "\n  servers:\n";
  for (const std::string& server : servers) text += "   - " + server + "\n";
  return text;
}

inline Placement nutcracker(const std::string& hash, const std::string& distribution,
                            const std::vector<std::string>& servers) {
  return compile(imported({{"nutcracker.yml", nutcracker_yml(hash, distribution, servers)}}).map);
}

/// sess:0, sess:1eef, sess:3dde, …: 7919 times 0, 1, 2, … in hex.
inline std::vector<std::string> sessions(std::size_t count) {
  std::vector<std::string> out;
  char text[32];
  for (std::size_t i = 0; i < count; ++i) {
    std::snprintf(text, sizeof text, "sess:%zx", i * 7919);
    out.emplace_back(text);
  }
  return out;
}

inline std::string owner(const Placement& placement, const std::string& key) {
  std::vector<NodeIndex> out(placement.max_owners());
  out.resize(placement.owners({key, placement.hash(key), {}}, out));
  return out.empty() ? "" : placement.map().nodes()[out.front()].name;
}

/// Keys by (owner before, owner after), where these differ.
inline std::map<std::pair<std::string, std::string>, std::size_t> moved(
    const Placement& before, const Placement& after, const std::vector<std::string>& keys) {
  std::map<std::pair<std::string, std::string>, std::size_t> out;
  for (const std::string& key : keys) {
    std::pair<std::string, std::string> pair{owner(before, key), owner(after, key)};
    if (pair.first != pair.second) ++out[pair];
  }
  return out;
}

inline std::size_t differing(const Placement& before, const Placement& after,
                             const std::vector<std::string>& keys) {
  std::size_t out = 0;
  for (const auto& [pair, count] : moved(before, after, keys)) out += count;
  return out;
}

inline std::vector<Cause> causes_of(const Placement& before, const Placement& after) {
  return causes(before, after, diff(before, after, 1, 20'000));
}

}  // namespace arcwise::testing
