// The ketama family's arithmetic: how many digests of four points a server gets. The formula is share × 40 ×
// servers, rounded down; the programs differ in the precision of each step, and so in the answer.
#pragma once

#include <cstdint>
#include <span>

#include "place/methods.hpp"

namespace arcwise {

/// libmemcached (KETAMA_WEIGHTED), twemproxy and spymemcached: single precision throughout. Worked example:
/// 25 equal servers get 39, not 40, because 1/25 rounds down in single precision.
std::uint32_t ketama_digests(std::uint64_t weight, std::uint64_t total_weight, std::uint64_t servers);

/// libketama and go-ketama: the share in single precision, the products in double, the result rounded to
/// single. 25 equal servers get 40, 61 get 39.
std::uint32_t libketama_digests(std::uint64_t weight, std::uint64_t total_weight, std::uint64_t servers);

/// npm hashring: double precision, the share first. 7 equal servers get 39: 1/7 * 40 * 7 is below 40.
std::uint32_t hashring_digests(double weight, double total_weight, std::uint32_t vnodes, std::size_t servers);

/// The parts of the family's method table.
std::span<const Method> memcached_methods();  ///< servers and proxies: points_memcached.cpp
std::span<const Method> client_methods();     ///< client libraries: points_clients.cpp
std::span<const Method> list_methods();       ///< hash modulo a list: lists_memcached.cpp

}  // namespace arcwise
