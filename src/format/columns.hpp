// Cells of a printed table: blank-separated words taken from either end, and the numbers that nodetool
// prints.
//
// Layer: format.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace arcwise {

bool is_blank(char c);
std::string_view trim(std::string_view text);
/// The first word of `rest`, which then starts behind it. Empty: no word is left.
std::string_view take_word(std::string_view& rest);
/// The last word of `rest`, which then ends before it.
std::string_view take_last_word(std::string_view& rest);
std::vector<std::string_view> words(std::string_view text);

/// Digits only, at most `last`.
std::optional<std::uint64_t> parse_count(std::string_view text, std::uint64_t last);
/// "55.56%" -> 0.5556; nobody holds more than 100%. A comma may stand for the point, as Java prints in many locales.
std::optional<double> parse_percent(std::string_view text);
/// "104.37" and "KiB" -> bytes. nodetool's units are powers of 1024 even where they are written KB, MB, GB,
/// TB.
std::optional<double> parse_load(std::string_view number, std::string_view unit);
bool is_load_unit(std::string_view text);

bool is_hex(std::string_view text);

}  // namespace arcwise
