// Rows of Arcwise's own placements.
#include <array>

#include "model/recipe_rows.hpp"

namespace arcwise {
namespace {

using Notation = TokenSpace::Notation;

using Kind = SettingInfo::Kind;

constexpr std::array probes{
    SettingInfo{.name = "probes",
                .kind = Kind::integer,
                .preset = "21",
                .least = 1,
                .most = 64,
                .meaning = "positions a key; the largest share is about 1 + 1/probes times the mean"}};

constexpr std::array table_size{SettingInfo{
    .name = "table_size",
    .kind = Kind::prime,
    .preset = "65537",
    .least = 3,
    .most = 16777213,
    .meaning = "entries of the lookup table: a prime, at least a hundred times the number of nodes"}};

constexpr std::array capacity{
    SettingInfo{.name = "capacity",
                .kind = Kind::integer,
                .preset = "4096",
                .least = 1,
                .most = 16777216,
                .meaning = "buckets that there can ever be; another capacity is another placement"}};

constexpr Recipe buckets(Recipe row) {
  row.hash_open = true;
  row.points = PointRule::buckets;
  row.label = LabelRule::none;
  row.default_tokens = 1;
  return row;
}

constexpr std::array<Recipe, 11> rows{{
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
    {.name = "partitions",
     .used_by = "Arcwise: hash space cut into equal parts, the owners of each listed; one load a lookup",
     .method = "partitions",
     .hash_open = true,
     .points = PointRule::table},
    {.name = "rendezvous",
     .used_by = "Arcwise: the node with the shortest waiting time for the key; exact weights, no state",
     .method = "rendezvous",
     .hash_open = true},
    {.name = "multi-probe",
     .used_by =
         "Arcwise: few tokens a node and many probes a key; bounds the largest share, not the smallest",
     .method = "multi-probe",
     .hash_open = true,
     .default_tokens = 1,
     .settings = probes},
    {.name = "maglev",
     .used_by = "Arcwise: a lookup table filled in turns; even to one entry, moves a little more than needed",
     .method = "maglev",
     .hash_open = true,
     .notation = Notation::decimal,
     .slots = SlotCount::setting,
     .settings = table_size},
    buckets({.name = "jump",
             .used_by = "Arcwise: jump consistent hash; no memory, only the last bucket can go",
             .method = "jump"}),
    buckets({.name = "jump-back",
             .used_by = "Arcwise: JumpBackHash, as jump in constant time",
             .method = "jump-back"}),
    buckets({.name = "anchor",
             .used_by = "Arcwise: AnchorHash; buckets go and come in any order below a fixed capacity",
             .method = "anchor",
             .keeps_removals = true,
             .settings = capacity}),
    buckets({.name = "memento",
             .used_by = "Arcwise: MementoHash; jump that remembers the buckets that went, in any order",
             .method = "memento",
             .keeps_removals = true}),
}};

}  // namespace

std::span<const Recipe> own_rows() {
  return rows;
}

}  // namespace arcwise
