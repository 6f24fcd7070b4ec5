// Which map may follow which: a router never goes back to an older one, and never to another cluster's.
//
// Layer: router.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "router/placed.hpp"

namespace arcwise::router {

/// What is remembered of a map, also beyond a restart.
struct Served {
  std::string cluster;
  std::optional<std::uint64_t> epoch;  ///< none: a configuration of a system that has no epochs
  std::string fingerprint, membership;
};
Served served_by(const Placed& placement);

/// Refused where `next` may not follow: another cluster, an older epoch, or the same epoch for another map.
std::optional<Error> check_succession(const Served& now, const Served& next);

/// The highest map that was ever served of a cluster, in a file of this folder.
Result<std::optional<Served>> read_served(const std::string& folder, const std::string& cluster);
/// `next` is that from now on, also after the machine has lost its power; refused where it may not follow.
/// Several routers may share a folder: what one of them remembers is never gone back on by another.
std::optional<Error> remember_served(const std::string& folder, const Served& next);

}  // namespace arcwise::router
