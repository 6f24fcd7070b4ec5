#include "study/numbers.hpp"

#include <cstdio>
#include <cstdlib>

namespace arcwise {

std::string shortest(double value) {
  char text[40];
  for (int digits : {15, 16, 17}) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value) break;
  }
  return text;
}

std::string percent(double fraction) {
  char text[40];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * fraction);
  return text;
}

std::string ratio(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.2f×", value);
  return text;
}

}  // namespace arcwise
