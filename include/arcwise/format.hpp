// Files: Arcwise's own map and other systems' outputs, recognised by content.
//
// Layer: format. Parsing is pure (bytes in, Cluster or Error out); load() is the only function that reads
// files.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arcwise/map.hpp"

namespace arcwise {

struct Source {
  std::string name;  ///< for error messages
  std::string bytes;
};

struct LoadOptions {
  std::string from;  ///< format name of the first file; further ones are recognised, or else of it too
  std::string pool;  ///< which pool, upstream, backend or cluster of the file
  std::optional<std::uint32_t> replicas;  ///< overrides the replica count
  std::optional<Across> across;           ///< overrides the level
};

/// A map with what was seen beside it.
struct Cluster {
  ClusterMap map;
  Observed observed;
};

struct FormatInfo {
  std::string_view name;
  std::string_view what;  ///< one line for people
  bool enough;            ///< can stand alone; else it only adds to another file
};
std::span<const FormatInfo> formats();
/// The format of these bytes, or empty.
std::string_view recognise(std::string_view bytes);

/// One cluster from one or more files of the same cluster (for example nodetool ring and nodetool status).
Result<Cluster> parse(std::span<const Source> sources, const LoadOptions& options);
/// Reads the files ("-": standard input; at most 1 GiB each), then parse().
Result<Cluster> load(std::span<const std::string> paths, const LoadOptions& options);
Result<std::string> read_file(const std::string& path, std::uint64_t limit_bytes);

/// Arcwise's own format only.
Result<ClusterMap> parse_map(const Source& source);
/// The map as a file that parse_map reads back to an equal map.
std::string write_map(const ClusterMap& map);

/// The formats of other systems that a map can be written in; `enough` is true.
std::span<const FormatInfo> export_formats();
/// The map as that system's configuration, which places every key as the map does. Refused, with the reason,
/// where the system cannot do that.
Result<std::string> export_map(const ClusterMap& map, std::string_view format);

/// "24TB", "1.5 GiB", "250MB/s" -> bytes. nullopt: not a size. k M G T P are powers of 1000, Ki Mi Gi Ti Pi
/// of 1024.
std::optional<double> parse_size(std::string_view text);
/// "153.8 GB": three or four digits, powers of 1000.
std::string human_bytes(double bytes);
/// "30 min 46 s (1,846 s)".
std::string human_seconds(double seconds);

}  // namespace arcwise
