// --pin, --exclude, --pins, --drain, --at-most and --rebalance, as PartRules.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "arcwise/part_rules.hpp"
#include "cli/args.hpp"
#include "format/json_text.hpp"

namespace arcwise::cli {

/// `note` is told each option as it was given.
using NoteOption = std::function<void(const char* option, const std::string& value)>;
void declare_part_rules(Args& args, PartRules& rules, std::string& pins_file, const NoteOption& note);

/// {copies, moved, later, least, fewest, most, uneven, together}, or null.
Json parts_json(const std::optional<PartsMoved>& parts);

/// Adds what the file says: `pin 5 n2`, `exclude 100-199 n3`, one a line, `#` before a remark. `note` is told
/// each as an option of its own.
std::optional<Error> read_pins(const std::string& path, PartRules& rules, const NoteOption& note);

}  // namespace arcwise::cli
