// Files that a verb leaves behind: whole or not at all.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "arcwise/error.hpp"

namespace arcwise::cli {

/// Writes beside the file, then renames, so that a reader (or a full disk) never sees half of it.
std::optional<Error> write_whole(const std::string& path, std::string_view bytes);

}  // namespace arcwise::cli
