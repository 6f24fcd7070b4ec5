#include "model/recipe_rows.hpp"

namespace arcwise {

std::span<const Recipe> chooser_rows() {
  return {};
}

}  // namespace arcwise
