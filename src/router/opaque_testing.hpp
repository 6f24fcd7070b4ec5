// The opaque by which a router knows the answer to a get that it asks as a meta get.
#pragma once

#include <string>
#include <string_view>

#include "router/memcached_reply.hpp"

namespace arcwise::router {

inline std::string opaque_of(std::string_view key) {
  const auto flag = mc_opaque(mc_tag(key));
  return {flag.data(), flag.size()};
}

}  // namespace arcwise::router
