#include <array>

#include "place/crush.hpp"
#include "place/methods.hpp"
#include "place/riak.hpp"
#include "place/swift.hpp"

namespace arcwise {
namespace {

// A table whose handoffs answer for a masked device, while a removed one would have been listed no more.
constexpr Traits swift_traits{.enumerable = true,
                              .monotone_add = true,
                              .monotone_remove = true,
                              .any_order_removal = true,
                              .order_free = true};

// Who claims what is Riak's own decision, which moves partitions between the others too.
constexpr Traits riak_traits{.enumerable = true, .order_free = true};

// A new device makes its host heavier, and what the host gains is spread over all its devices.
constexpr Traits ceph_traits{.enumerable = true, .weighted = true};

constexpr std::array<Method, 3> methods{{
    {.name = "riak", .traits = riak_traits, .partitions = riak_partitions},
    {.name = "swift", .traits = swift_traits, .partitions = swift_partitions},
    {.name = "ceph", .traits = ceph_traits, .partitions = ceph_placement_groups},
}};

}  // namespace

std::span<const Method> store_methods() {
  return methods;
}

}  // namespace arcwise
