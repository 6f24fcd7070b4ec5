// What `balance` prints.
#pragma once

#include <string>

#include "arcwise/ranges.hpp"
#include "format/json_text.hpp"

namespace arcwise::cli {

/// What was measured, in words.
struct MeasuredNames {
  std::string title;            ///< of the cluster
  std::string requests, bytes;  ///< what they are called; empty: not measured
  std::uint64_t keys = 0;       ///< known
  double tolerance = 0.1;
};

std::string balance_text(const MeasuredNames& names, const ClusterMap& before, const Balancing& done,
                         bool all, bool colour);
Json balance_json(const MeasuredNames& names, const ClusterMap& before, const Balancing& done);
/// The part about nodes: the hottest of each load, and a table.
std::string loads_text(const MeasuredNames& names, const ClusterMap& before, const Balancing& done, bool all,
                       bool colour);
/// measured, requests, bytes, moved_bytes and nodes.
void add_loads(Json& json, const MeasuredNames& names, const ClusterMap& before, const Balancing& done);
/// Why there is nothing to do: the error of a run without an action.
Error nothing_to_do(const MeasuredNames& names, const ClusterMap& before, const Balancing& done);

}  // namespace arcwise::cli
