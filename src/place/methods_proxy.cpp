// Methods of nginx, HAProxy and Envoy.
#include <array>

#include "place/envoy.hpp"
#include "place/haproxy.hpp"
#include "place/nginx.hpp"

namespace arcwise {
namespace {

constexpr Traits nginx_ring{.enumerable = true,
                            .monotone_add = true,
                            .monotone_remove = true,
                            .any_order_removal = true,
                            .weighted = true,
                            .order_free = true,
                            .mask_is_removal = true};

// A server without a number of its own is identified by its place in the list: a new one at the end moves
// nobody, and losing one moves the others.
constexpr Traits numbered{
    .enumerable = true, .monotone_add = true, .monotone_remove = true, .weighted = true};

constexpr Traits table{.enumerable = true, .weighted = true};
constexpr Traits sorted_table{.enumerable = true, .weighted = true, .order_free = true};

constexpr std::array<Method, 7> methods{{
    {.name = "nginx-points", .traits = nginx_ring, .ring = nginx_points},
    {.name = "nginx-rehash", .traits = {.weighted = true}, .chooser = nginx_rehash},
    {.name = "haproxy-points", .traits = numbered, .ring = haproxy_points},
    {.name = "haproxy-3.0-points", .traits = numbered, .ring = haproxy_30_points},
    {.name = "haproxy-slots", .traits = table, .slots = haproxy_slots},
    {.name = "envoy-points", .traits = table, .ring = envoy_points},
    {.name = "envoy-maglev", .traits = sorted_table, .slots = envoy_maglev_slots},
}};

}  // namespace

std::span<const Method> proxy_methods() {
  return methods;
}

}  // namespace arcwise
