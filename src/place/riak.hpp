// Riak: {bucket, key} pairs on a ring of equal partitions. The map's table says which node claimed each
// partition; the copies of a key are on the partition after its hash and the ones that follow.
#pragma once

#include "place/key_rules.hpp"
#include "place/methods.hpp"

namespace arcwise {

/// The partition, of a power of two, that a 160-bit index (its leading 64 bits) falls to: the boundary
/// strictly after it. Worked example with 64 partitions: an index in [28, 29) / 64 of the ring falls to 29,
/// even 28 / 64 itself; one in the last 64th falls to partition 0.
std::uint64_t riak_partition(std::uint64_t leading_bits, std::uint64_t partitions) noexcept;

extern const KeyRuleInfo riak_key_rule;

std::unique_ptr<const Partitioner> riak_partitions(const ClusterMap& map);

}  // namespace arcwise
