// From files to one cluster: each text is recognised, and the importer of the family that they belong to
// reads them.
#include "arcwise/format.hpp"

#include <algorithm>

#include "format/cluster_nodes.hpp"
#include "format/nodetool_cluster.hpp"
#include "format/nutcracker.hpp"
#include "format/unsupported.hpp"

namespace arcwise {
namespace {

constexpr std::uint64_t max_file_bytes = std::uint64_t{1} << 30;

std::string format_names() {
  std::string list;
  for (const FormatInfo& format : formats()) list += (list.empty() ? "" : ", ") + std::string(format.name);
  return list;
}

Error fault(const std::string& file, std::string what, std::string why, std::string advice) {
  return {ErrorKind::input, {file, 0, 0}, std::move(what), std::move(why), std::move(advice)};
}

Result<std::vector<std::string_view>> formats_of(std::span<const Source> sources,
                                                 const LoadOptions& options) {
  if (sources.empty()) return fault("", "", "no file", "name a map or another system's output");
  const auto known = formats();
  const auto named = std::find_if(known.begin(), known.end(),
                                  [&](const FormatInfo& format) { return format.name == options.from; });
  if (!options.from.empty() && named == known.end())
    return fault("", options.from, "no such format", "the formats are: " + format_names());
  std::vector<std::string_view> out;
  for (const Source& source : sources) {
    if (source.bytes.find_first_not_of(" \t\r\n") == std::string::npos)
      return fault(source.name, "", "the file is empty",
                   "save the output again, and look whether the command failed");
    const bool told = !options.from.empty();
    std::string_view format = told && out.empty() ? named->name : recognise(source.bytes);
    if (format.empty() && told) format = named->name;
    out.push_back(format);
    if (const Unsupported* other = format.empty() ? unsupported(source.bytes) : nullptr)
      return fault(source.name, "", "this is " + std::string(other->what) + ", which is not read",
                   std::string(other->bring));
    if (format.empty())
      return fault(source.name, "", "the format is not recognised", "name it with --from: " + format_names());
  }
  return out;
}

Result<NodetoolView> read_view(const Source& source, std::string_view format) {
  if (format == "nodetool-ring") return read_nodetool_ring(source);
  if (format == "nodetool-status") return read_nodetool_status(source);
  return read_describering(source);
}

// The most telling file is the map, the others stand beside it: ranges as the cluster has them, then all
// tokens.
Result<Cluster> parse_nodetool(std::span<const Source> sources, std::span<const std::string_view> names,
                               const LoadOptions& options) {
  std::vector<NodetoolView> views;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    auto view = read_view(sources[i], names[i]);
    if (!view) return view.error();
    views.push_back(std::move(*view));
  }
  const auto rank = [](const NodetoolView& view) {
    return !view.ranges.empty() ? 0 : view.format == "nodetool-ring" ? 1 : 2;
  };
  std::stable_sort(views.begin(), views.end(),
                   [&](const NodetoolView& a, const NodetoolView& b) { return rank(a) < rank(b); });
  if (views.size() > 1 && !views[1].ranges.empty())
    return fault(views[1].file, "", "a second `nodetool describering`",
                 "ranges belong to one keyspace: give one output at a time");
  NodetoolView base = std::move(views.front());
  return nodetool_cluster(std::move(base), std::span(views).subspan(1), options);
}

Result<Cluster> parse_native(const Source& source, const LoadOptions& options) {
  auto map = parse_map(source);
  if (!map) return map.error();
  if (options.replicas || options.across) {
    ClusterMap::Parts parts = map->parts();
    if (options.replicas) {
      parts.replicas.count = *options.replicas;
      parts.replicas.per_zone.clear();
    }
    parts.replicas.across = options.across.value_or(parts.replicas.across);
    map = ClusterMap::build(std::move(parts), {source.name, 0, 0});
    if (!map) return map.error();
  }
  Observed observed;
  observed.format = "arcwise";
  observed.down = NodeSet(map->nodes().size());
  return Cluster{std::move(*map), std::move(observed)};
}

bool is_nodetool(std::string_view format) {
  return format.starts_with("nodetool-");
}

}  // namespace

Result<Cluster> parse(std::span<const Source> sources, const LoadOptions& options) {
  const auto names = formats_of(sources, options);
  if (!names) return names.error();
  const std::string_view first = names->front();
  for (std::size_t i = 1; i < sources.size(); ++i)
    if ((*names)[i] != first && !(is_nodetool((*names)[i]) && is_nodetool(first)))
      return fault(
          sources[i].name, "",
          "this is " + std::string((*names)[i]) + ", and " + sources[0].name + " is " + std::string(first),
          "several files must be outputs of one cluster");
  if (!options.pool.empty() && first != "nutcracker")
    return fault(sources[0].name, options.pool, "only nutcracker files have pools", "drop --pool");
  if (is_nodetool(first)) return parse_nodetool(sources, *names, options);
  if (first == "cluster-nodes") return import_cluster_nodes(sources, options);
  if (sources.size() > 1)
    return fault(sources[1].name, "", "a second file beside " + sources[0].name,
                 "a file of the format " + std::string(first) + " stands alone");
  return first == "nutcracker" ? import_nutcracker(sources[0], options) : parse_native(sources[0], options);
}

Result<Cluster> load(std::span<const std::string> paths, const LoadOptions& options) {
  std::vector<Source> sources;
  for (const std::string& path : paths) {
    auto bytes = read_file(path, max_file_bytes);
    if (!bytes) return bytes.error();
    sources.push_back({path == "-" ? "<stdin>" : path, std::move(*bytes)});
  }
  return parse(sources, options);
}

}  // namespace arcwise
