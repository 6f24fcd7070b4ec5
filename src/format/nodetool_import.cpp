// What nodetool prints: how its outputs are told apart, and the cluster that several of them make.
#include "format/nodetool_import.hpp"

#include <algorithm>

#include "format/cassandra_yaml.hpp"
#include "format/columns.hpp"
#include "format/nodetool_cluster.hpp"

namespace arcwise {
namespace {

Result<NodetoolView> read_view(const Source& source, std::string_view format) {
  if (format == "nodetool-ring") return read_nodetool_ring(source);
  if (format == "nodetool-status") return read_nodetool_status(source);
  return read_describering(source);
}

// A ring made of settings alone: the replica count that its tokens were allocated for.
std::vector<Finding> replicas_of_allocation(const std::vector<CassandraSettings>& settings,
                                            LoadOptions& options) {
  const auto said = std::find_if(settings.begin(), settings.end(), [](const CassandraSettings& file) {
    return file.allocation_rf.has_value();
  });
  if (said == settings.end()) return {};
  options.replicas = static_cast<std::uint32_t>(
      std::min<std::uint64_t>({*said->allocation_rf, settings.size(), max_replicas}));
  return {{Finding::Severity::info, "replicas-derived", "replicas",
           "allocate_tokens_for_local_replication_factor is " + std::to_string(*said->allocation_rf) +
               ": taken as the replica count",
           "give --replicas N if that is wrong"}};
}

// The cluster's name, and what the settings and the cluster disagree on.
Result<Cluster> with_settings(Cluster cluster, const std::vector<CassandraSettings>& settings) {
  ClusterMap::Parts parts = cluster.map.parts();
  parts.cluster = settings.front().cluster;
  auto map = ClusterMap::build(std::move(parts), {settings.front().file, 0, 0});
  if (!map) return map.error();
  cluster.map = std::move(*map);
  for (Finding& finding : check_settings(settings, cluster.map))
    cluster.observed.findings.push_back(std::move(finding));
  return cluster;
}

}  // namespace

bool is_ring_line(std::string_view line) {
  const auto cells = words(line);
  return cells.size() > 4 && cells.front() == "Address" && cells[1] == "Rack" && cells.back() == "Token";
}

bool is_status_line(std::string_view line) {
  return line.starts_with("Status=Up/Down") ||
         (line.starts_with("--") && trim(line.substr(2)).starts_with("Address"));
}

bool is_describering_line(std::string_view line) {
  return line.find("TokenRange(") != std::string_view::npos || line == "TokenRange:";
}

// The most telling file is the map, the others stand beside it: ranges as the cluster has them, then all
// tokens.
Result<Cluster> import_nodetool(const Inputs& inputs) {
  std::vector<NodetoolView> views;
  std::vector<CassandraSettings> settings;
  for (std::size_t i = 0; i < inputs.sources.size(); ++i) {
    if (inputs.formats[i] == "cassandra-yaml") {
      auto file = read_cassandra_yaml(inputs.sources[i]);
      if (!file) return file.error();
      settings.push_back(std::move(*file));
      continue;
    }
    auto view = read_view(inputs.sources[i], inputs.formats[i]);
    if (!view) return view.error();
    views.push_back(std::move(*view));
  }
  LoadOptions options = inputs.options;
  const bool ring =
      std::any_of(views.begin(), views.end(), [](const NodetoolView& view) { return view.lists_tokens; });
  std::vector<Finding> notes;
  if (!ring && !settings.empty()) {
    auto view = ring_of_settings(settings);
    if (!view) return view.error();
    if (views.empty() && !options.replicas) notes = replicas_of_allocation(settings, options);
    views.push_back(std::move(*view));
  }
  const auto rank = [](const NodetoolView& view) {
    return !view.ranges.empty() ? 0 : view.lists_tokens ? 1 : 2;
  };
  std::stable_sort(views.begin(), views.end(),
                   [&](const NodetoolView& a, const NodetoolView& b) { return rank(a) < rank(b); });
  if (views.size() > 1 && !views[1].ranges.empty())
    return Error{ErrorKind::input,
                 {views[1].file, 0, 0},
                 "",
                 "a second `nodetool describering`",
                 "ranges belong to one keyspace: give one output at a time"};
  NodetoolView base = std::move(views.front());
  auto cluster = nodetool_cluster(std::move(base), std::span(views).subspan(1), options);
  if (!cluster || settings.empty()) return cluster;
  cluster->observed.findings.insert(cluster->observed.findings.end(), notes.begin(), notes.end());
  return with_settings(std::move(*cluster), settings);
}

}  // namespace arcwise
