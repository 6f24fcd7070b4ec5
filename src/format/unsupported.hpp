// Outputs that a user of a known system may bring by mistake, or whose system is not read at all.
//
// Layer: format.
#pragma once

#include <string_view>

namespace arcwise {

struct Unsupported {
  std::string_view what;   ///< "the output of `nodetool info`"
  std::string_view bring;  ///< what to do instead
};

/// What this text is, or null. Looks at its first 64 KiB.
const Unsupported* unsupported(std::string_view text);

}  // namespace arcwise
