// The formats that Arcwise writes, one row each, and what their writers share.
//
// Layer: format. A writer refuses a map that its system would place otherwise; what a system ignores, such as
// racks beside a ring without replicas, may be lost. A new format is its own file and one row in
// exporters.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "arcwise/format.hpp"

namespace arcwise {

struct Exporter {
  FormatInfo info;
  Result<std::string> (*write)(const ClusterMap& map);
};

Result<std::string> write_nutcracker(const ClusterMap& map);
Result<std::string> write_nginx(const ClusterMap& map);
Result<std::string> write_haproxy(const ClusterMap& map);
Result<std::string> write_envoy(const ClusterMap& map);
Result<std::string> write_cassandra(const ClusterMap& map);
Result<std::string> write_redis(const ClusterMap& map);

/// Error of an export: what of the map, why, and what would do.
Error cannot_export(std::string what, std::string why, std::string advice);

/// The map has one of these recipes, and no node that is joining.
std::optional<Error> check_recipe(const ClusterMap& map, std::string_view system,
                                  std::span<const std::string_view> recipes);
/// The map has one of these recipes, one copy of each key, and no node that is joining.
std::optional<Error> check_exportable(const ClusterMap& map, std::string_view system,
                                      std::span<const std::string_view> recipes);

/// The cluster's name, of the characters that every system takes for a name.
std::string exported_name(const ClusterMap& map);
/// "# recipe twemproxy-ketama, fingerprint 0123…": a comment line that says what was written.
std::string exported_from(const ClusterMap& map);
/// The text in double quotes, with a backslash before each quote and backslash.
std::string double_quoted(std::string_view text);

}  // namespace arcwise
