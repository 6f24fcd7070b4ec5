// Which partitions shall or shall not lie on which nodes, as people write it.
#pragma once

#include <optional>
#include <string_view>

#include "arcwise/format.hpp"
#include "arcwise/part_rules.hpp"

namespace arcwise {

/// "5" or "100-199" and the node's name. nullopt: not a number or range of parts, or no name.
std::optional<PartRules::Rule> read_part_rule(std::string_view parts, std::string_view node);

/// Lines `pin PARTS NODE` and `exclude PARTS NODE`; `#` begins a remark.
Result<PartRules> parse_pins(const Source& source);

}  // namespace arcwise
