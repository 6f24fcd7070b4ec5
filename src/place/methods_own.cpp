// Methods of Arcwise's own placements beyond the ring.
#include <array>

#include "place/buckets.hpp"
#include "place/maglev.hpp"
#include "place/multi_probe.hpp"
#include "place/weighted_rendezvous.hpp"

namespace arcwise {
namespace {

constexpr Traits by_name{.monotone_add = true,
                         .monotone_remove = true,
                         .any_order_removal = true,
                         .weighted = true,
                         .order_free = true,
                         .mask_is_removal = true};

constexpr Traits unlike(Traits traits, bool Traits::* one) {
  traits.*one = false;
  return traits;
}

// Buckets have numbers that the map keeps, so that list order says nothing.
constexpr Traits any_bucket = unlike(by_name, &Traits::mask_is_removal);
constexpr Traits last_bucket_only = unlike(any_bucket, &Traits::any_order_removal);

constexpr std::array<Method, 7> methods{{
    {.name = "rendezvous", .traits = by_name, .chooser = weighted_rendezvous},
    {.name = "multi-probe", .traits = by_name, .chooser = multi_probe},
    {.name = "maglev",
     .traits = {.enumerable = true, .weighted = true, .order_free = true},
     .slots = maglev_slots},
    {.name = "jump", .traits = last_bucket_only, .draws_again = true, .chooser = jump_buckets},
    {.name = "jump-back", .traits = last_bucket_only, .draws_again = true, .chooser = jump_back_buckets},
    {.name = "anchor", .traits = any_bucket, .draws_again = true, .chooser = anchor_buckets},
    {.name = "memento", .traits = any_bucket, .draws_again = true, .chooser = memento_buckets},
}};

}  // namespace

std::span<const Method> own_placement_methods() {
  return methods;
}

}  // namespace arcwise
