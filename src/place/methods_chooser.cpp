// Methods of mcrouter and pymemcache.
#include <array>

#include "place/mcrouter.hpp"
#include "place/rendezvous.hpp"

namespace arcwise {
namespace {

// Servers are places in a list: only its end can grow or shrink without moving keys between the others.
constexpr Traits by_place{.monotone_add = true, .monotone_remove = true};

constexpr Traits rendezvous{.monotone_add = true,
                            .monotone_remove = true,
                            .any_order_removal = true,
                            .order_free = true,
                            .mask_is_removal = true};

constexpr Traits weighted(Traits traits) {
  traits.weighted = true;
  return traits;
}

constexpr std::array<Method, 7> methods{{
    {.name = "mcrouter-ch3", .traits = by_place, .chooser = mcrouter_ch3},
    {.name = "mcrouter-weighted-ch3", .traits = {.weighted = true}, .chooser = mcrouter_weighted_ch3},
    {.name = "mcrouter-weighted-ch4", .traits = {.weighted = true}, .chooser = mcrouter_weighted_ch4},
    {.name = "mcrouter-crc32", .traits = {.enumerable = true}, .slots = mcrouter_crc32_slots},
    {.name = "mcrouter-rendezvous", .traits = rendezvous, .chooser = mcrouter_rendezvous},
    {.name = "mcrouter-weighted-rendezvous",
     .traits = weighted(rendezvous),
     .chooser = mcrouter_weighted_rendezvous},
    {.name = "pymemcache-rendezvous", .traits = rendezvous, .chooser = pymemcache_rendezvous},
}};

}  // namespace

std::span<const Method> chooser_methods() {
  return methods;
}

}  // namespace arcwise
