// nginx's `upstream` with `hash KEY [consistent]`: one of a file becomes a map.
//
// Layer: format. Keys of the map are values of the expression behind `hash`. Servers marked `backup` are left
// out; those marked `down` keep their place and become the mask.
#pragma once

#include "format/importer.hpp"

namespace arcwise {

bool is_nginx_line(std::string_view line);
bool looks_like_nginx(std::string_view text);
Result<Cluster> import_nginx(const Inputs& inputs);

}  // namespace arcwise
