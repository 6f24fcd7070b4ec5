// Keys from a file or standard input: one a line, any bytes but a newline, in constant memory.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "arcwise/error.hpp"
#include "cli/session.hpp"

namespace arcwise::cli {

/// Calls visit(key) for each line, "-" being standard input, until it returns false. Says once where keys end
/// in a carriage return.
std::optional<Error> each_key(const std::string& path, Session& session,
                              const std::function<bool(std::string_view)>& visit);

}  // namespace arcwise::cli
