// The tables that diff and plan share.
#pragma once

#include <cstddef>
#include <string>

#include "arcwise/change.hpp"
#include "format/table_text.hpp"

namespace arcwise::cli {

/// From → to, largest first; at most `most` rows unless that is 0. bytes where one copy's size is known.
std::string transfer_table(const Diff& diff, double data_bytes, std::size_t most, bool colour);
/// Effective share of each node before and after.
std::string share_table(const Diff& diff, std::size_t most, bool colour);
/// "no slot moved: r1 was promoted in place of m1 on 33.3 %"; empty where no owner was promoted.
std::string promotion_text(const Diff& diff, const ClusterMap& map, std::size_t most);
/// Keys with their owners before and after, one a line.
std::string example_text(const Diff& diff);
/// A warning, or what is good to know, as a line of its own.
void add_finding(Notes& notes, const Finding& finding);

}  // namespace arcwise::cli
