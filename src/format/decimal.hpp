// A number as people write it on a command line or in a list.
#pragma once

#include <optional>
#include <string_view>

namespace arcwise {

/// Takes a finite decimal number without a sign from the front of `text`, and one space behind it where a
/// unit follows: "2.5", "1e6", "5 TB". No hex, no "inf", no "nan"; nullopt leaves `text` as it is.
std::optional<double> take_decimal(std::string_view& text);

/// The whole of `text`, from `least` to `most`.
std::optional<double> decimal_within(std::string_view text, double least, double most);

}  // namespace arcwise
