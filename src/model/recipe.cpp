// The recipe table: the families' rows one after another. A row is never edited after release.
#include "model/recipe_rows.hpp"

#include <vector>

namespace arcwise {
namespace {

std::vector<Recipe> all_rows() {
  std::vector<Recipe> rows;
  for (const auto family : {own_rows(), store_rows(), ketama_rows(), proxy_rows(), chooser_rows()})
    rows.insert(rows.end(), family.begin(), family.end());
  return rows;
}

}  // namespace

std::span<const Recipe> recipes() {
  static const std::vector<Recipe> rows = all_rows();
  return rows;
}

const Recipe* find_recipe(std::string_view name) {
  for (const Recipe& row : recipes())
    if (row.name == name) return &row;
  return nullptr;
}

}  // namespace arcwise
