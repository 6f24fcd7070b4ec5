// Helpers for tests and benchmarks of assigned partitions.
#pragma once

#include <string>

#include "arcwise/assign.hpp"
#include "study/rng.hpp"

namespace arcwise {

/// Nodes round robin over zones, `per_host` of a zone on a host.
inline AssignRequest fleet(std::uint32_t partitions, std::uint32_t replicas, std::uint32_t nodes,
                           std::uint32_t zones, std::uint32_t per_host = 1) {
  AssignRequest out;
  out.partitions = partitions;
  out.replicas = replicas;
  out.spread = Across::zone;
  for (std::uint32_t i = 0; i < nodes; ++i) {
    const std::string zone = "z" + std::to_string(i % zones);
    out.nodes.push_back(
        {"n" + std::to_string(i), 1, zone + "h" + std::to_string(i / zones / per_host), "", zone});
  }
  return out;
}

/// The request for what has just been assigned.
inline AssignRequest after(AssignRequest request, const Assignment& done) {
  request.previous = done.owners;
  return request;
}

}  // namespace arcwise
