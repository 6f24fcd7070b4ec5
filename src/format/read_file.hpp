// Files of programs that go on: read_file() is for those that read once, and may wait for a pipe.
//
// Layer: format.
#pragma once

#include <cstdint>
#include <string>

#include "arcwise/error.hpp"

namespace arcwise {

/// Refused where it is a pipe or a device: it never waits for somebody to write.
Result<std::string> read_regular_file(const std::string& path, std::uint64_t limit_bytes);

}  // namespace arcwise
