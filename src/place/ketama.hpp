// The ketama point rule of libmemcached (KETAMA_WEIGHTED) and twemproxy.
#pragma once

#include <cstdint>
#include <vector>

#include "place/methods.hpp"

namespace arcwise {

/// MD5 digests (4 points each) that one server gets: single-precision arithmetic in libmemcached's order.
/// Worked example: 25 equal servers get 39, not 40, because 1/25 rounds down in single precision.
std::uint32_t ketama_digests(std::uint32_t weight, std::uint32_t total_weight, std::uint32_t servers);

}  // namespace arcwise
