// Numbers as people read them in tables: few digits, always a unit.
#pragma once

#include <cstdint>
#include <string>

namespace arcwise {

/// A fraction as per cent: 0.3333 -> "33.3 %", 0.000024 -> "0.0024 %", 1 -> "100 %". Never "0 %" for what is
/// not 0, never "100 %" for what is not 1.
std::string per_cent(double fraction);
/// The same with a fixed number of digits, for a column whose decimal points should stand below each other.
std::string per_cent(double fraction, int digits);
/// Digits for such a column: two significant ones for its smallest value, 1 to 6.
int percent_digits(double smallest);
/// A ratio: 1.0832 -> "1.08×".
std::string times(double ratio);
/// 25600 -> "25,600".
std::string counted(std::uint64_t n);
/// "1 node", "3 nodes".
std::string counted(std::uint64_t n, const char* one, const char* many);

}  // namespace arcwise
