// Algorithms that give a key one of several numbered buckets: jump, JumpBackHash, AnchorHash, MementoHash.
//
// A node holds one bucket or, for its weight, several. They know no second choice, so later candidates are
// the buckets of further keys made from the first: key, mix(key, 1), mix(key, 2), …; after twice as many as
// there are buckets, and 64, all buckets from the first one up.
#pragma once

#include <memory>

#include "place/methods.hpp"

namespace arcwise {

std::unique_ptr<const Chooser> jump_buckets(const ClusterMap& map);
std::unique_ptr<const Chooser> jump_back_buckets(const ClusterMap& map);
std::unique_ptr<const Chooser> anchor_buckets(const ClusterMap& map);
std::unique_ptr<const Chooser> memento_buckets(const ClusterMap& map);

}  // namespace arcwise
