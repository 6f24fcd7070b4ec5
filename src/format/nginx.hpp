// nginx's `upstream` with `hash KEY [consistent]`: one of a file becomes a map.
//
// Layer: format. Keys of the map are values of the expression behind `hash`. Servers marked `backup` are left
// out; those marked `down` keep their place and become the mask.
#pragma once

#include <optional>
#include <string>

#include "format/importer.hpp"

namespace arcwise {

/// Where nginx connects for this argument of `server`: "10.0.0.1" -> "10.0.0.1:80", "unix:/a" -> "/a".
/// nullopt: it takes no such argument.
std::optional<std::string> nginx_address(std::string_view argument);

bool is_nginx_line(std::string_view line);
bool looks_like_nginx(std::string_view text);
Result<Cluster> import_nginx(const Inputs& inputs);

}  // namespace arcwise
