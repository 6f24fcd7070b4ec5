// Numbers as text, the same on every machine.
#pragma once

#include <string>

namespace arcwise {

/// The fewest digits that read back as the same number: 0.1 is "0.1", not "0.10000000000000001".
std::string shortest(double value);

/// "23.4 %".
std::string percent(double fraction);

/// "1.31×".
std::string ratio(double value);

}  // namespace arcwise
