// Times to live, made no longer than a cap: what is written elsewhere while its owner is away must not stay.
//
// Layer: router. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "router/memcached_request.hpp"

namespace arcwise::router {

struct TtlCap {
  std::chrono::seconds longest{};
  std::int64_t now = 0;  ///< seconds since 1970, for times that memcached takes as dates; 0: not known
};

/// memcached's exptime: 0 is for ever, negative is over, and what is more than 30 days is a date.
void append_capped(std::string& out, std::string_view exptime, const TtlCap& cap);

/// What stands behind the key of a classic command. Appends to `out`.
void append_capped_rest(std::string& out, const McRequest& request, const TtlCap& cap);

/// The flags of a meta command. Appends to `out`.
void append_capped_flags(std::string& out, McVerb verb, std::string_view flags, const TtlCap& cap);

}  // namespace arcwise::router
