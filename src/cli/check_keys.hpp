// The part of `check` that is about given keys.
#pragma once

#include <string>

#include "arcwise/keys.hpp"
#include "format/json_text.hpp"

namespace arcwise::cli {

/// {keys, distinct, sampled, nodes: [{name, keys, share, target_share, hash_share, ratio}], factors, hottest,
/// …}
Json keys_json(const KeySpread& spread, const ClusterMap& map);
/// A table of nodes and a line with the four causes.
std::string keys_text(const KeySpread& spread, const ClusterMap& map, bool colour);

}  // namespace arcwise::cli
