// What reading another system's files may find, beside the rules of check().
//
// Layer: format.
#pragma once

#include <span>

#include "arcwise/check.hpp"

namespace arcwise {

/// By the files that say so. A test holds every name in the importers' sources against it.
std::span<const CheckRule> import_rules();

}  // namespace arcwise
