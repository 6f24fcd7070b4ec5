// For tests of the importers: files of testdata, and texts, as sources.
#pragma once

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "arcwise/format.hpp"
#include "arcwise/placement.hpp"

namespace arcwise::testing {

inline std::string file_bytes(const std::string& path) {
  std::ifstream file(std::string(ARCWISE_TESTDATA) + "/" + path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read testdata/" + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline Source sample(const std::string& path) {
  return {path, file_bytes("samples/" + path)};
}

inline Cluster imported(const std::vector<Source>& sources, const LoadOptions& options = {}) {
  auto cluster = parse(sources, options);
  if (!cluster) throw std::runtime_error(to_string(cluster.error()));
  return *cluster;
}

inline Error refused(const std::vector<Source>& sources, const LoadOptions& options = {}) {
  const auto cluster = parse(sources, options);
  if (cluster) throw std::runtime_error("accepted " + sources.front().name);
  return cluster.error();
}

inline LoadOptions from(std::string format) {
  return {std::move(format), {}, {}, {}};
}
inline LoadOptions pool(std::string name) {
  return {{}, std::move(name), {}, {}};
}
inline LoadOptions replicas(std::uint32_t count) {
  return {{}, {}, count, {}};
}
inline LoadOptions across(Across level) {
  return {{}, {}, {}, level};
}

inline const Node& node(const Cluster& cluster, std::string_view name) {
  return cluster.map.nodes().at(cluster.map.find(name).value());
}

inline bool is_down(const Cluster& cluster, std::string_view name) {
  return cluster.observed.down.contains(cluster.map.find(name).value());
}

/// The findings of one rule.
inline std::vector<Finding> findings(const Cluster& cluster, std::string_view rule) {
  std::vector<Finding> out;
  for (const Finding& finding : cluster.observed.findings)
    if (finding.rule == rule) out.push_back(finding);
  return out;
}

inline std::vector<std::string> owners_at(const Placement& placement, KeyHash hash) {
  std::vector<NodeIndex> out(placement.max_owners());
  out.resize(placement.owners({{}, hash, {}}, out));
  std::vector<std::string> names;
  for (const NodeIndex n : out) names.push_back(placement.map().nodes()[n].name);
  return names;
}

inline std::vector<std::string> owners_of(const Placement& placement, std::string_view key) {
  return owners_at(placement, placement.hash(key));
}

/// "a\nb\n" with one line, counted from 1, replaced.
inline std::string with_line(const std::string& text, std::size_t number, const std::string& line) {
  std::size_t start = 0;
  for (std::size_t i = 1; i < number; ++i) start = text.find('\n', start) + 1;
  return text.substr(0, start) + line + text.substr(text.find('\n', start));
}

}  // namespace arcwise::testing
