// --pin, --exclude, --pins, --drain, --at-most and --rebalance, as PartRules.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "arcwise/part_rules.hpp"
#include "cli/args.hpp"

namespace arcwise::cli {

/// `note` is told each option as it was given.
using NoteOption = std::function<void(const char* option, const std::string& value)>;
void declare_part_rules(Args& args, PartRules& rules, std::string& pins_file, const NoteOption& note);

/// Adds what the file says: `pin 5 n2`, `exclude 100-199 n3`, one a line, `#` before a remark.
std::optional<Error> read_pins(const std::string& path, PartRules& rules);

}  // namespace arcwise::cli
