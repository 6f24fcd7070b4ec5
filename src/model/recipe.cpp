// The recipe table: the families' rows one after another. A row is never edited after release.
#include "model/recipe_rows.hpp"

#include <array>
#include <vector>

namespace arcwise {
namespace {

using Notation = TokenSpace::Notation;

constexpr std::array<Recipe, 3> own_rows{{
    {.name = "ring",
     .used_by = "Arcwise: a ring of hashed or given tokens, any key hash",
     .method = "hashed-name",
     .hash_open = true,
     .points = PointRule::hashed_name,
     .given_allowed = true,
     .default_tokens = 256},
    {.name = "modulo",
     .used_by = "the baseline everybody starts from: hash mod number of nodes",
     .method = "list-index",
     .hash_open = true,
     .notation = Notation::decimal,
     .points = PointRule::list_index,
     .slots = SlotCount::weights,
     .ties = TieRule::by_list_order},
    {.name = "ranges",
     .used_by = "Arcwise: owners listed range by range, any key hash",
     .method = "table",
     .hash_open = true,
     .points = PointRule::table},
}};

std::vector<Recipe> all_rows() {
  std::vector<Recipe> rows(own_rows.begin(), own_rows.end());
  for (const auto family : {store_rows(), ketama_rows(), proxy_rows(), chooser_rows()})
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
