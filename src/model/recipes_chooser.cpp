// Rows of mcrouter and pymemcache.
#include <array>

#include "model/recipe_rows.hpp"

namespace arcwise {
namespace {

using Notation = TokenSpace::Notation;
using Kind = SettingInfo::Kind;

constexpr std::array mcrouter_settings{
    SettingInfo{.name = "salt",
                .kind = Kind::text,
                .preset = "",
                .meaning = "text behind the key before it is hashed: `hash: {salt: …}` of the route"}};

constexpr std::array pymemcache_settings{
    SettingInfo{.name = "key_type",
                .kind = Kind::choice,
                .preset = "str",
                .meaning = "Python type of the keys: bytes are hashed as their repr, b'…'",
                .choices = "str bytes"}};

constexpr Recipe mcrouter(std::string_view name, std::string_view used_by, KeyHashId hash,
                          LabelRule label = LabelRule::none) {
  return {.name = name,
          .used_by = used_by,
          .method = name,
          .key_prep = KeyPrep::routing_prefix,
          .hash = hash,
          .label = label,
          .ties = TieRule::by_list_order,
          .settings = mcrouter_settings};
}

constexpr Recipe weighted(Recipe row, double heaviest) {
  row.zero_weight = true;
  row.heaviest = heaviest;
  row.places_unweighted = true;
  return row;
}

constexpr Recipe by_remainder(Recipe row) {
  row.notation = Notation::decimal;
  row.slots = SlotCount::nodes;
  return row;
}

constexpr std::array rows{
    mcrouter("mcrouter-ch3", "mcrouter by default: Ch3, the furc hash over the list of servers",
             KeyHashId::murmur2_64_furc),
    weighted(mcrouter("mcrouter-weighted-ch3", "mcrouter WeightedCh3, the default of pools with weights",
                      KeyHashId::murmur2_64_furc),
             1),
    weighted(mcrouter("mcrouter-weighted-ch4", "mcrouter WeightedCh4, the weighted furc hash",
                      KeyHashId::murmur2_64_furc),
             1),
    by_remainder(mcrouter("mcrouter-crc32", "mcrouter Crc32: 31 bits of CRC-32 mod number of servers",
                          KeyHashId::crc32_31bit)),
    mcrouter("mcrouter-rendezvous", "mcrouter Rendezvous over `tags`", KeyHashId::murmur2_64_rendezvous,
             LabelRule::name),
    weighted(mcrouter("mcrouter-weighted-rendezvous", "mcrouter WeightedRendezvous over `tags`",
                      KeyHashId::murmur2_64_rendezvous, LabelRule::name),
             0),
    Recipe{.name = "pymemcache-rendezvous",
           .used_by = "Python pymemcache HashClient: rendezvous by MurmurHash3",
           .method = "pymemcache-rendezvous",
           .hash = KeyHashId::pymemcache_murmur3,
           .label = LabelRule::pymemcache,
           .ties = TieRule::by_name,
           .settings = pymemcache_settings},
};

}  // namespace

std::span<const Recipe> chooser_rows() {
  return rows;
}

}  // namespace arcwise
